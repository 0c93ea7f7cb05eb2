"""An audit as rows: CSV, and one finding a line for editors and CI, as compilers print them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO

from htcq.audit.engine import Audit, Finding
from htcq.audit.rule import Fact
from htcq.report.audit_text import caused_text, failures
from htcq.report.csv_table import Cell, write_table
from htcq.report.printable import one_line

COLUMNS = (
    "severity", "rule", "subject", "message", "count", "examples", "evidence", "fix", "advice", "fingerprint", "caused",
)  # fmt: skip


def write_csv(audit: Audit, stream: TextIO) -> None:
    """Write the findings under a header; several values in one field stand on lines of their own."""
    write_table(COLUMNS, (_row(finding) for finding in audit.findings), stream)


def _row(finding: Finding) -> list[Cell]:
    return [
        finding.severity.word,
        finding.rule,
        finding.subject,
        finding.message,
        str(finding.count),
        tuple(finding.examples),
        tuple(_fact(fact) for fact in finding.evidence),
        tuple(f"{setting.whose}: {setting.line}" for setting in finding.settings),
        tuple(finding.advice.split("\n")),
        finding.fingerprint,
        tuple(caused_text(each) for each in finding.caused),
    ]


def _fact(fact: Fact) -> str:
    return f"{fact.attribute} = {fact.value}" + (f" ({fact.place})" if fact.place else "")


def audit_lines(audit: Audit) -> Iterator[str]:
    """Yield ``place-or-subject: severity: message [rule]`` for each finding, and what could not be read.

    What follows from a finding are notes at its place.
    """
    for finding in audit.findings:
        place = next((fact.place for fact in finding.evidence if fact.place), finding.subject)
        more = f" ({finding.count} such)" if finding.count > 1 else ""
        yield one_line(f"{place}: {finding.severity.word}: {finding.message}{more} [{finding.rule}]")
        for follower in finding.caused:
            yield one_line(f"{place}: note: follows from {finding.rule}: {caused_text(follower)}")
    for each in audit.incomplete:
        yield one_line(f"{audit.source}: note: incomplete data: {each}")
    for failure in failures(audit):
        yield one_line(f"{audit.source}: note: {failure}")
