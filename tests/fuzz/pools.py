"""The sound pools that inputs begin with: one by hand, and real ones that were recorded, cut to a few ads of a kind."""

from __future__ import annotations

import json
import tarfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.audit.sites import (
    accounting,
    collector,
    dynamic_slot,
    job,
    negotiator,
    policy_slot,
    schedd,
    slot,
    static_slot,
    submitter,
    user,
)

ROOT = Path(__file__).resolve().parents[2]
#: Snapshots as files by name.
Files = Mapping[str, bytes]
#: When the pool by hand was seen, and the same in seconds, by date(1).
TAKEN, SECONDS = "2024-11-04T08:00:00+00:00", 1730707200
_CONFIG = """GROUP_NAMES = physics, physics.hep, chem
GROUP_QUOTA_physics = 12
GROUP_QUOTA_DYNAMIC_physics.hep = 0.5
GROUP_QUOTA_chem = 8
GROUP_ACCEPT_SURPLUS_physics = True
GROUP_ACCEPT_SURPLUS = True
NEGOTIATOR_INTERVAL = 60
NEGOTIATOR_SLOT_CONSTRAINT = Cpus >= 0
SLOT_WEIGHT = Cpus + Memory / 8192.0
PREEMPTION_REQUIREMENTS = False
CPU_LIMIT = 10
"""
_ACCESS = (
    "SCHEDD_NAME = access1\nSLOT_WEIGHT = Cpus\nSYSTEM_PERIODIC_HOLD = False\n"
    "JOB_DEFAULT_REQUESTMEMORY = 1024\n"
)
_EXECUTE = (
    "NUM_SLOTS_TYPE_1 = 1\nSLOT_TYPE_1 = 100%\nSLOT_TYPE_1_PARTITIONABLE = True\n"
    "CONSUMPTION_POLICY = True\n"
    "SLOT_WEIGHT = Cpus\nMACHINE_RESOURCE_tokens = 4\nSTART = Cpus > 0\n"
)
_KINDS = 3
_RECORDED_CYCLES = ("cycle-100", "cycle-112", "cycle-127", "cycle-145")


def by_hand() -> dict[str, bytes]:
    """Return a pool with slots, claims and jobs of every kind, whose elastic quotas may be written."""
    fresh = {"LastHeardFrom": SECONDS - 5, "MyCurrentTime": SECONDS - 5}
    claim = {"Cpus": 2, "Memory": 2048, "JobId": '"1.0"', **fresh}
    groups = {"<none>": 20.0, "physics": 12.0, "physics.hep": 6.0, "chem": 8.0}
    ads = (
        slot("slot1@node1", Cpus=6, Memory=14336, NumDynamicSlots=1, **fresh),
        policy_slot("slot1@node2", Cpus=6, Memory=14336, NumDynamicSlots=1, **fresh),
        static_slot("slot1@node3", **fresh),
        dynamic_slot("slot1_1@node1", "physics.ada@site", **claim),
        dynamic_slot("slot1_1@node2", "chem.bob@site", **{**claim, "JobId": '"2.0"'}),
        submitter("physics.ada@site", IdleJobs=3, RunningJobs=1, WeightedIdleJobs=3, **fresh),
        submitter("chem.bob@site", IdleJobs=20, RunningJobs=1, WeightedIdleJobs=20, **fresh),
        submitter("eve@site", **fresh),
        schedd(**fresh), collector(**fresh), negotiator(LastNegotiationCycleEnd0=SECONDS - 60, **fresh),
        *(
            accounting(
                name, IsAccountingGroup="true", NegotiatorName='"central"', EffectiveQuota=quota,
                SubtreeQuota=20.0 if name == "<none>" else quota, WeightedResourcesUsed="2.0", **fresh,
            )
            for name, quota in groups.items()
        ),
        accounting("physics.ada@site", Priority=1000.0, PriorityFactor=1000.0, Ceiling=4, **fresh),
    )  # fmt: skip
    runs = {
        "JobStatus": 2,
        "CurrentHosts": 1,
        "JobCurrentStartDate": SECONDS - 3600,
        "RequestCpus": 2,
    }
    jobs = (
        job("1.0", AccountingGroup='"physics.ada"', RemoteHost='"slot1_1@node1"', **runs),
        job("2.0", AccountingGroup='"chem.bob"', RemoteHost='"slot1_1@node2"', **runs),
        job("3.0", AccountingGroup='"physics.ada"', Rank="Memory / 1024", QDate=SECONDS - 100),
        *(job(f"4.{proc}", AccountingGroup='"chem.bob"', RequestMemory=2048) for proc in range(6)),
        job(
            "5.0",
            MaxHosts=20,
            ConcurrencyLimits='"cpu:2"',
            Requirements='TARGET.Machine == "node2"',
        ),
        job("6.0", JobStatus=5, HoldReason='"by hand"'),
    )
    priorities = [accounting(name, IsAccountingGroup="true", Priority=1.0) for name in groups]
    meta = {"schema": 1, "taken": TAKEN, "pool": "central", "negotiator": "central", "failed": []}
    return {
        "collector.ads": "\n".join(ads).encode(),
        "jobs.ads": "\n".join(jobs).encode(),
        "priorities.ads": "\n".join(priorities).encode(),
        "users.ads": user("ada@site", MaxJobsRunning=3, NumRunning=1).encode(),
        "config.txt": _CONFIG.encode(),
        "access/access1.txt": _ACCESS.encode(),
        "execute/node2.txt": _EXECUTE.encode(),
        "meta.json": json.dumps(meta).encode(),
    }


def recorded() -> Iterator[dict[str, bytes]]:
    """Yield pools of real daemons."""
    for name in _RECORDED_CYCLES:
        directory = ROOT / "tests/golden/negotiation" / name
        yield {
            path.name: path.read_bytes()
            for path in directory.iterdir()
            if path.name != "expected.json"
        }
    with tarfile.open(ROOT / "tests/golden/mixed-site/linear-busy.tar.gz") as archive:
        whole = {}
        for member in archive:
            file = archive.extractfile(member)
            if file is not None:
                whole[member.name.partition("/")[2]] = file.read()
    yield {name: _fewer(text) if name.endswith(".ads") else text for name, text in whole.items()}


def _fewer(ads: bytes) -> bytes:
    """Return some ads of each kind."""
    kept: dict[tuple[bytes, ...], list[bytes]] = {}
    for ad in ads.split(b"\n\n"):
        kind = tuple(
            line
            for line in ad.split(b"\n")
            if line.startswith((b"MyType", b"SlotType =", b"JobStatus ="))
        )
        kept.setdefault(kind, []).append(ad)
    return b"\n\n".join(ad for some in kept.values() for ad in some[:_KINDS])


def history() -> bytes:
    """Return finished jobs, as condor_history prints them."""
    done = {
        "JobStatus": 4,
        "RemoteWallClockTime": "600.0",
        "LastRemoteWallClockTime": "600.0",
        "CurrentHosts": 0,
    }
    groups = ("physics.ada", "chem.bob")
    jobs = [
        job(
            f"7.{n}",
            QDate=1000 + 300 * n,
            CompletionDate=2000 + 300 * n,
            AccountingGroup=f'"{groups[n % 2]}"',
            **done,
        )
        for n in range(4)
    ]
    return "\n".join(jobs).encode()
