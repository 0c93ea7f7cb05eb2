"""condor_defrag of a real pool of twelve startds: the machines that it drains at each poll, and those that a course drains.

``--defrag-courses N`` draws N courses for each HTCondor version. Jobs last longer than a course: machines lose their
claims by draining alone. Where each machine has a DEFRAG_RANK of its own, the same ones are drained at the same poll;
of equals as many.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from broken import snapshot
from fleet import Fleet, Machine, fleet_pool
from pool_config import settings_text
from testpool import Pool

from htcq.operations.pool_source import pool_of
from htcq.simulate.course.course import Plan, run_course
from htcq.simulate.course.defrag import Defrag
from htcq.simulate.course.runtimes import run_time
from htcq.store.snapshot import open_snapshot

pytestmark = pytest.mark.condor
ONLY_WITH = "--defrag-courses"
_MACHINES = 12
_INTERVAL, _POLLS = 30, 5
#: Cycles come when they are asked for, between two polls: what a drained machine loses is idle then.
_PACE = """
NEGOTIATOR_INTERVAL = 86400
NEGOTIATOR_MIN_INTERVAL = 1
NEGOTIATOR_CYCLE_DELAY = 1
SCHEDD_SEND_RESCHEDULE = False
SCHEDD_INTERVAL = 1
SCHEDD_MIN_INTERVAL = 1
UPDATE_INTERVAL = 2
"""
#: Seconds from a poll to the next cycle.
_AFTER = 10
_ENDED = "Finished Negotiation Cycle"
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
    with fleet_pool(suite, machines, pace=_PACE) as fleet:
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


def _cycle(pool: Pool) -> None:
    """Let the negotiator go through one cycle.

    A reconfig before it begins would set its timer back to NEGOTIATOR_INTERVAL, and further requests are ignored while
    one is pending (matchmaker.cpp: RESCHEDULE_commandHandler, 25.14).
    """
    before = pool.log("NegotiatorLog").count(_ENDED)
    address = pool.ads("negotiator", ["MyAddress"])[0]["MyAddress"]
    pool.tool("condor_reschedule", "-addr", address)
    pool.wait(lambda: pool.log("NegotiatorLog").count(_ENDED) > before, 60, "a cycle")


def _fill(fleet: Fleet, dice: Random) -> None:
    """Let jobs fill a part of the pool, and large ones wait."""
    cpus = sum(machine.cpus for machine in fleet.machines.values())
    claimed = dice.randint(cpus // 2, cpus)
    small = {"request_cpus": 1, "request_memory": 64}
    fleet.submit({**small, "accounting_group_user": "ann"}, claimed)
    fleet.demand("ann", claimed)

    def running() -> bool:
        _cycle(fleet.pool)
        return len(fleet.slots(constraint='Activity == "Busy"')) == claimed

    fleet.pool.wait(running, 90, f"{claimed} claims")
    large = {"request_cpus": 4, "request_memory": 64, "accounting_group_user": "ben"}
    fleet.submit(large, dice.randint(1, 4))


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
    # Which of equals is drawn decides how long its jobs retire, and so how many are drained later.
    seconds = dice.choice((0, 0, 60, 600)) if distinct else 0
    retirement = settings_text({"MAXJOBRETIREMENTTIME": seconds})
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
    time.sleep(_AFTER - 3)
    where = snapshot(pool, tmp_path)
    begun, before = time.monotonic(), len(_polls(pool.log("DefragLog")))
    for number_of_cycle in range(_POLLS + 1):
        time.sleep(max(0.0, begun + _INTERVAL * number_of_cycle - time.monotonic()))
        _cycle(pool)
    really = _polls(pool.log("DefragLog"))[before : before + _POLLS]

    for log in ("NegotiatorLog", "DefragLog"):
        (tmp_path / log).write_text(pool.log(log))
    simulated: list[set[str]] = []
    poll = Defrag.poll

    def noted(self: Defrag, *words: Any) -> Any:
        choice = poll(self, *words)
        simulated.append({name.rpartition("@")[2].partition(".")[0] for name in choice.drained})
        return choice

    monkeypatch.setattr(Defrag, "poll", noted)
    plan = Plan(_POLLS + 1, float(_INTERVAL))
    course = run_course(pool_of(open_snapshot(where), str(where)), plan, run_time("1e9"), Random(0))
    told = f"{seed}: {knobs} {retirement}\nreally    {really}\nsimulated {simulated[:_POLLS]}\n"
    (tmp_path / "defrag.txt").write_text(told + "\n".join(course.unmodelled))
    if distinct:
        assert simulated[:_POLLS] == really, told
    else:
        assert [len(each) for each in simulated[:_POLLS]] == [len(each) for each in really], told
