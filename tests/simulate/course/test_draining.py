"""Machines that drain (ResMgr.cpp, 25.14) and condor_defrag (defrag.cpp): who leaves when, and which machines are chosen.

``tests/golden/real-time`` has condor_defrag of a real pool."""

from __future__ import annotations

import argparse
import re
from dataclasses import replace
from datetime import datetime, timezone
from random import Random

import pytest

from htcq.cli import simulate
from htcq.cli.what_if import read_what_if
from htcq.errors import InputError
from htcq.pool.past import PlannedDrain
from htcq.pool.pool import Pool
from htcq.simulate.course.course import Course, Plan, run_course
from htcq.simulate.course.defrag import Rate, rate_of
from htcq.simulate.course.runtimes import run_time
from htcq.simulate.what_if import WhatIf, changed_pool
from tests.audit.sites import ad, dynamic_slot, negotiator, pool, slot
from tests.simulate.course.test_preempted import asks, of

NOW = 1750000000
DEFRAG = "DAEMON_LIST = MASTER COLLECTOR NEGOTIATOR DEFRAG\nDEFRAG_INTERVAL = 60\n"
#: One at each poll.
RATE = f"{DEFRAG}DEFRAG_DRAINING_MACHINES_PER_HOUR = 60\nDEFRAG_CANCEL_REQUIREMENTS =\n"


def machine(name: str, rank: int = 0, **changes: str | int | float) -> list[str]:
    """Return a machine of eight cpus with one claim of one, whose job has run for ten minutes."""
    whole = slot(f"slot1@{name}", Cpus=7, TotalSlotCpus=8, NumDynamicSlots=1, Order=rank, **changes)
    claim = dynamic_slot(f"slot1_1@{name}", "ben@site", TotalJobRunTime=600, **changes)
    return [whole, claim]


def site(*machines: list[str], config: str = RATE, jobs: list[str] | None = None) -> Pool:
    defrag = ad(MyType='"Defrag"', Name='"DEFRAG@central"', DaemonStartTime=NOW - 30)
    ads = [each for ads in machines for each in ads]
    given = pool(
        *ads, negotiator(), defrag, asks("ada", 1), asks("ben", 0), jobs=jobs or [], config=config
    )
    return replace(given, taken_at=datetime.fromtimestamp(NOW, timezone.utc).isoformat())


def course(given: Pool, cycles: int = 4) -> Course:
    return run_course(given, Plan(cycles, 60.0), run_time("1e9"), Random(1))


def running(found: Course) -> list[int]:
    return [each.running for each in found.samples]


def drained(found: Course) -> list[float]:
    """Return when each claim was lost: condor_defrag polls every minute, 30 seconds after the capture at first."""
    return [each.at for each in found.evictions]


def test_a_machine_is_drained_at_each_poll_in_the_order_of_the_ranks() -> None:
    """A machine that is whole is drained no more."""
    config = f"{RATE}DEFRAG_RANK = MY.Order\n"
    given = site(machine("a", 1), machine("b", 3), machine("c", 2), config=config)
    found = course(given)

    assert drained(found) == [30, 90, 150]
    assert running(found) == [3, 2, 1, 0]


def test_what_draining_costs_is_the_rank_where_nobody_sets_one() -> None:
    """b has two claims, and its jobs have run for longer in all."""
    more = dynamic_slot("slot1_2@b", "ben@site", TotalJobRunTime=600)
    found = course(site([*machine("b"), more], machine("a")), 3)

    assert running(found) == [3, 2, 0]


def test_of_equals_some_are_drawn_and_that_is_said() -> None:
    found = course(site(machine("a"), machine("b"), machine("c")), 2)

    assert [each for each in found.unmodelled if "condor_defrag" in each] == [
        "condor_defrag has 3 machines of one DEFRAG_RANK and drains 1 of them: which is drawn"
    ]


@pytest.mark.parametrize(
    ("knobs", "claims"),
    [
        ("DEFRAG_MAX_WHOLE_MACHINES = 1\n", [2, 1, 1, 1]),
        ("DEFRAG_MAX_WHOLE_MACHINES = 0\n", [2, 2, 2, 2]),
        ("DEFRAG_MAX_CONCURRENT_DRAINING = 0\n", [2, 2, 2, 2]),
        ("DEFRAG_REQUIREMENTS = MY.Order > 1\n", [2, 1, 1, 1]),
        ("DEFRAG_WHOLE_MACHINE_EXPR = MY.Cpus >= 7\n", [2, 2, 2, 2]),
        ("DEFRAG_DRAINING_MACHINES_PER_HOUR = 120\n", [2, 0, 0, 0]),
        ("DEFRAG_DRAINING_MACHINES_PER_HOUR = 0\n", [2, 2, 2, 2]),
        ("DEFRAG_INTERVAL = 0\n", [2, 2, 2, 2]),
        ("DAEMON_LIST = MASTER COLLECTOR NEGOTIATOR\n", [2, 2, 2, 2]),
    ],
)  # fmt: skip
def test_knobs_of_condor_defrag_are_followed(knobs: str, claims: list[int]) -> None:
    assert running(course(site(machine("a", 1), machine("b", 2), config=RATE + knobs))) == claims


def test_rates_are_spread_over_polls_hours_and_days() -> None:
    """Of 10 an hour at polls of ten minutes one at each, and four at the first of an hour."""
    assert rate_of(10.0, 600.0) == Rate(1, 4, 0)
    assert rate_of(0.125, 600.0) == Rate(0, 0, 3)
    hourly = Rate(1, 4, 0)
    assert hourly.at(7190.0, 7200.0, 600.0) == 5
    assert hourly.at(7210.0, 7800.0, 600.0) == 1
    assert hourly.at(5000.0, 9000.0, 600.0) == 4
    assert hourly.at(None, 7200.0, 600.0) == 1


def test_a_drained_machine_takes_large_jobs() -> None:
    jobs = of("ada", 1, 1, RequestCpus=8)
    found = course(site(machine("a"), jobs=jobs), 2)

    assert [(start.job.id, start.at) for start in found.starts] == [("1.0", 60)]


RETIRES = {"MaxJobRetirementTime": 600, "RetirementTimeRemaining": 100}


def test_a_graceful_drain_lets_jobs_stay_for_the_longest_retirement() -> None:
    """A hundred seconds of the capture; a job that starts before the drain has ten minutes, and all stay for that."""
    config = f"{RATE}DEFRAG_MAX_CONCURRENT_DRAINING = 1\n"
    alone = course(site(machine("a", **RETIRES), config=config), 3)
    jobs = of("ada", 1, 3, RequestCpus=5)
    beside = course(site(machine("a", **RETIRES), config=config, jobs=jobs), 12)

    assert drained(alone) == [100]
    assert drained(beside)[:2] == [600, 600]
    assert [start.at for start in beside.starts][:2] == [0, 600]


@pytest.mark.parametrize("schedule", ["quick", "fast"])
def test_other_schedules_do_not_wait_for_retirement(schedule: str) -> None:
    config = f"{RATE}DEFRAG_DRAINING_SCHEDULE = {schedule}\n"

    assert drained(course(site(machine("a", **RETIRES), config=config))) == [30]


def test_a_drain_that_is_cancelled_lets_jobs_stay() -> None:
    """Its claim is whole for CANCEL_REQUIREMENTS at the second poll, before the retirement is over."""
    config = (
        f"{RATE}DEFRAG_CANCEL_REQUIREMENTS = MY.Cpus >= 7\nDEFRAG_MAX_CONCURRENT_DRAINING = 1\n"
    )
    found = course(site(machine("a", **RETIRES), config=config), 3)

    assert drained(found) == []


DRAINS = {"State": '"Drained"', "Draining": "true", "Start": "false", "Requirements": "false"}


@pytest.mark.parametrize(("why", "starts"), [('"Defrag central"', [60]), ('"by root"', [])])
def test_captured_drains_go_on_and_those_of_condor_defrag_end(why: str, starts: list[int]) -> None:
    """Nothing runs there: the slot is as its START has it then."""
    empty = [slot("slot1@a", **DRAINS, DrainReason=why)]
    found = course(site(empty, config="A = 1\n", jobs=of("ada", 1, 1)), 2)

    assert [start.at for start in found.starts] == starts


def test_a_machine_drains_from_one_time_to_another() -> None:
    """Its job leaves at 70 seconds and starts anew in the cycle after 200."""
    jobs = of("ada", 1, 1)
    given = site([slot("slot1@a")], config="A = 1\n", jobs=jobs)
    found = course(changed_pool(given, WhatIf(drain_later=(PlannedDrain("a*", 70.0, 200.0),))), 6)

    assert drained(found) == [70]
    assert [start.at for start in found.starts] == [0, 240]


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--drain", "a@2h"], "--drain MACHINE@FROM without --cycles"),
        (["--drain", "a@soon", "--cycles", "2"], "--drain a@soon: 'soon' is not a number of seconds"),
        (["--drain", "a@2h..1h", "--cycles", "2"], "--drain a@2h..1h: no time from which"),
        (["--drain", "@2h", "--cycles", "2"], "--drain @2h: no time from which"),
    ],
)  # fmt: skip
def test_times_of_a_drain_that_are_none_are_refused(options: list[str], why: str) -> None:
    parser = argparse.ArgumentParser()
    simulate.add_arguments(parser)

    with pytest.raises(InputError, match=re.escape(why)):
        read_what_if(parser.parse_args(options))
