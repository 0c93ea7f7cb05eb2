"""An audit as JSON, and what a former one says was known."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from htcq.audit.engine import Audit, Finding
from htcq.errors import InputError
from htcq.poolquota.health import health_json
from htcq.report.fix import settings_json

SCHEMA = 1
_HOW = "'htcq audit --json' makes one"


def audit_json(audit: Audit) -> dict[str, Any]:
    """Return the audit as htcq-audit(1) describes it."""
    return {
        "schema": SCHEMA,
        "source": audit.source,
        "taken": audit.taken,
        "health": health_json(audit.health),
        "findings": [_finding_json(finding) for finding in audit.findings],
        "known": audit.known,
        "gone": list(audit.gone),
        "not_checked": [
            {"rule": each.rule, "missing": each.missing}
            for each in audit.not_checked
            if not each.failed
        ],
        "failed": [{"rule": each.rule, "error": each.missing} for each in audit.failed],
        "checked": audit.checked,
        "incomplete": list(audit.incomplete),
        "gaps": list(audit.gaps),
    }


def _finding_json(finding: Finding) -> dict[str, Any]:
    return {
        "rule": finding.rule,
        "severity": finding.severity.word,
        "subject": finding.subject,
        "message": finding.message,
        "evidence": [vars(fact) for fact in finding.evidence],
        "fix": settings_json(finding.settings),
        "advice": finding.advice,
        "count": finding.count,
        "examples": list(finding.examples),
        "fingerprint": finding.fingerprint,
        "harm": {
            "shut": finding.harm.shut,
            "starved": list(finding.harm.starved),
            "overrun": list(finding.harm.overrun),
            "jobs": finding.harm.jobs,
        },
        "caused": [_caused_json(each) for each in finding.caused],
    }


def _caused_json(finding: Finding) -> dict[str, Any]:
    """Return what follows from a finding; its fix is that of the root cause."""
    return {
        "rule": finding.rule,
        "severity": finding.severity.word,
        "subject": finding.subject,
        "message": finding.message,
        "count": finding.count,
        "fingerprint": finding.fingerprint,
    }


def baseline_json(audit: Audit, kept: Iterable[str] = ()) -> dict[str, Any]:
    """Return the fingerprints of all findings, sorted: the same pool gives the same text.

    ``kept`` are fingerprints of a former baseline whose rules were not checked this time.
    """
    found = frozenset(kept).union(*(finding.fingerprints for finding in audit.findings))
    return {"schema": SCHEMA, "findings": [{"fingerprint": each} for each in sorted(found)]}


def fingerprints(text: str, name: str) -> frozenset[str]:
    """Return the fingerprints of the findings in ``text``, a former audit called ``name``.

    Those of their consequences are among them.

    Raises:
        InputError: it is no audit.
    """
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{name} is not JSON: {error}", _HOW) from error
    if not isinstance(content, dict) or not isinstance(content.get("findings"), list):
        raise InputError(f"{name} is no audit: it has no findings", _HOW)
    if content.get("schema") != SCHEMA:
        raise InputError(
            f"{name} is an audit of schema {content.get('schema')!r}, not {SCHEMA}", _HOW
        )
    found = list(_fingerprints(content["findings"]))
    if not all(isinstance(each, str) for each in found):
        raise InputError(f"{name} is no audit: a finding has no fingerprint", _HOW)
    return frozenset(map(str, found))


def _fingerprints(findings: list[Any]) -> Iterator[object]:
    """Yield the fingerprints of findings and of their consequences; None for what is no finding."""
    for finding in findings:
        if not isinstance(finding, dict):
            yield None
            continue
        yield finding.get("fingerprint")
        caused = finding.get("caused", [])
        if not isinstance(caused, list):
            yield None
            continue
        for each in caused:
            yield each.get("fingerprint") if isinstance(each, dict) else None
