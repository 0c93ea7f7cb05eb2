"""An audit as a monitoring plugin tells it (https://nagios-plugins.org/doc/guidelines.html)."""

from __future__ import annotations

from htcq.audit.engine import Audit
from htcq.audit.rule import Severity
from htcq.report.audit_text import summary
from htcq.report.printable import one_line

OK, WARNING, CRITICAL, UNKNOWN = range(4)
_WORDS = ("OK", "WARNING", "CRITICAL", "UNKNOWN")
#: Most findings that are told; Nagios reads no more than a few KB.
_MOST = 10


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
    data = (
        f"errors={errors};;0;0 warnings={warnings};0;;0 infos={infos};;;0 "
        f"checked={audit.checked};;;0 not_checked={len(missed)};;;0"
    )
    told = [f"{each.severity.word}: {each.rule}: {each.subject}: {each.message}" for each in audit.findings]
    if len(told) > _MOST:
        told = [*told[:_MOST], f"and {len(told) - _MOST} more"]
    first = f"{_said(plugin_status(audit), summary(audit) + partly)} | {data}"
    return "\n".join([first, *(_text(line) for line in told)])


def unknown_output(message: str) -> str:
    """Return the line for a pool that could not be looked at."""
    return _said(UNKNOWN, message)


def _said(status: int, text: str) -> str:
    return f"HTCQ {_WORDS[status]}: {_text(text)}"


def _text(text: str) -> str:
    """Return ``text`` on one line without the bar that begins performance data."""
    return one_line(text).replace("|", "/")
