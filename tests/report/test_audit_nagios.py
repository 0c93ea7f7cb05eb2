"""An audit as a monitoring plugin: one line, performance data after a bar, status 0 to 3."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from htcq.audit.engine import Audit, NotChecked
from htcq.poolquota.ailment import Ailment
from htcq.report.views.audit import plugin
from tests.report.audits import NOTHING, QUOTA, SAMPLE, SCRIPT, WEIGHT


@pytest.mark.parametrize(
    ("audit", "status", "word"),
    [
        (SAMPLE, 2, "HTCQ CRITICAL: "),
        (replace(SAMPLE, findings=(QUOTA, SCRIPT)), 1, "HTCQ WARNING: "),
        (replace(SAMPLE, findings=(SCRIPT,)), 0, "HTCQ OK: "),
        (NOTHING, 0, "HTCQ OK: "),
        (Audit((), (NotChecked("a", "job ads"),)), 3, "HTCQ UNKNOWN: "),
    ],
)
def test_the_worst_finding_decides(audit: Audit, status: int, word: str) -> None:
    state, printed = plugin(audit)

    assert state == status
    assert printed.startswith(word)


def test_the_first_line_has_the_summary_and_the_numbers() -> None:
    assert plugin(SAMPLE)[1].splitlines()[0] == (
        "HTCQ CRITICAL: 3 findings: 1 error, 1 warning, 1 info; 4 rules checked (1 on incomplete "
        "data), "
        "2 checks skipped: no data | "
        "errors=1;;0;0 warnings=1;0;;0 infos=1;;;0 checked=4;;;0 not_checked=2;;;0"
    )


def test_a_line_for_each_finding_follows_up_to_ten() -> None:
    many = replace(
        SAMPLE, findings=tuple(replace(WEIGHT, cause=str(number)) for number in range(13))
    )
    lines = plugin(many)[1].splitlines()

    assert lines[1] == f"error: weight-not-a-number: {WEIGHT.subject}: {WEIGHT.message}"
    assert len(lines) == 12
    assert lines[-1] == "and 3 more"


def test_only_the_performance_data_stand_behind_a_bar() -> None:
    odd = replace(WEIGHT, subject="slot a|b", message="x\ny || z")
    output = plugin(replace(SAMPLE, findings=(odd,)))[1]

    assert output.count("|") == 1
    assert output.splitlines()[1:] == ["error: weight-not-a-number: slot a/b: x y // z"]


LATE = Ailment(
    "negotiator-late", "the negotiator cm is late: no cycle for 141 s, NEGOTIATOR_INTERVAL is 2 s"
)
UNREAD = Ailment("collector-unread", "the ads of the collector are not known", certain=False)


@pytest.mark.parametrize(
    "audit", [NOTHING, replace(SAMPLE, findings=(QUOTA,)), replace(NOTHING, rules=())]
)
def test_a_pool_that_is_not_healthy_is_critical_and_says_so_first(audit: Audit) -> None:
    state, printed = plugin(replace(audit, health=(LATE,)))

    assert state == 2
    assert printed.startswith(f"HTCQ CRITICAL: {LATE.text}; ")
    assert f"negotiator-late: {LATE.text}" in printed.splitlines()


@pytest.mark.parametrize(
    "lacking", [{"gaps": ("12 rules not checked without config.txt",)}, {"health": (UNREAD,)}]
)
def test_what_could_not_be_looked_at_is_unknown_and_hides_no_finding(
    lacking: dict[str, Any],
) -> None:
    states = [
        plugin(replace(audit, **lacking))[0]
        for audit in (NOTHING, replace(SAMPLE, findings=(QUOTA,)), SAMPLE)
    ]

    assert states == [3, 1, 2]
    assert (
        "12 rules not checked" in plugin(replace(NOTHING, **lacking))[1]
        or "not known" in plugin(replace(NOTHING, **lacking))[1]
    )
