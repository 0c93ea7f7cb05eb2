"""The manual text of rules."""

from __future__ import annotations

import io

import pytest

from htcq.audit.catalog import all_rules, by_family, rule
from htcq.audit.rule import Rule
from htcq.report.views.rules import rules_json, show_rule, show_rules

by_id = pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.id)


def test_all_rules_are_listed_by_family() -> None:
    stream = io.StringIO()
    show_rules(by_family(), stream)
    listed = [
        line.split()[:2]
        for line in stream.getvalue().splitlines()
        if " " in line and not line.startswith(("R", "-"))
    ]

    assert listed == [[each.id, each.severity.word] for each in all_rules()]


@by_id
def test_a_rule_tells_everything_about_itself(rule: Rule) -> None:
    stream = io.StringIO()
    show_rule(rule, stream)
    shown = " ".join(stream.getvalue().split())

    assert shown.startswith(
        f"{rule.id} ({rule.family}, {rule.severity.word}) {' '.join(rule.summary.split())}"
    )
    for text in (rule.consequence, rule.advice, rule.source, *(need.value for need in rule.needs)):
        assert " ".join(text.split()) in shown


def test_json_has_the_names_of_the_contract() -> None:
    found = rules_json([rule("weight-not-a-number")])

    assert found["schema"] == 1
    prose = {"summary", "consequence", "advice", "source"}
    assert set(found["rules"][0]) == {"id", "family", "severity", "needs", "fix", *prose}
    assert found["rules"][0]["needs"] == ["slot ads (collector.ads)"]
    assert found["rules"][0]["family"] == "consumption"
