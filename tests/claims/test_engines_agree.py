"""One slot and one job: every command says what HTCondor does, and so they all say the same."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import fields
from random import Random

import pytest

from htcq.elastic.records import PARTS
from htcq.pool.pool import Pool
from tests.claims.drawn import default_modifications, pair
from tests.claims.engines import ENGINES, pools_of
from tests.claims.reference import Outcome, Pair, outcome

#: Pairs are drawn and read so many at a time.
_AT_ONCE = 200


def differences(drawn: Pair, expected: Outcome, pool: Pool) -> list[str]:
    """Return what an engine says otherwise than HTCondor's source."""
    found = []
    for name, engine in ENGINES.items():
        said = engine(drawn, pool)
        for field in compared(expected, name):
            own = getattr(said, field)
            if own is not None and _plain(own) != _plain(_expected(expected, field, name)):
                found.append(
                    f"{name}: {field} is {own}, expected {getattr(expected, field)}\n  {drawn}"
                )
    return found


def compared(expected: Outcome, engine: str) -> Sequence[str]:
    """Return what is compared: of what is not matched no cost, of what is refused no claim."""
    names = [field.name for field in fields(Outcome)]
    if not expected.matched:
        # The plan knows no negotiator: what never matches is refused there.
        return ["refused"] if engine == "plan" else ["matched", "consumed"]
    return [name for name in names if not (expected.refused and name in ("carved", "standing"))]


def _expected(expected: Outcome, field: str, engine: str) -> object:
    if not expected.matched and field == "refused":
        return True
    if field == "standing" and engine == "elastic" and expected.standing is not None:
        return math.ceil(round(expected.standing * PARTS, 6)) / PARTS
    return getattr(expected, field)


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return {asset: amount for asset, amount in value.items() if amount}
    return round(value, 6) if isinstance(value, float) else value


def test_every_engine_says_what_htcondor_does(pytestconfig: pytest.Config) -> None:
    """The seed is in the summary of the run; what is drawn is settable by ``--claim-seed``."""
    random = Random(pytestconfig.getoption("--claim-seed"))
    pairs = [pair(random) for _ in range(pytestconfig.getoption("--claim-pairs"))]
    found: list[str] = []
    outcomes: set[tuple[bool | None, bool | None]] = set()
    for first in range(0, len(pairs), _AT_ONCE):
        some = pairs[first : first + _AT_ONCE]
        for drawn, pool in zip(some, pools_of(some)):
            expected = outcome(drawn)
            found += differences(drawn, expected, pool)
            outcomes.add((expected.matched, expected.refused))

    assert not found, f"{len(found)} differences, such as\n" + "\n".join(found[:5])
    # Nothing, a claim, and a claim that the startd refuses: a run of some hundred pairs has them
    # all.
    assert outcomes == {(False, None), (True, False), (True, True)}


def _with_quantum() -> Pair:
    """Return a slot whose disk comes in extents of 4096 KiB, and a job that asks for 5000."""
    slot = {
        "MyType": '"Machine"', "Name": '"slot1@node1"', "Machine": '"node1"', "SlotType": '"Partitionable"',
        "PartitionableSlot": "true", "SlotTypeID": "1", "State": '"Unclaimed"', "Activity": '"Idle"',
        "MachineResources": '"Cpus Memory Disk Swap"', "Cpus": "8", "Memory": "16384", "Disk": "2000000",
        "TotalSlotCpus": "8", "TotalSlotMemory": "16384", "TotalSlotDisk": "2000000.0", "TotalDisk": "2000000",
        "DiskQuantum": "4096", "SlotWeight": "Disk / 4096", "Requirements": "WithinResourceLimits",
        "WithinResourceLimits": "MY.Disk > 0 && TARGET.RequestDisk <= MY.Disk",
        "CondorVersion": '"$CondorVersion: 25.14.1 2026-10-16 $"',
    }  # fmt: skip
    job = {
        "MyType": '"Job"', "ClusterId": "1", "ProcId": "0", "JobStatus": "1", "JobUniverse": "5", "MaxHosts": "1",
        "CurrentHosts": "0", "User": '"ada@site"', "Owner": '"ada"', "RequestCpus": "1", "RequestMemory": "128",
        "RequestDisk": "5000", "Requirements": "TARGET.Disk >= RequestDisk",
    }  # fmt: skip
    return Pair(slot, job, default_modifications((25, 14, 1)), (25, 14, 1))


@pytest.mark.parametrize("engine", ["plan", "cost", "simulate", "elastic"])
def test_disk_comes_in_whole_extents_where_the_slot_says_so(engine: str) -> None:
    """DiskQuantum = 4096 and RequestDisk = 5000 are 8192 KiB, which weigh 2; so it is in tests/condor too."""
    drawn = _with_quantum()
    (pool,) = pools_of([drawn])
    said = ENGINES[engine](drawn, pool)

    assert said.standing == 2
    assert said.carved is None or said.carved["Disk"] == 8192


def test_the_audit_knows_the_extents_too() -> None:
    drawn = _with_quantum()
    consumption = {
        f"Consumption{asset}": f"TARGET.Request{asset}" for asset in ("Cpus", "Memory", "Disk")
    }
    drawn = Pair(
        {**drawn.slot, **consumption, "NumClaims": "8"}, drawn.job, drawn.modify, drawn.version
    )
    (pool,) = pools_of([drawn])
    said = ENGINES["audit"](drawn, pool)

    assert said.carved == {"Cpus": 1, "Memory": 128, "Disk": 8192}
