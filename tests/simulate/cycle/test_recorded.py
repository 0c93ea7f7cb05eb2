"""Cycles that a real negotiator went through: the same matches in the same order, rejections, usage and limits."""

from __future__ import annotations

from pathlib import Path

import pytest

from htcq.simulate.cycle.cycle import run_cycle
from htcq.simulate.cycle.trace import Trace
from tests.pool.negotiations import CYCLES, FAMILIES, expected, whole_pool
from tests.simulate.cycle.agreement import main

every_cycle = pytest.mark.parametrize("path", [*CYCLES, *FAMILIES], ids=lambda path: path.name)


def replayed(path: Path) -> Trace:
    """Go through a recorded cycle; who of equal submitters is first no snapshot tells, and is taken from the record."""
    return run_cycle(whole_pool(path), expected(path)["submitter_order"])


@every_cycle
def test_the_same_jobs_are_matched_with_the_same_slots_in_the_same_order(path: Path) -> None:
    found = [(match.request, match.submitter, match.slot) for match in replayed(path).matches]

    assert found == [
        (each["request"], each["submitter"], each["slot"]) for each in expected(path)["matches"]
    ]


@every_cycle
def test_the_same_claims_are_preempted(path: Path) -> None:
    """The log names the user, and the accounting group where that is another."""
    record = [each.get("preempting", "") for each in expected(path)["matches"]]
    customers = [each.rpartition("AccountingGroup=")[2].rstrip(")") for each in record]

    assert [match.preempts for match in replayed(path).matches] == customers


@every_cycle
def test_the_same_requests_are_rejected_for_the_same_reasons(path: Path) -> None:
    record = [
        (each["request"], each["submitter"], each["reason"])
        for each in expected(path)["rejections"]
    ]

    assert [(each.job, each.submitter, each.reason) for each in replayed(path).rejections] == record


@every_cycle
def test_everybody_is_charged_the_same(path: Path) -> None:
    trace = replayed(path)
    found = {each.name: each.used_after for each in (*trace.groups, *trace.submitters)}
    record = expected(path)["usage_after"]

    assert {name: found[name] for name in record} == pytest.approx(record)
    assert trace.crash is None
    assert trace.unmodelled == ()


@every_cycle
def test_groups_have_the_same_limits(path: Path) -> None:
    """The record has the limit of every turn; the trace that of a group's first one."""
    record: dict[str, float] = {}
    for each in expected(path)["group_limits"]:
        record.setdefault(each["group"], float(each["limit"]))
    found = {group.name: group.limit for group in replayed(path).groups if group.limit is not None}

    assert found == pytest.approx(record, rel=1e-5)


def test_the_table_of_all_cycles_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert main() == 0
    count = len(CYCLES) + len(FAMILIES)
    assert capsys.readouterr().out.endswith(
        f"\n{count} of {count} recorded cycles agree in everything\n"
    )
