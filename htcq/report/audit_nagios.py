"""An audit as a monitoring plugin tells it."""

from __future__ import annotations

from htcq.audit.engine import Audit
from htcq.audit.rule import Severity
from htcq.report.audit_text import summary
from htcq.report.nagios import CRITICAL, OK, UNKNOWN, WARNING, Measure, at_most, said
from htcq.report.thresholds import read_range

SUBJECT = "HTCQ"
_NONE = read_range("0")


def plugin_status(audit: Audit) -> int:
    """Return the status: by the worst finding; unknown where no rule could be checked."""
    if not audit.checked:
        return UNKNOWN
    return {Severity.ERROR: CRITICAL, Severity.WARNING: WARNING}.get(audit.worst() or Severity.INFO, OK)


def plugin_output(audit: Audit) -> str:
    """Return the line with its performance data, then a line for each of the worst findings."""
    errors, warnings, infos = (audit.count(each) for each in (Severity.ERROR, Severity.WARNING, Severity.INFO))
    missed = {each.rule for each in audit.not_checked} - {each.rule for each in audit.rules}
    partly = f"; read in part: {audit.incomplete[0]}" if audit.incomplete else ""
    measures = (
        Measure("errors", errors, critical=_NONE, least=0),
        Measure("warnings", warnings, warning=_NONE, least=0),
        Measure("infos", infos, least=0),
        Measure("checked", audit.checked, least=0),
        Measure("not_checked", len(missed), least=0),
    )
    told = [f"{each.severity.word}: {each.rule}: {each.subject}: {each.message}" for each in audit.findings]
    return said(SUBJECT, plugin_status(audit), summary(audit) + partly, measures, at_most(told))


def unknown_output(message: str) -> str:
    """Return the line for a pool that could not be looked at."""
    return said(SUBJECT, UNKNOWN, message)
