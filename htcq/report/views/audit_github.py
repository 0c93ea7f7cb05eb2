"""An audit as annotations of a GitHub workflow: ``::error file=F,line=7,title=RULE::message``.

GitHub reads them from the log of a step. Signs that would end a property or a message are written
as %25, %0D, %0A, %3A and %2C (actions/toolkit, packages/core/src/command.ts).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from htcq.audit.engine import Audit, Finding
from htcq.audit.rule import Severity
from htcq.report.printable import one_line
from htcq.report.views.audit_place import place_of
from htcq.report.views.audit_text import caused_text, failures, such, summary, wanting

_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}
_IN_MESSAGE = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_IN_PROPERTY = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"})


def workflow_lines(audit: Audit) -> Iterator[str]:
    """Yield an annotation for each ailment, finding and gap, and last the summary as plain text.

    GitHub shows the first ten of a level, so the worst findings come first.
    """
    for ailment in audit.health:
        yield _annotation(ailment.severity, ailment.text, {"title": ailment.id})
    for finding in audit.findings:
        yield _of_finding(finding)
    for gone in audit.gone:
        yield _annotation("notice", gone, {"title": "no longer found"})
    for failure in failures(audit):
        yield _annotation("warning", failure, {"title": "rule failed"})
    for each in audit.incomplete:
        yield _annotation("warning", each, {"title": "incomplete data"})
    for missing, rules in wanting(audit):
        text = f"without {missing}: {', '.join(rules)}"
        yield _annotation("notice", text, {"title": "not checked"})
    yield one_line(summary(audit))


def _of_finding(finding: Finding) -> str:
    properties = {}
    place = place_of(finding)
    if place is not None:
        properties["file"] = place.file
        if place.line:
            properties["line"] = str(place.line)
    properties["title"] = finding.rule
    lines = [f"{finding.subject}: {finding.message}"]
    if such(finding):
        lines.append(such(finding))
    lines += [f"From this follows: {caused_text(each)}" for each in finding.caused]
    text = "\n".join(one_line(line) for line in lines)
    return _annotation(_LEVELS[finding.severity], text, properties)


def _annotation(level: str, text: str, properties: Mapping[str, str]) -> str:
    told = ",".join(
        f"{name}={one_line(value).translate(_IN_PROPERTY)}" for name, value in properties.items()
    )
    return f"::{level} {told}::{text.translate(_IN_MESSAGE)}"
