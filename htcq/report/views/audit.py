"""An audit: the columns of a finding, metrics, the verdict for monitoring, and compilers' lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple, TextIO

from htcq.audit.engine import Audit, Finding
from htcq.audit.rule import Fact, Severity
from htcq.pool.pool import seconds_of
from htcq.poolquota.ailment import Ailment
from htcq.report.column import Column, names
from htcq.report.formats import csv, nagios
from htcq.report.formats.prometheus import metrics_text
from htcq.report.metric import Metric, Sample
from htcq.report.printable import one_line
from htcq.report.verdict import CRITICAL, OK, UNKNOWN, WARNING, Measure, Verdict, read_range
from htcq.report.views.audit_place import place_text
from htcq.report.views.audit_text import caused_text, failures, summary

SUBJECT = "HTCQ"
_NO_MORE = read_range("0")
_STATES = {Severity.ERROR: CRITICAL, Severity.WARNING: WARNING}


def _fact(fact: Fact) -> str:
    place = ""
    if fact.place:
        place = f" ({fact.place})"
    return f"{fact.attribute} = {fact.value}{place}"


#: Several values in one field stand on lines of their own.
COLUMNS: tuple[Column[Finding], ...] = (
    Column("severity", lambda one: one.severity.word),
    Column("rule", lambda one: one.rule),
    Column("subject", lambda one: one.subject),
    Column("message", lambda one: one.message),
    Column("count", lambda one: one.count),
    Column("examples", lambda one: tuple(one.examples)),
    Column("evidence", lambda one: tuple(_fact(fact) for fact in one.evidence)),
    Column(
        "fix", lambda one: tuple(f"{setting.whose}: {setting.line}" for setting in one.settings)
    ),
    Column("advice", lambda one: tuple(one.advice.split("\n"))),
    Column("fingerprint", lambda one: one.fingerprint),
    Column("caused", lambda one: tuple(caused_text(each) for each in one.caused)),
)


def write_csv(audit: Audit, stream: TextIO) -> None:
    """Write a header, a row for each ailment of the pool's daemons, and one for each finding."""
    ailments = [_of_daemons(ailment, audit.source) for ailment in audit.health]
    findings = [csv.cells(COLUMNS, finding) for finding in audit.findings]
    csv.write_table(names(COLUMNS), [*ailments, *findings], stream)


def _of_daemons(ailment: Ailment, source: str) -> list[csv.Cell]:
    told = {
        "severity": ailment.severity,
        "rule": ailment.id,
        "subject": f"pool {source}",
        "message": ailment.text,
    }
    return [{**told, "count": "1"}.get(name, "") for name in names(COLUMNS)]


def audit_lines(audit: Audit) -> Iterator[str]:
    """Yield ``place-or-subject: severity: message [rule]`` for each finding.

    Ailments of the pool's daemons come first, in the same form. Consequences of a finding are notes
    at its place. Data that could not be read and rules that failed come last.
    """
    for ailment in audit.health:
        yield one_line(f"{audit.source}: {ailment.severity}: {ailment.text} [{ailment.id}]")
    for finding in audit.findings:
        place = place_text(finding) or finding.subject
        more = ""
        if finding.count > 1:
            more = f" ({finding.count} such)"
        yield one_line(
            f"{place}: {finding.severity.word}: {finding.message}{more} [{finding.rule}]"
        )
        for follower in finding.caused:
            yield one_line(f"{place}: note: follows from {finding.rule}: {caused_text(follower)}")
    for gone in audit.gone:
        yield one_line(f"{audit.source}: note: no longer found: {gone}")
    for each in audit.incomplete:
        yield one_line(f"{audit.source}: note: incomplete data: {each}")
    for failure in failures(audit):
        yield one_line(f"{audit.source}: note: {failure}")


class _Made(NamedTuple):
    """An audit and when it was made, in seconds since 1970."""

    audit: Audit
    now: float


def _findings(made: _Made) -> list[Sample]:
    found = Counter({(each.rule, each.severity): 0 for each in made.audit.rules})
    found.update((finding.rule, finding.severity) for finding in made.audit.findings)
    return [
        ({"rule": rule, "severity": severity.word}, count)
        for (rule, severity), count in found.items()
    ]


def _caused(made: _Made) -> list[Sample]:
    caused = Counter[str]()
    for finding in made.audit.findings:
        caused.update(each.rule for each in finding.caused)
    return [({"rule": rule}, count) for rule, count in sorted(caused.items())]


def _ailments(made: _Made) -> list[Sample]:
    ailments = Counter(each.id for each in made.audit.health)
    return [({"ailment": id_}, count) for id_, count in sorted(ailments.items())]


def _taken(made: _Made) -> float | None:
    taken = seconds_of(made.audit.taken)
    if taken is None:
        return None
    return int(taken)


def _missed(audit: Audit) -> int:
    """Return how many rules were not checked at all."""
    return len({each.rule for each in audit.not_checked} - {each.rule for each in audit.rules})


METRICS: tuple[Metric[_Made], ...] = (
    Metric("htcq_findings",
           "Findings of each rule that was checked; a finding is one cause.", _findings),
    Metric("htcq_findings_caused",
           "Findings of each rule that follow from another finding, and are not counted as one.",
           _caused),
    Metric("htcq_findings_known",
           "Findings left out because a former audit has them.", lambda made: made.audit.known),
    Metric("htcq_rules_checked", "Rules that were checked.", lambda made: made.audit.checked),
    Metric("htcq_rules_not_checked",
           "Rules that were not checked for lack of data.", lambda made: _missed(made.audit)),
    Metric("htcq_pool_healthy",
           "1 where nothing is wrong with the pool's daemons.",
           lambda made: int(not made.audit.health)),
    Metric("htcq_pool_ailments",
           "What is wrong with the pool's daemons: how many of each ailment.", _ailments),
    Metric("htcq_pool_unread_parts",
           "Parts of the pool that could not be read.", lambda made: len(made.audit.incomplete)),
    Metric("htcq_audit_timestamp_seconds", "When the audit was made.", lambda made: int(made.now)),
    Metric("htcq_pool_timestamp_seconds", "When the pool was as audited.", _taken),
)  # fmt: skip


def audit_metrics(audit: Audit, now: float) -> str:
    """Return the metrics; ``now`` is when the audit was made, in seconds since 1970."""
    return metrics_text(METRICS, _Made(audit, now), {"pool": audit.pool})


def plugin(audit: Audit) -> tuple[int, str]:
    """Return the state, which is that of the worst finding, and the text to print."""
    errors, warnings, infos = (
        audit.count(each) for each in (Severity.ERROR, Severity.WARNING, Severity.INFO)
    )
    measures = (
        Measure("errors", errors, critical=_NO_MORE, least=0),
        Measure("warnings", warnings, warning=_NO_MORE, least=0),
        Measure("infos", infos, least=0),
        Measure("checked", audit.checked, least=0),
        Measure("not_checked", _missed(audit), least=0),
    )
    lines = nagios.at_most([_plugin_line(each) for each in audit.findings])
    if not audit.checked and not audit.health:
        return UNKNOWN, nagios.said(SUBJECT, UNKNOWN, summary(audit), measures, lines)
    found = _STATES.get(audit.worst() or Severity.INFO, OK)
    return nagios.told(
        Verdict(SUBJECT, found, summary(audit), audit.health, audit.gaps, measures, lines)
    )


def _plugin_line(finding: Finding) -> str:
    rules = dict.fromkeys(each.rule for each in finding.caused)
    caused = ""
    if rules:
        caused = f" (from this follows: {', '.join(rules)})"
    return f"{finding.severity.word}: {finding.rule}: {finding.subject}: {finding.message}{caused}"
