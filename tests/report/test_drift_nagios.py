"""One look at a pool as a monitoring plugin tells it: what is measured, of whom, and the state."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from htcq.elastic.activity import ON, Activity
from htcq.errors import InputError
from htcq.report.verdict import read_range
from htcq.report.views.drift_check import ELASTIC, METRICS, SUBJECT, WRONG, CheckOptions, check
from tests.report.observations import AGREED, BIO, CHEM, PHYSICS, ROOT, SAMPLE, looked_at

ZERO, ONE = read_range("0"), read_range("1")


def test_groups_that_agree_are_fine() -> None:
    status, printed = check(AGREED, CheckOptions(warning=ZERO))

    assert (status, printed) == (
        0,
        "HTCQ DRIFT OK: cm.example.net: 0 of 2 groups drifted | drifted=0;0;;0;2 starved=0;;;0;2 "
        "over=0;;;0;2 "
        "lending=0;;;0;2 usage=60;;;0;100 waiting=0;;;0",
    )


def test_a_group_that_drifted_is_a_warning_with_all_of_its_differences() -> None:
    status, printed = check(SAMPLE, CheckOptions(warning=ZERO))

    assert status == 1
    assert printed.splitlines() == [
        "HTCQ DRIFT WARNING: cm.example.net: 1 of 5 groups drifted: physics | drifted=1;0;;0;5 "
        "starved=1;;;0;5 "
        "over=1;;;0;5 lending=1;;;0;5 usage=77;;;0;100 waiting=30;;;0",
        (
            "physics: drifted: quota declared 30, but configured 25; quota published 10 where 25 "
            "should be"
        ),
    ]


@pytest.mark.parametrize(
    ("metric", "line"),
    [
        ("starved", "bio: starved: uses 5 of 20 while 30 waits"),
        ("over", "physics: over: uses 12 of 10"),
        ("lending", "geo: lending: uses 0 of 10 and wants no more"),
    ],
)
def test_every_count_names_its_groups(metric: str, line: str) -> None:
    status, printed = check(SAMPLE, CheckOptions(metric, warning=ZERO))

    assert status == 1
    assert printed.splitlines()[1:] == [line]
    assert f" {metric}=1;0;;0;5" in printed


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        (CheckOptions("usage", read_range("77")), 0),
        (CheckOptions("usage", read_range("76.9")), 1),
        (CheckOptions("usage", None, read_range("80:")), 2),
        (CheckOptions("waiting", read_range("~:29"), read_range("~:30")), 1),
        (CheckOptions("usage", read_range("@5"), None, ("bio",)), 1),
        (CheckOptions("drifted", ZERO, ONE), 1),
        (CheckOptions("drifted", ZERO, ZERO), 2),
    ],
)
def test_the_ranges_decide(asked: CheckOptions, status: int) -> None:
    assert check(SAMPLE, asked)[0] == status


@pytest.mark.parametrize(
    ("patterns", "of"), [(("BIO",), 1), (("[bp]*",), 2), (("chem", "geo"), 2), (("*",), 5)]
)
def test_patterns_choose_groups_whatever_their_case(patterns: tuple[str, ...], of: int) -> None:
    assert (
        f" of {of} group{'s' * (of > 1)} drifted"
        in check(SAMPLE, CheckOptions(warning=ZERO, groups=patterns))[1]
    )


def test_a_pattern_that_no_group_has_is_refused() -> None:
    with pytest.raises(InputError, match=r"cm\.example\.net has no group fysics"):
        check(SAMPLE, CheckOptions(warning=ZERO, groups=("fysics",)))


def test_a_pool_without_groups_is_refused() -> None:
    with pytest.raises(InputError, match="no groups"):
        check(looked_at(replace(ROOT, computed=None)), CheckOptions(warning=ZERO))


def test_an_amount_that_is_no_number_is_unknown() -> None:
    status, printed = check(
        looked_at(CHEM, replace(BIO, idle=math.nan)), CheckOptions("waiting", ZERO)
    )

    assert (status, " waiting=U;0" in printed) == (3, True)


def test_more_lines_tell_of_every_state_and_then_of_every_group_and_doubt() -> None:
    once = check(SAMPLE, CheckOptions(warning=ZERO, verbosity=1))[1].splitlines()[1:]
    twice = check(SAMPLE, CheckOptions(warning=ZERO, verbosity=2))[1].splitlines()[1:]

    assert [line.split(": ")[:2] for line in once] == [
        ["bio", "starved"], ["physics", "drifted"], ["physics", "over"], ["geo", "lending"],
    ]  # fmt: skip
    assert set(once) < set(twice)
    assert "chem: quota 20, usage 20, idle demand 0" in twice
    assert twice[-1] == "this collector has 2 negotiators"


def test_only_the_first_of_many_groups_are_told_unless_more_is_asked_for() -> None:
    many = looked_at(*(replace(PHYSICS, name=f"group{number:02}") for number in range(12)))

    assert (
        " 12 of 12 groups drifted: group00, group01, group02, ... | "
        in check(many, CheckOptions(warning=ZERO))[1]
    )
    assert len(check(many, CheckOptions(warning=ZERO))[1].splitlines()) == 12
    assert len(check(many, CheckOptions(warning=ZERO, verbosity=1))[1].splitlines()) == 1 + 24


@pytest.mark.parametrize("metric", METRICS)
def test_the_performance_data_have_every_measure_and_ranges_for_one(metric: str) -> None:
    data = (
        check(SAMPLE, CheckOptions(metric, ZERO, ONE), activity=Activity(ON))[1]
        .splitlines()[0]
        .partition(" | ")[2]
        .split()
    )

    assert [each.partition("=")[0] for each in data] == list(METRICS)
    assert [each.partition("=")[0] for each in data if each.split(";")[1]] == [metric]


def test_without_elastic_quotas_nothing_is_measured_of_them() -> None:
    printed = check(SAMPLE, CheckOptions(warning=ZERO))[1]

    assert [metric for metric in METRICS if f"{metric}=" in printed] == [
        metric for metric in METRICS if metric not in ELASTIC
    ]


def test_what_should_not_be_is_measured() -> None:
    assert set(WRONG) < set(METRICS)


def test_the_line_begins_as_the_command_line_begins_its_own() -> None:
    from htcq.cli.main import _SUBJECTS

    assert _SUBJECTS["drift"] == SUBJECT
