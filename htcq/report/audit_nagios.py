"""An audit as a monitoring plugin tells it."""

from __future__ import annotations

from htcq.audit.engine import Audit, Finding
from htcq.audit.rule import Severity
from htcq.report.audit_text import summary
from htcq.report.formats.nagios import CRITICAL, OK, UNKNOWN, WARNING, Measure, at_most, said, verdict
from htcq.report.formats.thresholds import read_range

SUBJECT = "HTCQ"
_NONE = read_range("0")
_STATES = {Severity.ERROR: CRITICAL, Severity.WARNING: WARNING}


def plugin(audit: Audit) -> tuple[int, str]:
    """Return the state, by the worst finding, and what is printed: a line with its data, and one for each finding."""
    errors, warnings, infos = (audit.count(each) for each in (Severity.ERROR, Severity.WARNING, Severity.INFO))
    missed = {each.rule for each in audit.not_checked} - {each.rule for each in audit.rules}
    measures = (
        Measure("errors", errors, critical=_NONE, least=0),
        Measure("warnings", warnings, warning=_NONE, least=0),
        Measure("infos", infos, least=0),
        Measure("checked", audit.checked, least=0),
        Measure("not_checked", len(missed), least=0),
    )
    told = at_most([_line(each) for each in audit.findings])
    if not audit.checked and not audit.health:
        return UNKNOWN, said(SUBJECT, UNKNOWN, summary(audit), measures, told)
    found = _STATES.get(audit.worst() or Severity.INFO, OK)
    return verdict(SUBJECT, found, summary(audit), audit.health, audit.gaps, measures, told)


def _line(finding: Finding) -> str:
    rules = dict.fromkeys(each.rule for each in finding.caused)
    caused = f" (from this follows: {', '.join(rules)})" if rules else ""
    return f"{finding.severity.word}: {finding.rule}: {finding.subject}: {finding.message}{caused}"
