"""Small pools written down as ads and configuration, for one rule each; what they lack is what a real pool has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Union

from htcq.audit.catalog import rule
from htcq.audit.engine import Audit, Finding, audit
from htcq.audit.evidence import Evidence
from htcq.pool.pool import Pool
from htcq.pool.reading import Texts, read_pool
from htcq.why.held import ATTRIBUTES
from tests.audit.loaded import assert_loads
from tests.pool.parsed_once import read_dump

#: Values as they stand in a long-form ad: strings need their quotes.
Text = Union[str, int, float]

VERSION = "$CondorVersion: 25.14.1 2026-10-16 PackageID: 25.14.1+dfsg-1 $"
#: What a real partitionable slot of 25.14 says, as far as htcq looks at it: 8 cpus, 16 GiB, 20 GB.
_PSLOT: dict[str, Text] = {
    "MyType": '"Machine"', "SlotType": '"Partitionable"', "PartitionableSlot": "true", "SlotTypeID": 1, "SlotID": 1,
    "State": '"Unclaimed"', "Activity": '"Idle"', "Cpus": 8, "Memory": 16384, "Disk": 20000000, "GPUs": 0,
    "TotalSlotCpus": 8, "TotalSlotMemory": 16384, "TotalSlotDisk": "20000000.0", "TotalSlotGPUs": 0, "TotalCpus": "8.0",
    "TotalMemory": 16384, "TotalDisk": 20000000, "MachineResources": '"Cpus Memory Disk Swap GPUs"',
    "SlotWeight": "Cpus", "Start": "true", "Requirements": "Start && WithinResourceLimits",
    "WithinResourceLimits": "MY.Cpus > 0 && TARGET.RequestCpus <= MY.Cpus && MY.Memory > 0 && "
    "TARGET.RequestMemory <= MY.Memory && MY.Disk > 0 && TARGET.RequestDisk <= MY.Disk && "
    "(TARGET.RequestGPUs is undefined || MY.GPUs >= TARGET.RequestGPUs)",
    "CondorVersion": f'"{VERSION}"', "NumDynamicSlots": 0,
}  # fmt: skip
POLICY: dict[str, Text] = {
    "ConsumptionCpus": "max({1, TARGET.RequestCpus ?: 0})",
    "ConsumptionMemory": "quantize(max({1, TARGET.RequestMemory ?: 0}), 128)",
    "ConsumptionDisk": "max({1, TARGET.RequestDisk ?: 0})",
    "ConsumptionGPUs": "TARGET.RequestGPUs ?: 0",
    "NumClaims": 8,
    "WithinResourceLimits": " && ".join(
        f"ifThenElse(TARGET._cp_orig_Request{asset} =!= undefined, TARGET.Request{asset} <= "
        f"MY.{asset}, "
        f"MY.Consumption{asset} <= MY.{asset})"
        for asset in ("Cpus", "Disk", "GPUs", "Memory")
    ),
}
_JOB: dict[str, Text] = {
    "MyType": '"Job"', "ClusterId": 1, "ProcId": 0, "JobStatus": 1, "JobUniverse": 5, "MinHosts": 1, "MaxHosts": 1,
    "CurrentHosts": 0, "User": '"ada@site"', "Owner": '"ada"', "RequestCpus": 1, "RequestMemory": 1024,
    "RequestDisk": 1024, "Requirements": "TARGET.Cpus >= RequestCpus && TARGET.Memory >= RequestMemory && "
    "TARGET.Disk >= RequestDisk", "Rank": "0.0",
}  # fmt: skip


def ad(**attributes: Text | None) -> str:
    """Return a long-form ad; an attribute that is None is left out."""
    return "".join(f"{name} = {value}\n" for name, value in attributes.items() if value is not None)


def slot(name: str = "slot1@node1", **changes: Text | None) -> str:
    """Return a plain, healthy partitionable slot with some attributes changed (None: left out)."""
    own: dict[str, Text | None] = {"Name": f'"{name}"', "Machine": f'"{name.rpartition("@")[2]}"'}
    if "DynamicSlot" not in changes:
        own["TotalCpus"] = changes.get("TotalSlotCpus", _PSLOT["TotalCpus"])
    return ad(**{**_PSLOT, **own, **changes})


def policy_slot(name: str = "slot1@node1", **changes: Text | None) -> str:
    """Return a healthy partitionable slot with a consumption policy."""
    return slot(name, **{**POLICY, **changes})


def dynamic_slot(
    name: str = "slot1_1@node1", customer: str = "ada@site", **changes: Text | None
) -> str:
    """Return a claimed dynamic slot of 1 cpu and 1 GiB."""
    own: dict[str, Text | None] = {
        "SlotType": '"Dynamic"', "PartitionableSlot": None, "DynamicSlot": "true", "State": '"Claimed"',
        "Activity": '"Busy"', "Cpus": 1, "Memory": 1024, "Disk": 1024, "TotalSlotCpus": 1, "TotalSlotMemory": 1024,
        "TotalSlotDisk": "1024.0", "AccountingGroup": f'"{customer}"', "RemoteUser": f'"{customer}"',
        "NumDynamicSlots": None,
    }  # fmt: skip
    return slot(name, **{**own, **changes})


def static_slot(name: str = "slot1@node1", **changes: Text | None) -> str:
    """Return an unclaimed static slot of 1 cpu and 2 GiB."""
    own: dict[str, Text | None] = {
        "SlotType": '"Static"', "PartitionableSlot": None, "Cpus": 1, "Memory": 2048, "TotalSlotCpus": 1,
        "TotalSlotMemory": 2048, "NumDynamicSlots": None,
    }  # fmt: skip
    return slot(name, **{**own, **changes})


def job(id_: str = "1.0", **changes: Text | None) -> str:
    """Return an idle vanilla job of 1 cpu and 1 GiB."""
    cluster, _, proc = id_.partition(".")
    return ad(**{**_JOB, "ClusterId": cluster, "ProcId": proc, **changes})


def submitter(name: str = "ada@site", **changes: Text | None) -> str:
    """Return a submitter ad with one idle job."""
    own: dict[str, Text | None] = {
        "MyType": '"Submitter"', "Name": f'"{name}"', "ScheddName": '"access1"', "Machine": '"access1"',
        "IdleJobs": 1, "RunningJobs": 0, "WeightedIdleJobs": 1, "WeightedRunningJobs": "0.0",
    }  # fmt: skip
    return ad(**{**own, **changes})


def schedd(name: str = "access1", **changes: Text | None) -> str:
    """Return a schedd ad."""
    own: dict[str, Text | None] = {
        "MyType": '"Scheduler"',
        "Name": f'"{name}"',
        "Machine": f'"{name}"',
    }
    return ad(**{**own, "CondorVersion": f'"{VERSION}"', **changes})


def user(name: str = "ada@site", **changes: Text | None) -> str:
    """Return the record that a schedd has of a user."""
    own: dict[str, Text | None] = {
        "MyType": '"Owner"',
        "User": f'"{name}"',
        "ScheddName": '"access1"',
    }
    return ad(**{**own, "NumRunning": 0, "NumSuspended": 0, **changes})


def collector(machine: str = "central", **changes: Text | None) -> str:
    """Return the collector's own ad; configuration counts for every daemon on its machine."""
    return ad(
        **{
            "MyType": '"Collector"',
            "Name": f'"pool@{machine}"',
            "Machine": f'"{machine}"',
            **changes,
        }
    )


def negotiator(machine: str = "central", **changes: Text | None) -> str:
    """Return a negotiator ad."""
    own: dict[str, Text | None] = {
        "MyType": '"Negotiator"',
        "Name": f'"{machine}"',
        "Machine": f'"{machine}"',
    }
    return ad(**{**own, "CondorVersion": f'"{VERSION}"', **changes})


def collected(ads: Iterable[str]) -> str:
    """Return the text of ``ads``, with a negotiator's where none of them is one: nothing matches jobs without it."""
    found = list(ads)
    if not any('MyType = "Negotiator"' in each for each in found):
        found.append(negotiator())
    return "\n".join(found)


def accounting(name: str, **changes: Text | None) -> str:
    """Return an accounting ad of a group or submitter."""
    own: dict[str, Text | None] = {
        "MyType": '"Accounting"',
        "Name": f'"{name}"',
        "IsAccountingGroup": "false",
    }
    return ad(**{**own, "WeightedResourcesUsed": "0.0", "ResourcesUsed": 0, **changes})


def pool(
    *ads: str,
    jobs: Iterable[str] | None = None,
    config: str | None = None,
    access: Mapping[str, str] | None = None,
    execute: Mapping[str, str] | None = None,
    users: Iterable[str] | None = None,
    complete: bool = True,
) -> Pool:
    """Return the pool whose collector holds ``ads``; what is None is missing. If ``complete``, it has a negotiator."""
    if complete and ads:
        ads = (collected(ads),)

    def chunks(texts: Iterable[str]) -> list[bytes]:
        return ["\n".join(texts).encode()]

    queue = None if jobs is None else list(jobs)
    told = None if users is None else list(users)
    return read_pool(
        Texts(
            source="test",
            collector=(lambda: chunks(ads)) if ads else None,
            jobs=None if queue is None else (lambda: chunks(queue)),
            central=config,
            access=access or {},
            execute=execute or {},
            users=None if told is None else (lambda: chunks(told)),
            # As htcq audit and status ask for them.
            job_attributes=ATTRIBUTES,
        ),
        read_dump,
    )


def look(rule_id: str, given: Pool) -> Audit:
    """Return what one rule makes of a pool."""
    outcome = audit(Evidence(given), [rule(rule_id)])
    # Whatever a test is about: what a finding proposes is configuration, and HTCondor takes it.
    assert_loads(setting for finding in outcome.findings for setting in finding.settings)
    return outcome


def found(rule_id: str, given: Pool) -> tuple[Finding, ...]:
    """Return the findings of one rule; it must have had the evidence that it needs."""
    outcome = look(rule_id, given)
    assert not outcome.not_checked, outcome.not_checked
    return outcome.findings


def lines(finding: Finding) -> list[str]:
    """Return the lines of configuration that fix ``finding``, whatever machines they are for."""
    return [setting.line for setting in finding.settings]
