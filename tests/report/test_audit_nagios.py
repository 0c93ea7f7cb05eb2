"""An audit as a monitoring plugin: one line, performance data after a bar, status 0 to 3."""

from __future__ import annotations

from dataclasses import replace

import pytest

from htcq.audit.engine import Audit, NotChecked
from htcq.report.audit_nagios import plugin_output, plugin_status, unknown_output
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
    assert plugin_status(audit) == status
    assert plugin_output(audit).startswith(word)


def test_the_first_line_has_the_summary_and_the_numbers() -> None:
    assert plugin_output(SAMPLE).splitlines()[0] == (
        "HTCQ CRITICAL: 3 findings: 1 error, 1 warning, 1 info; 4 rules checked (1 in part), 2 not for want of "
        "evidence; read in part: jobs of access2.example.net: no answer within 60 s | "
        "errors=1;;0;0 warnings=1;0;;0 infos=1;;;0 checked=4;;;0 not_checked=2;;;0"
    )


def test_a_line_for_each_finding_follows_up_to_ten() -> None:
    many = replace(SAMPLE, findings=tuple(replace(WEIGHT, cause=str(number)) for number in range(13)))
    lines = plugin_output(many).splitlines()

    assert lines[1] == f"error: weight-not-a-number: {WEIGHT.subject}: {WEIGHT.message}"
    assert len(lines) == 12
    assert lines[-1] == "and 3 more"


def test_only_the_performance_data_stand_behind_a_bar() -> None:
    odd = replace(WEIGHT, subject="slot a|b", message="x\ny || z")
    output = plugin_output(replace(SAMPLE, findings=(odd,)))

    assert output.count("|") == 1
    assert output.splitlines()[1:] == ["error: weight-not-a-number: slot a/b: x y // z"]


def test_an_error_of_htcq_is_unknown() -> None:
    assert unknown_output("no answer | from\ncm") == "HTCQ UNKNOWN: no answer / from cm"
