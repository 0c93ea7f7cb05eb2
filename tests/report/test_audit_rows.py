"""An audit as CSV and as lines for editors and CI."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace

from htcq.audit.engine import Audit
from htcq.audit.rule import Fact
from htcq.report.column import names
from htcq.report.views.audit import COLUMNS, audit_lines, write_csv
from tests.report.audits import QUOTA, SAMPLE, SCRIPT, SICK

#: What editors and CI systems take for the place, the severity and the text (Vim's %f:%l:%m,
#: GitHub's matchers).
_COMPILER = re.compile(
    r"(?P<file>/[^:]+):(?P<line>\d+): (?P<severity>\w+): (?P<message>.+) \[(?P<rule>[\w-]+)\]"
)


def _read_back(audit: Audit = SAMPLE) -> list[dict[str, str]]:
    stream = io.StringIO()
    write_csv(audit, stream)
    return list(csv.DictReader(io.StringIO(stream.getvalue())))


def test_csv_has_a_header_and_a_row_for_each_finding() -> None:
    rows = _read_back()

    assert list(rows[0]) == names(COLUMNS)
    assert [row["severity"] for row in rows] == ["error", "warning", "info"]


def test_csv_keeps_what_commas_quotes_and_newlines_would_break() -> None:
    row = _read_back()[1]

    assert row["message"] == QUOTA.message
    assert row["fix"] == f"central manager: {QUOTA.settings[0].line}"
    assert row["advice"] == QUOTA.advice
    assert row["evidence"].splitlines() == [
        "GROUP_QUOTA_group_physics.analysis = 120 (/etc/condor/config.d/30-quotas.config:17)",
        (
            "GROUP_NAMES = group_physics, group_chemistry, group_biology "
            "(/etc/condor/config.d/30-quotas.config:3)"
        ),
    ]
    assert _read_back()[0]["examples"].splitlines()[1] == "slot1@node02.example.net"


def test_csv_of_a_sick_pool_begins_with_its_ailments() -> None:
    """No script takes it for a pool with nothing wrong, found or not."""
    for findings in ((), SAMPLE.findings):
        rows = _read_back(replace(SICK, findings=findings))
        first = [
            (row["severity"], row["rule"], row["subject"], row["message"], row["count"])
            for row in rows[:2]
        ]

        assert list(rows[0]) == names(COLUMNS)
        assert first == [
            ("error", "negotiator-late", "pool cm.example.net", SICK.health[0].text, "1"),
            ("warning", "collector-unread", "pool cm.example.net", SICK.health[1].text, "1"),
        ]
        assert [row["rule"] for row in rows[2:]] == [each.rule for each in findings]


def test_lines_of_a_sick_pool_begin_with_its_ailments() -> None:
    assert list(audit_lines(SICK))[:2] == [
        f"cm.example.net: error: {SICK.health[0].text} [negotiator-late]",
        f"cm.example.net: warning: {SICK.health[1].text} [collector-unread]",
    ]


def test_a_line_begins_with_file_and_line_where_they_are_known() -> None:
    found = _COMPILER.fullmatch(list(audit_lines(SAMPLE))[1])

    assert found is not None
    assert found["file"] == "/etc/condor/config.d/30-quotas.config"
    assert (found["line"], found["severity"], found["rule"]) == ("17", "warning", "quota-of-nobody")
    assert found["message"] == QUOTA.message


def test_a_line_begins_with_the_subject_where_there_is_no_place() -> None:
    assert next(audit_lines(SAMPLE)) == (
        "slot slot1@node01.example.net: error: SlotWeight is no number when nothing is left: the "
        "first match there "
        "makes the negotiator crash (412 such) [weight-not-a-number]"
    )


def test_every_finding_is_one_line_whatever_its_names_hold() -> None:
    odd = replace(
        SCRIPT, subject="a\nb\x1b[2J", message="c\r\nd", evidence=(Fact("x", "y", "/etc/a\nb:1"),)
    )

    assert list(audit_lines(replace(SAMPLE, findings=(odd,), incomplete=()))) == [
        "/etc/a b:1: info: c\\x0d d (2 such) [memory-wasted]"
    ]


def test_what_could_only_be_read_in_part_has_a_line() -> None:
    assert list(audit_lines(SAMPLE))[-1] == (
        "cm.example.net: note: incomplete data: jobs of access2.example.net: no answer within 60 s"
    )


def test_what_follows_from_a_root_cause_is_a_column_and_a_note_at_its_place() -> None:
    assert [row["caused"] for row in _read_back()][1] == (
        "users-of-nobody: there is no group group_physics.analysis (3 such)"
    )
    notes = [line for line in audit_lines(SAMPLE) if ": note: follows from" in line]
    assert notes == [
        "/etc/condor/config.d/30-quotas.config:17: note: follows from quota-of-nobody: "
        "users-of-nobody: there is no group group_physics.analysis (3 such)"
    ]
