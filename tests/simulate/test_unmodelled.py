"""Which knobs and attributes of a pool a simulation says it does not follow."""

from __future__ import annotations

import re
from functools import cache

import pytest

from htcq.htcondor.defaults import former_defaults
from htcq.htcondor.matching import DAEMONS, knobs_of, not_followed
from htcq.live.configuration import read_dump
from htcq.simulate.unmodelled import unmodelled
from tests.audit.sites import job, pool, schedd, slot


@cache
def defaults() -> dict[str, str]:
    """Return HTCondor's default of each knob."""
    return read_dump("A = 1\n", ["A"])[1]


def told(config: str = "", courses: bool = False, access: str = "", execute: str = "") -> list[str]:
    given = pool(slot(), config=config, access={"access1": access}, execute={"node1": execute})
    return [*unmodelled(given, courses)]


def test_htcondors_own_configuration_is_followed_in_all() -> None:
    """As a snapshot has it: every knob with its value."""
    names = {knob.name for daemon in DAEMONS for knob in knobs_of(daemon)}
    dump = "".join(f"{name} = {value}\n" for name, value in defaults().items() if name in names)

    assert dump.count("\n") > 100
    assert told(dump, courses=True, access=dump, execute=dump) == []


def test_a_pool_without_configuration_has_nothing_to_say() -> None:
    assert [*unmodelled(pool(slot()))] == []


@pytest.mark.parametrize("knob", [knob.name for knob in not_followed("negotiator") if knob.plain])
def test_each_knob_that_is_not_followed_is_named_with_its_effect(knob: str) -> None:
    value = {"true": "False", "false": "True"}.get(defaults().get(knob, "").lower(), "7")
    (sentence,) = told(f"{knob} = {value}\n", courses=True)

    assert re.match(rf"{knob} = {value} is not followed: [a-zA-Z_]", sentence)


def test_a_knob_is_named_with_what_it_does() -> None:
    assert told("NEGOTIATOR_IGNORE_JOB_RANKS = True\n") == [
        "NEGOTIATOR_IGNORE_JOB_RANKS = True is not followed: jobs get slots in the negotiator's "
        "order, whatever their Rank"
    ]


@pytest.mark.parametrize(
    "line",
    [
        "NEGOTIATOR_NUM_THREADS = 1", "NEGOTIATOR_MAX_TIME_PER_CYCLE = 1200", "STARTD_AD_REEVAL_EXPR =",
        "NEGOTIATOR_IGNORE_JOB_RANKS = 0", "USE_RESOURCE_REQUEST_COUNTS = 1", "NEGOTIATOR_JOB_CONSTRAINT = A > 1",
        "FLOCK_TO =", "JOB_START_COUNT = 5",
    ],
)  # fmt: skip
def test_what_is_the_default_in_other_words_or_followed_or_of_courses_is_not_named(
    line: str,
) -> None:
    assert told(f"{line}\n") == []


def test_the_default_of_an_older_version_is_no_value_of_the_site() -> None:
    former = {
        knob.name: [text for text in former_defaults(knob.name) if "$" not in text]
        for knob in not_followed()
    }
    older = {name: texts[:-1] for name, texts in former.items() if len(texts) > 1}
    assert "SYSTEM_STARTD_JOB_ATTRS" in older
    for knob, values in older.items():
        for value in values:
            assert value != defaults()[knob]
            assert told(f"{knob} = {value}\n") == []
            assert len(told(f"{knob} = {value}, Own\n")) == 1


def test_the_negotiators_own_value_comes_first() -> None:
    assert told("NEGOTIATOR.NEGOTIATOR_NUM_THREADS = 1\nNEGOTIATOR_NUM_THREADS = 4\n") == []
    assert len(told("NEGOTIATOR.NEGOTIATOR_NUM_THREADS = 4\nNEGOTIATOR_NUM_THREADS = 1\n")) == 1


def test_a_value_like_that_of_another_knob_is_none_of_its_own() -> None:
    like = "ACCOUNTING_DOMAIN = site\nUID_DOMAIN = site\n"

    assert told(access=like) == []
    (sentence,) = told(access="ACCOUNTING_DOMAIN = lab\nUID_DOMAIN = site\n")
    assert sentence.startswith("ACCOUNTING_DOMAIN = lab of access1 is not followed: submitters ")


def test_what_matters_between_cycles_is_named_in_courses_alone() -> None:
    execute = "MACHINEMAXVACATETIME = 86400\n"

    assert told(execute=execute) == []
    (sentence,) = told(execute=execute, courses=True)
    assert sentence.startswith("MACHINEMAXVACATETIME = 86400 of node1 is not followed: jobs ")


@pytest.mark.parametrize(
    ("requirements", "name"),
    [
        ("TotalSlots < 5", "TotalSlots"),
        ("size(ChildCpus ?: {}) < 2", "childcpus"),
        ("Cpus > 1", ""),
    ],
)
def test_what_a_startd_looks_at_once_more_at_a_claim_is_named_in_courses(
    requirements: str, name: str
) -> None:
    """Seen on 25.14.1 and 23.9.6: a claim is refused that makes a dynamic slot too many."""
    given = pool(slot(Requirements=requirements))

    assert [*unmodelled(given)] == []
    found = [each.partition(" in ")[0].lower() for each in unmodelled(given, courses=True)]
    assert found == ([name.lower()] if name else [])


@pytest.mark.parametrize(("release", "count"), [("23.9.6", 1), ("25.14.1", 0)])
def test_what_an_older_access_point_does_by_chance_is_named_in_courses(
    release: str, count: int
) -> None:
    """Seen on 23.9.6: held after 12 seconds in one course, and not in another one."""
    access = schedd(CondorVersion=f'"$CondorVersion: {release} 2026-01-01 $"')
    jobs = [job(AllowedExecuteDuration="12"), job("2.0")]
    given = pool(slot(), access, jobs=jobs, access={"access1": "SYSTEM_ON_VACATE_COOL_DOWN = 40\n"})

    assert [*unmodelled(given)] == []
    told = [*unmodelled(given, courses=True)]
    for name in ("AllowedExecuteDuration", "SYSTEM_ON_VACATE_COOL_DOWN"):
        assert sum(each.startswith(name) for each in told) == count


def test_a_long_value_is_cut() -> None:
    (sentence,) = told(f"NEGOTIATOR_MATCH_EXPRS = {'A' * 200}\n")

    assert f"= {'A' * 57}... is" in sentence


def test_attributes_of_slots_are_named_where_they_have_an_effect() -> None:
    slots = (
        slot(WantAdRevaluate="true", NegotiatorRequirements="Cpus > 2"),
        slot("slot2@node1", WantAdRevaluate="false"),
        slot("slot3@node1", WantAdRevaluate="true"),
    )

    assert [*unmodelled(pool(*slots))] == [
        "NegotiatorRequirements of slot1@node1 is not followed: the negotiator matches by it in place "
        "of Requirements",
        "WantAdRevaluate of 2 slots, such as slot1@node1, is not followed: the slot stays in the list "
        "after a match, with what is left of it",
    ]


def test_machines_that_drain_are_followed() -> None:
    given = pool(slot(Draining="true"))

    assert [*unmodelled(given)] == []
    assert [*unmodelled(given, courses=True)] == []


def test_what_courses_leave_as_it_was_captured_is_named_with_an_expression_that_looks_at_it() -> (
    None
):
    slots = (
        slot(Requirements="Start", Start="LoadAvg < 0.5 && KeyboardIdle > 900"),
        slot("slot1@node2", CpuIsBusy="LoadAvg > 0.5"),
    )
    jobs = [job("1.0", Requirements="TARGET.CpuIsBusy =!= true"), job("2.0")]
    config = "PREEMPTION_REQUIREMENTS = time() - JobStart > 3600 && TotalJobRunTime > 60\n"
    given = pool(*slots, jobs=jobs, config=config)

    assert [*unmodelled(given)] == []
    assert [*unmodelled(given, courses=True)] == [
        f"{name} is not followed: it stays as it was captured"
        for name in (
            "CpuIsBusy in Requirements of 1.0",
            "JobStart in PREEMPTION_REQUIREMENTS",
            "KeyboardIdle in Requirements of slot1@node1",
            "LoadAvg in Requirements of slot1@node1",
        )
    ]
