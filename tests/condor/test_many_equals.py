"""More than 16 equal users before more than 16 equal slots of a real pool, on both versions, with no order given.

Which of them come first follows from libstdc++'s std::sort and the order in the collector."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Site
from one_cycle import recorded
from random_cycles import ASKED_FOR, Scenario
from random_jobs import Cluster

from htcq.operations.pool_source import pool_of
from htcq.simulate.cycle.cycle import run_cycle
from htcq.store.snapshot import open_snapshot
from htcq.why.verdict import Verdicts

pytestmark = pytest.mark.condor
_USERS, _SLOTS = 30, 24
_JOB = {"request_cpus": 1, "request_memory": 100, "request_disk": 1000}


def _users() -> list[str]:
    return [f"u{number:02}" for number in range(_USERS)]


def test_equal_users_get_equal_slots_as_the_negotiator_sorts_both(
    site: Site, tmp_path: Path
) -> None:
    scenario = Scenario(
        seed="equals",
        knobs={
            **ASKED_FOR, "NUM_CPUS": str(_SLOTS), "MEMORY": str(_SLOTS * 1024), "DISK": "100000000",
            "SLOT_TYPE_1": "cpus=1, memory=1024, disk=4%", "NUM_SLOTS_TYPE_1": str(_SLOTS),
            "SLOT_TYPE_1_PARTITIONABLE": "False",
        },
        slots=_SLOTS,
        userprio=(),
        running=(),
        clusters=tuple(Cluster(user, 1, 1, {**_JOB, "accounting_group_user": user}) for user in _users()),
        groups=dict.fromkeys(_users(), ""),
    )  # fmt: skip
    found = recorded(site, scenario, tmp_path)
    pool = pool_of(open_snapshot(found.before), str(found.before))
    trace = run_cycle(pool)

    real = [(each.submitter, each.slot) for each in found.cycle.matches]
    assert len(real) == _SLOTS
    assert [(match.submitter, match.slot) for match in trace.matches] == real
    # A verdict needs no order either, and says so of none.
    verdicts = Verdicts(pool).on(pool.jobs or ())
    assert {each.submitter for each in verdicts if each.starts} == {name for name, _ in real}
    assert {each.equals for each in verdicts} == {0}
