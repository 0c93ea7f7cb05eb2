"""An audit as rows: CSV, and one finding a line for editors and CI, as compilers print them."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from typing import TextIO

from htcq.audit.engine import Audit, Finding
from htcq.audit.rule import Fact
from htcq.report.printable import one_line, printable

COLUMNS = ("severity", "rule", "subject", "message", "count", "examples", "evidence", "fix", "fingerprint")


def write_csv(audit: Audit, stream: TextIO) -> None:
    """Write the findings under a header; several values in one field stand on lines of their own."""
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows([printable(field) for field in _row(finding)] for finding in audit.findings)


def _row(finding: Finding) -> list[str]:
    return [
        finding.severity.word,
        finding.rule,
        finding.subject,
        finding.message,
        str(finding.count),
        "\n".join(finding.examples),
        "\n".join(_fact(fact) for fact in finding.evidence),
        finding.fix,
        finding.fingerprint,
    ]


def _fact(fact: Fact) -> str:
    return f"{fact.attribute} = {fact.value}" + (f" ({fact.place})" if fact.place else "")


def audit_lines(audit: Audit) -> Iterator[str]:
    """Yield ``place-or-subject: severity: message [rule]`` for each finding, and what could not be read."""
    for finding in audit.findings:
        place = next((fact.place for fact in finding.evidence if fact.place), finding.subject)
        more = f" ({finding.count} such)" if finding.count > 1 else ""
        yield one_line(f"{place}: {finding.severity.word}: {finding.message}{more} [{finding.rule}]")
    for each in audit.incomplete:
        yield one_line(f"{audit.source}: note: read in part: {each}")
