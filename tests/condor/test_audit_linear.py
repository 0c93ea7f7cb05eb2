"""The audit of a real pool of three kinds of node with the linear model, idle and full: nothing above info."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import ANSWERED, FAR_ABOVE, ROLES, ROOT
from testpool import Pool

pytestmark = pytest.mark.condor

NODE = {"cpus": 144, "memory_mb": 786_432, "disk_kb": 400_000_000, "gpus": 4}
LINEAR = (
    "--model",
    "linear",
    "--weight",
    "cpus=1",
    "--weight",
    "memory=0.25/GiB",
    "--weight",
    "gpus=8",
)
#: One startd stands for four nodes: 2 of 32 cpus and 64 GiB, one of 64 and 512 GiB, one of 16, 128
#: GiB and 4 GPUs.
SLOTS = """
MACHINE_RESOURCE_GPUs = 4
SLOT_TYPE_1 = cpus=32, memory=65536, disk=25%, gpus=0
NUM_SLOTS_TYPE_1 = 2
SLOT_TYPE_2 = cpus=64, memory=524288, disk=25%, gpus=0
NUM_SLOTS_TYPE_2 = 1
SLOT_TYPE_2_PARTITIONABLE = True
SLOT_TYPE_3 = cpus=16, memory=131072, disk=25%, gpus=4
NUM_SLOTS_TYPE_3 = 1
SLOT_TYPE_3_PARTITIONABLE = True
"""
MODEL = """
HtcqModel = "linear"
HtcqModelHash = "0123456789ab"
STARTD_ATTRS = $(STARTD_ATTRS) HtcqModel HtcqModelHash
"""
GROUPS = """
GROUP_NAMES = biology, chem
GROUP_QUOTA_biology = 200
GROUP_QUOTA_chem = 60
GROUP_ACCEPT_SURPLUS = False
NEGOTIATOR_CONSIDER_PREEMPTION = False
NEGOTIATOR_INTERVAL = 3
NEGOTIATOR_MIN_INTERVAL = 3
NEGOTIATOR_CYCLE_DELAY = 3
SCHEDD_INTERVAL = 1
SCHEDD_MIN_INTERVAL = 1
UPDATE_INTERVAL = 2
"""
WEIGHT = 144 + 786_432 / 4096 + 8 * 4


def htcq(*words: str, fine: tuple[int, ...] = ANSWERED) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "htcq", *words], capture_output=True, text=True, cwd=ROOT
    )
    assert done.returncode in fine, f"htcq {' '.join(words)}: {done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def pool(suite: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pool]:
    """The pool as htcq configures it."""
    node = tmp_path_factory.mktemp("node") / "node.json"
    node.write_text(json.dumps(NODE))
    texts = [htcq("emit", "--role", role, "--node", str(node), *LINEAR) for role in ROLES]
    settings = "".join([*texts, SLOTS, MODEL, GROUPS])
    with Pool.start(
        suite=suite,
        settings=settings,
        cpus=NODE["cpus"],
        memory_mb=NODE["memory_mb"],
        disk_kb=NODE["disk_kb"],
    ) as pool:
        pool.wait(lambda: len(pool.ads("slots", ["Name"])) == 4, 30, "four slots", ["StartLog"])
        yield pool


def findings(pool: Pool, directory: Path) -> dict[str, dict[str, Any]]:
    """Return what the audit finds, by rule."""
    where = str(directory / "snapshot")
    htcq("snapshot", where, "--pool", pool.collector)
    found = json.loads(htcq("audit", "--snapshot", where, "--json", fine=(0, 1)))["findings"]
    return {finding["rule"]: finding for finding in found}


def weights(pool: Pool, constraint: str = "true") -> float:
    """Return what the slots weigh together."""
    return sum(
        map(
            float,
            pool.tool("condor_status", "-constraint", constraint, "-af", "SlotWeight").split(),
        )
    )


def test_the_pool_is_sound_while_it_is_empty(pool: Pool, tmp_path: Path) -> None:
    assert weights(pool) == WEIGHT
    found = findings(pool, tmp_path)
    assert {rule for rule in found if found[rule]["severity"] != "info"} <= FAR_ABOVE
    assert "stranded-weight" not in found


def test_a_snapshot_has_the_model_that_slots_advertise(pool: Pool, tmp_path: Path) -> None:
    where = tmp_path / "snapshot"
    htcq("snapshot", str(where), "--pool", pool.collector, "--anonymize")
    ads = (where / "collector.ads").read_text()
    assert ads.count('HtcqModel = "linear"') == ads.count('HtcqModelHash = "0123456789ab"') == 4


def test_the_pool_is_sound_when_it_is_full_and_its_unsold_weight_is_told(
    pool: Pool, tmp_path: Path
) -> None:
    """6 jobs take 16 cpus and 1 GiB where biology has room for them, 3 those of chem: 144 of 144 cpus."""
    job = {"request_cpus": 16, "request_memory": 1024, "accounting_group_user": "ann"}
    pool.submit({**job, "accounting_group": "biology"}, count=6)
    pool.submit({**job, "accounting_group": "chem"}, count=4)

    def full() -> bool:
        free = pool.ads("slots", ["Cpus"], constraint="PartitionableSlot && Cpus > 0")
        return not free and len(pool.ads("slots", ["Name"], constraint='State == "Claimed"')) == 9

    pool.wait(full, 60, "nine claims", ["NegotiatorLog"])

    assert weights(pool) == WEIGHT
    found = findings(pool, tmp_path)
    assert {rule for rule in found if found[rule]["severity"] != "info"} <= FAR_ABOVE
    left = weights(pool, "PartitionableSlot")
    message = found["stranded-weight"]["message"]
    assert f"weight {left:g} (" in message
    assert "stays unused" in message
