"""An audit for Prometheus, in the text form that the textfile collector of node_exporter reads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime

from htcq.audit.engine import Audit


def audit_metrics(audit: Audit, now: float) -> str:
    """Return the metrics; ``now`` is when the audit was made, in seconds since 1970."""
    return "".join(f"{line}\n" for line in _lines(audit, now))


def _lines(audit: Audit, now: float) -> Iterator[str]:
    found = Counter({(each.rule, each.severity): 0 for each in audit.rules})
    found.update((finding.rule, finding.severity) for finding in audit.findings)
    missed = {each.rule for each in audit.not_checked} - {each.rule for each in audit.rules}
    yield from _head("htcq_findings", "Findings of each rule that was checked; a finding is one cause.")
    for (rule, severity), count in found.items():
        yield f'htcq_findings{{rule="{rule}",severity="{severity.word}"}} {count}'
    yield from _gauge("htcq_findings_known", "Findings left out because a former audit has them.", audit.known)
    yield from _gauge("htcq_rules_checked", "Rules that were checked.", audit.checked)
    yield from _gauge("htcq_rules_not_checked", "Rules that were not checked for want of evidence.", len(missed))
    yield from _gauge("htcq_pool_unread_parts", "Parts of the pool that could not be read.", len(audit.incomplete))
    yield from _gauge("htcq_audit_timestamp_seconds", "When the audit was made.", f"{now:.0f}")
    taken = _seconds(audit.taken)
    if taken is not None:
        yield from _gauge("htcq_pool_timestamp_seconds", "When the pool was as audited.", f"{taken:.0f}")


def _gauge(name: str, meaning: str, value: int | str) -> Iterator[str]:
    yield from _head(name, meaning)
    yield f"{name} {value}"


def _head(name: str, meaning: str) -> Iterator[str]:
    yield f"# HELP {name} {meaning}"
    yield f"# TYPE {name} gauge"


def _seconds(taken: str) -> float | None:
    """Return the time of a snapshot in seconds; None where its text is no time with a zone."""
    try:
        time = datetime.fromisoformat(taken)
    except ValueError:
        return None
    return time.timestamp() if time.tzinfo else None
