"""condor_defrag of a real pool of twelve startds: the machines that it drains at each poll, and those that a course drains.

``--defrag-courses N`` draws N courses for each HTCondor version. Jobs last longer than a course: machines lose their
claims by draining alone. Where each machine has a DEFRAG_RANK of its own, the same ones are drained at the same poll;
of equals as many.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from broken import snapshot
from fleet import Fleet, Machine, fleet_pool
from pool_config import settings_text

from htcq.operations.pool_source import pool_of
from htcq.simulate.course.course import Plan, run_course
from htcq.simulate.course.defrag import Defrag
from htcq.simulate.course.runtimes import run_time
from htcq.store.snapshot import open_snapshot

pytestmark = pytest.mark.condor
ONLY_WITH = "--defrag-courses"
_MACHINES = 12
_CYCLE, _INTERVAL, _POLLS = 3.0, 30, 5
#: A cycle or a poll of the real pool may be late by so many seconds.
_SPARE = 10.0
_POLLED = "There are currently"
#: Different for each machine of n01 to n12.
_DISTINCT = "(int(substr(Machine, 1, 2)) * {factor}) % 13"


@pytest.fixture(scope="module")
def fleet(suite: str) -> Iterator[Fleet]:
    dice = Random(suite)
    machines = {
        f"n{number:02}": Machine(dice.choice((2, 4, 8)), 32768)
        for number in range(1, _MACHINES + 1)
    }
    with fleet_pool(suite, machines) as fleet:
        yield fleet


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "number" in metafunc.fixturenames:
        metafunc.parametrize("number", range(metafunc.config.getoption(ONLY_WITH)))


def _knobs(dice: Random, distinct: bool) -> dict[str, object]:
    rank = _DISTINCT.format(factor=dice.randint(1, 12)) if distinct else "TotalSlotCpus"
    return {
        "DEFRAG_INTERVAL": _INTERVAL,
        "DEFRAG_DRAINING_MACHINES_PER_HOUR": dice.choice((1, 1, 2, 3)) * 3600 // _INTERVAL,
        "DEFRAG_MAX_CONCURRENT_DRAINING": dice.choice((-1, 1, 2, 4)),
        "DEFRAG_MAX_WHOLE_MACHINES": dice.choice((-1, -1, 2, 4, 6)),
        "DEFRAG_DRAINING_SCHEDULE": dice.choice(("graceful", "quick", "fast")),
        "DEFRAG_RANK": rank,
        "DEFRAG_WHOLE_MACHINE_EXPR": dice.choice(("Cpus == TotalSlotCpus", "Cpus >= 4")),
        "DEFRAG_REQUIREMENTS": dice.choice(("PartitionableSlot", "TotalSlotCpus > 2")),
    }


def _fill(fleet: Fleet, dice: Random) -> int:
    """Let jobs fill a part of the pool, and large ones wait; returns how many cpus are claimed."""
    cpus = sum(machine.cpus for machine in fleet.machines.values())
    claimed = dice.randint(cpus // 2, cpus)
    fleet.submit({"request_cpus": 1, "request_memory": 64, "accounting_group_user": "ann"}, claimed)

    def running() -> bool:
        return len(fleet.slots(constraint='State == "Claimed"')) == claimed

    fleet.pool.wait(running, 90, f"{claimed} claims")
    large = {"request_cpus": 4, "request_memory": 64, "accounting_group_user": "ben"}
    fleet.submit(large, dice.randint(0, 4))
    return claimed


def _polls(log: str) -> list[set[str]]:
    """Return the machines drained at each poll."""
    found: list[set[str]] = []
    for line in log.splitlines():
        drained = re.search(r"Initiating \w+ draining of (?:\S+@)?(\w+)\.test", line)
        if _POLLED in line:
            found.append(set())
        elif drained and found:
            found[-1].add(drained.group(1))
    return found


def test_the_machines_that_are_drained_at_each_poll(
    fleet: Fleet, number: int, pytestconfig: pytest.Config, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    seed = f"{pytestconfig.option.cycle_seed}-defrag-{number}"
    dice, pool = Random(seed), fleet.pool
    distinct = number % 2 == 0
    knobs = _knobs(dice, distinct)
    fleet.put("central", "50-defrag.config", "")
    retirement = settings_text({"MAXJOBRETIREMENTTIME": dice.choice((0, 0, 60, 600))})
    for node in fleet.machines:
        fleet.put(node, "50-retirement.config", retirement)
    pool.path("lock", "defrag_state").unlink(missing_ok=True)
    if number:
        fleet.empty_queues()
    fleet.start()
    _fill(fleet, dice)
    begun = len(_polls(pool.log("DefragLog")))
    daemons = "DAEMON_LIST = $(DAEMON_LIST) DEFRAG\n"
    fleet.put("central", "50-defrag.config", daemons + settings_text(knobs))
    pool.tool("condor_reconfig")
    pool.wait(lambda: len(_polls(pool.log("DefragLog"))) > begun, 120, "condor_defrag's first poll")
    pool.wait(
        lambda: pool.ads("any", ["Name"], constraint='MyType == "Defrag"'),
        60,
        "the ad of condor_defrag",
    )
    where = snapshot(pool, tmp_path)
    before = len(_polls(pool.log("DefragLog")))
    until = before + _POLLS
    pool.wait(lambda: len(_polls(pool.log("DefragLog"))) > until, 60 * _POLLS, "its polls")
    really = _polls(pool.log("DefragLog"))[before:until]

    simulated: list[set[str]] = []
    poll = Defrag.poll

    def noted(self: Defrag, *words: Any) -> Any:
        choice = poll(self, *words)
        simulated.append({name.rpartition("@")[2].partition(".")[0] for name in choice.drained})
        return choice

    monkeypatch.setattr(Defrag, "poll", noted)
    plan = Plan(int((_POLLS + 1) * _INTERVAL / _CYCLE), _CYCLE)
    course = run_course(pool_of(open_snapshot(where), str(where)), plan, run_time("1e9"), Random(0))
    told = f"{seed}: {knobs} {retirement}\nreally    {really}\nsimulated {simulated[:_POLLS]}\n"
    (tmp_path / "defrag.txt").write_text(told + "\n".join(course.unmodelled))
    if distinct:
        assert simulated[:_POLLS] == really, told
    else:
        assert [len(each) for each in simulated[:_POLLS]] == [len(each) for each in really], told
