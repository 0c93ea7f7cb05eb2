"""An audit as rows: CSV, and one finding a line for editors and CI, as compilers print them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO

from htcq.audit.engine import Audit, Finding
from htcq.audit.rule import Fact
from htcq.poolquota.health import Ailment
from htcq.report.audit_text import caused_text, failures
from htcq.report.formats.csv import Cell, write_table
from htcq.report.printable import one_line

COLUMNS = (
    "severity", "rule", "subject", "message", "count", "examples", "evidence", "fix", "advice", "fingerprint", "caused",
)  # fmt: skip


def write_csv(audit: Audit, stream: TextIO) -> None:
    """Write the findings under a header, and before them what is wrong with the pool's daemons, a row for each.

    Several values in one field stand on lines of their own.
    """
    ailments = [_row_of(ailment, audit.source) for ailment in audit.health]
    findings = [_row(finding) for finding in audit.findings]
    write_table(COLUMNS, [*ailments, *findings], stream)


def _row_of(ailment: Ailment, source: str) -> list[Cell]:
    cells = dict.fromkeys(COLUMNS, "")
    cells["severity"] = ailment.severity
    cells["rule"] = ailment.id
    cells["subject"] = f"pool {source}"
    cells["message"] = ailment.text
    cells["count"] = "1"
    return list(cells.values())


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

    What is wrong with the pool's daemons comes first, in the same form.
    What follows from a finding are notes at its place.
    """
    for ailment in audit.health:
        yield one_line(f"{audit.source}: {ailment.severity}: {ailment.text} [{ailment.id}]")
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
