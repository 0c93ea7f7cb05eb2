"""An audit for Prometheus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from htcq.audit.engine import Audit
from htcq.poolquota.published import seconds_of
from htcq.report.exposition import gauges, text_of


def audit_metrics(audit: Audit, now: float) -> str:
    """Return the metrics; ``now`` is when the audit was made, in seconds since 1970."""
    return text_of(_lines(audit, now))


def _lines(audit: Audit, now: float) -> Iterator[str]:
    pool = {"pool": audit.pool}

    def gauge(name: str, meaning: str, value: float) -> Iterator[str]:
        return gauges(name, meaning, [(pool, value)])

    found = Counter({(each.rule, each.severity): 0 for each in audit.rules})
    found.update((finding.rule, finding.severity) for finding in audit.findings)
    missed = {each.rule for each in audit.not_checked} - {each.rule for each in audit.rules}
    yield from gauges(
        "htcq_findings",
        "Findings of each rule that was checked; a finding is one cause.",
        [({**pool, "rule": rule, "severity": severity.word}, count) for (rule, severity), count in found.items()],
    )
    caused = Counter(each.rule for finding in audit.findings for each in finding.caused)
    yield from gauges(
        "htcq_findings_caused",
        "Findings of each rule that follow from another finding, and are not counted as one.",
        [({**pool, "rule": rule}, count) for rule, count in sorted(caused.items())],
    )
    yield from gauge("htcq_findings_known", "Findings left out because a former audit has them.", audit.known)
    yield from gauge("htcq_rules_checked", "Rules that were checked.", audit.checked)
    yield from gauge("htcq_rules_not_checked", "Rules that were not checked for lack of data.", len(missed))
    yield from gauge("htcq_pool_healthy", "1 where nothing is wrong with the pool's daemons.", int(not audit.health))
    ailments = sorted(Counter(each.id for each in audit.health).items())
    yield from gauges(
        "htcq_pool_ailments",
        "What is wrong with the pool's daemons: how many of each ailment.",
        [({**pool, "ailment": id_}, count) for id_, count in ailments],
    )
    yield from gauge("htcq_pool_unread_parts", "Parts of the pool that could not be read.", len(audit.incomplete))
    yield from gauge("htcq_audit_timestamp_seconds", "When the audit was made.", int(now))
    taken = seconds_of(audit.taken)
    if taken is not None:
        yield from gauge("htcq_pool_timestamp_seconds", "When the pool was as audited.", int(taken))
