"""An audit as metrics."""

from __future__ import annotations

from dataclasses import replace

import pytest

from htcq.audit.rule import Severity
from htcq.poolquota.ailment import Ailment
from htcq.report.views.audit import audit_metrics
from tests.report.audits import NOTHING, WEIGHT
from tests.report.audits import SAMPLE as PLAIN

NOW = 1_793_607_300.5
SAMPLE = replace(PLAIN, pool="cm")


def _values(text: str) -> dict[str, str]:
    return dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))


def test_every_checked_rule_has_its_count() -> None:
    values = _values(audit_metrics(SAMPLE, NOW))

    assert values['htcq_findings{pool="cm",rule="weight-not-a-number",severity="error"}'] == "1"
    assert values['htcq_findings{pool="cm",rule="quota-of-nobody",severity="warning"}'] == "1"
    assert values['htcq_findings{pool="cm",rule="quiet-rule",severity="error"}'] == "0"


def test_a_finding_of_another_severity_than_its_rule_is_counted_under_it() -> None:
    milder = replace(
        SAMPLE, findings=(WEIGHT, replace(WEIGHT, severity=Severity.INFO, cause="another"))
    )
    values = _values(audit_metrics(milder, NOW))

    assert values['htcq_findings{pool="cm",rule="weight-not-a-number",severity="error"}'] == "1"
    assert values['htcq_findings{pool="cm",rule="weight-not-a-number",severity="info"}'] == "1"


def test_the_rest_is_counted() -> None:
    values = _values(audit_metrics(replace(SAMPLE, known=7), NOW))

    assert values['htcq_findings_known{pool="cm"}'] == "7"
    assert values['htcq_rules_checked{pool="cm"}'] == "4"
    assert values['htcq_rules_not_checked{pool="cm"}'] == "2"
    assert values['htcq_pool_unread_parts{pool="cm"}'] == "1"


def test_times_are_seconds_since_1970() -> None:
    values = _values(audit_metrics(SAMPLE, NOW))

    assert values['htcq_audit_timestamp_seconds{pool="cm"}'] == "1793607300"
    assert (
        values['htcq_pool_timestamp_seconds{pool="cm"}'] == "1793607300"
    )  # date -d 2026-11-02T08:15:00Z +%s


@pytest.mark.parametrize("taken", ["", "yesterday", "2026-11-02T08:15:00"])
def test_a_pool_of_unknown_time_has_none(taken: str) -> None:
    assert "htcq_pool_timestamp_seconds" not in audit_metrics(replace(NOTHING, taken=taken), NOW)


def test_what_follows_from_a_root_cause_is_counted_apart() -> None:
    values = _values(audit_metrics(SAMPLE, NOW))

    assert values['htcq_findings_caused{pool="cm",rule="users-of-nobody"}'] == "1"
    assert not [
        name for name in values if name.startswith('htcq_findings{pool="cm",rule="users-of-nobody"')
    ]


def test_the_health_of_the_pool_is_told() -> None:
    ill = replace(SAMPLE, health=(Ailment("negotiator-late", "the last cycle was 900 s ago"),))

    assert (
        _values(audit_metrics(replace(SAMPLE, health=()), NOW))['htcq_pool_healthy{pool="cm"}']
        == "1"
    )
    values = _values(audit_metrics(ill, NOW))
    assert (
        values['htcq_pool_healthy{pool="cm"}'],
        values['htcq_pool_ailments{pool="cm",ailment="negotiator-late"}'],
    ) == ("0", "1")
