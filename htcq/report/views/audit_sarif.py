"""An audit as SARIF 2.1.0, which editors and code scanning read.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html describes every key.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import quote

import htcq
from htcq.audit.engine import Audit, Finding
from htcq.audit.rule import AnyRule, Severity
from htcq.report.fix import settings_json
from htcq.report.printable import one_line
from htcq.report.views.audit_place import place_of
from htcq.report.views.audit_text import caused_text, failures, such, wanting

_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
#: The number grows when fingerprints are made in another way.
_FINGERPRINT = "htcq/v1"


def audit_sarif(audit: Audit, rules: Sequence[AnyRule], directory: str = "") -> dict[str, Any]:
    """Return the audit as one run of a SARIF log.

    ``rules`` are those that were chosen; the log has what is said about those with findings.
    ``directory`` is the place of a finding without a file; empty: it has a logical location alone.
    """
    found = {finding.rule for finding in audit.findings}
    told = [rule for rule in rules if rule.id in found]
    driver = {"name": "htcq", "version": htcq.__version__, "rules": [_rule(each) for each in told]}
    indices = {rule.id: index for index, rule in enumerate(told)}
    run = {
        "tool": {"driver": driver},
        "invocations": [
            {
                "executionSuccessful": not audit.gaps and not audit.failed and audit.checked > 0,
                "toolExecutionNotifications": list(_notifications(audit)),
            }
        ],
        "results": [_result(each, indices, directory) for each in audit.findings],
        "columnKind": "unicodeCodePoints",
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(rule: AnyRule) -> dict[str, Any]:
    return {
        "id": rule.id,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": rule.consequence},
        "help": {"text": rule.advice},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
        "properties": {"tags": [rule.family], "source": rule.source},
    }


def _result(finding: Finding, indices: dict[str, int], directory: str) -> dict[str, Any]:
    lines = [f"{finding.subject}: {finding.message}"]
    if such(finding):
        lines.append(such(finding))
    lines += [f"From this follows: {caused_text(each)}" for each in finding.caused]
    result = {
        "ruleId": finding.rule,
        "level": _LEVELS[finding.severity],
        "message": {"text": "\n".join(one_line(line) for line in lines)},
        "locations": [_location(finding, directory)],
        "partialFingerprints": {_FINGERPRINT: finding.fingerprint},
        "occurrenceCount": finding.count,
        "properties": {"advice": finding.advice, "fix": settings_json(finding.settings)},
    }
    if finding.rule in indices:
        result["ruleIndex"] = indices[finding.rule]
    return result


def _location(finding: Finding, directory: str) -> dict[str, Any]:
    """Return file and line, as far as they are known, and the subject."""
    location: dict[str, Any] = {
        "logicalLocations": [{"fullyQualifiedName": finding.subject, "kind": "resource"}]
    }
    place = place_of(finding)
    if place is not None:
        physical: dict[str, Any] = {"artifactLocation": {"uri": _uri(place.file)}}
        if place.line:
            physical["region"] = {"startLine": place.line}
        location["physicalLocation"] = physical
    elif directory:
        location["physicalLocation"] = {"artifactLocation": {"uri": _uri(directory)}}
    return location


def _uri(file: str) -> str:
    uri = quote(file.encode("utf-8", "surrogateescape"))
    if file.startswith("/"):
        return f"file://{uri}"
    return uri


def _notifications(audit: Audit) -> Iterator[dict[str, Any]]:
    """Yield what is wrong with the pool's daemons, and what was not checked."""
    for ailment in audit.health:
        yield _notification(ailment.severity, ailment.text)
    for failure in failures(audit):
        yield _notification("error", failure)
    for each in (*audit.incomplete, *audit.gaps):
        yield _notification("warning", each)
    for missing, rules in wanting(audit):
        yield _notification("note", f"not checked without {missing}: {', '.join(rules)}")
    for gone in audit.gone:
        yield _notification("note", f"no longer found: {gone}")


def _notification(level: str, text: str) -> dict[str, Any]:
    return {"level": level, "message": {"text": one_line(text)}}
