"""Which rules are checked: the command line and the site file."""

from __future__ import annotations

import pytest

from htcq.audit.catalog import rules_of_pools
from htcq.audit.engine import Verdict
from htcq.audit.rule import Severity
from htcq.audit.site import chosen_rules, threshold, verdicts
from htcq.errors import InputError
from htcq.settings import AuditSettings, RuleSettings

ALL = [rule.id for rule in rules_of_pools()]
ONE = "weight-not-a-number"
NOTHING = AuditSettings()


def _chosen(only: list[str], ignored: list[str], site: AuditSettings = NOTHING) -> list[str]:
    return [rule.id for rule in chosen_rules(only, ignored, site)]


def test_all_rules_are_checked_unless_told_otherwise() -> None:
    assert _chosen([], []) == ALL


def test_rules_are_named_by_id_or_pattern() -> None:
    assert _chosen([ONE], []) == [ONE]
    assert _chosen(["weight-*"], []) == [id_ for id_ in ALL if id_.startswith("weight-")]
    assert ONE not in _chosen([], ["*-not-a-number"])
    assert _chosen(["*"], ["[!w]*", "weight-[!n]*"])[0] == ONE


def test_the_site_disables_a_rule_unless_the_command_line_asks_for_it() -> None:
    site = AuditSettings(rules={ONE: RuleSettings(disable=True)})

    assert _chosen([], [], site) == [id_ for id_ in ALL if id_ != ONE]
    assert _chosen([ONE], [], site) == [ONE]


@pytest.mark.parametrize("named", ["wieght-not-a-number", "weight-not-a-numbr"])
def test_an_unknown_rule_is_refused_with_the_near_one(named: str) -> None:
    for only, ignored in (([named], []), ([], [named])):
        with pytest.raises(InputError) as refused:
            chosen_rules(only, ignored, NOTHING)
        assert str(refused.value) == f"there is no rule '{named}'"
        assert refused.value.hint == f"did you mean {ONE}?"


@pytest.mark.parametrize(
    ("only", "ignored", "said"),
    [
        (["zzz*"], [], "no rule matches 'zzz*'"),
        ([], ["[z]zz"], "no rule matches '[z]zz'"),
        ([""], [], "there is no rule ''"),
        ([ONE], ["*"], "no rule is left to check"),
    ],
)
def test_what_names_no_rule_is_refused(only: list[str], ignored: list[str], said: str) -> None:
    with pytest.raises(InputError) as refused:
        chosen_rules(only, ignored, NOTHING)

    assert str(refused.value) == said
    assert refused.value.hint


def test_what_the_site_says_of_a_rule() -> None:
    site = AuditSettings(
        rules={ONE: RuleSettings(severity="info", only=("slot *@gpu*",), ignore=("*9",))}
    )

    assert verdicts(site) == {ONE: Verdict(Severity.INFO, ("slot *@gpu*",), ("*9",))}


@pytest.mark.parametrize(
    ("name", "given", "said", "hint"),
    [
        (
            "weigth-not-a-number",
            RuleSettings(),
            "audit.rules.weigth-not-a-number: there is no rule",
            ONE,
        ),
        (
            "zzz",
            RuleSettings(),
            "htcq.toml: audit.rules.zzz: there is no rule 'zzz'",
            "htcq explain",
        ),
        (
            ONE,
            RuleSettings(severity="fatal"),
            "severity is 'fatal'",
            "it must be error, warning or info",
        ),
        (
            ONE,
            RuleSettings(severity="never"),
            "severity is 'never'",
            "it must be error, warning or info",
        ),
    ],
)
def test_what_the_site_says_of_nothing_is_refused(
    name: str, given: RuleSettings, said: str, hint: str
) -> None:
    with pytest.raises(InputError) as refused:
        verdicts(AuditSettings(rules={name: given}))

    assert said in str(refused.value)
    assert hint in refused.value.hint


def test_the_threshold_is_a_severity_or_none() -> None:
    assert [threshold(word, "") for word in ("error", "warning", "info", "never")] == [
        Severity.ERROR,
        Severity.WARNING,
        Severity.INFO,
        None,
    ]
    with pytest.raises(InputError) as refused:
        threshold("fatal", "--fail-on")
    assert str(refused.value) == "--fail-on is 'fatal'"
    assert refused.value.hint == "it must be error, warning, info or never"


def test_a_rule_that_no_pool_can_break_is_lint_s() -> None:
    with pytest.raises(InputError, match="no pool can break the rule 'quota-expired'"):
        _chosen(["quota-expired"], [])
    assert verdicts(AuditSettings(rules={"quota-expired": RuleSettings(severity="error")}))
