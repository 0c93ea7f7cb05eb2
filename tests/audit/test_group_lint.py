"""Which rules look at declared groups, and what of it a site may decide."""

from __future__ import annotations

from datetime import date

from htcq.audit.catalog import rules_of_pools
from htcq.audit.declared_groups import DeclaredGroups
from htcq.audit.group_lint import checked, linted
from htcq.audit.rule import Input, Severity
from htcq.pool.pool import Pool
from htcq.settings import AuditSettings, RuleSettings
from tests.audit.sites import pool, slot, submitter
from tests.emit.declared import declared, having

SETTINGS = declared(
    a={"quota": 90, "owner": "Anna"}, b={"quota": 20, "owner": "Anna"}, c={"owner": "Anna"}
)
DECLARED = DeclaredGroups(SETTINGS, date(2026, 11, 2))
POOL = pool(
    slot(Cpus=100),
    submitter("ada@site", IdleJobs=3),
    config="GROUP_QUOTA_x = 1\nGROUP_QUOTAS = 5\n",
)
ALONE = having(Pool("test"), SETTINGS)
NOTHING = AuditSettings()


def test_without_a_pool_only_what_the_configuration_alone_can_tell_is_checked() -> None:
    outcome = linted(DECLARED, ALONE, NOTHING, with_pool=False)
    checked_rules = [each.rule for each in outcome.rules]
    needs = {rule.id: rule.needs for rule in rules_of_pools()}

    assert {
        "quota-expired",
        "static-quotas-exceed-parent",
        "unknown-knob",
        "quota-out-of-range",
    } <= set(checked_rules)
    assert all(needs.get(id_, ()) in ((), (Input.CENTRAL,)) for id_ in checked_rules)
    assert len(checked_rules) == len(set(checked_rules))
    assert [(finding.rule, finding.subject) for finding in outcome.findings] == [
        ("group-without-quota", "group c")
    ]


def test_an_order_is_looked_at_where_it_is_declared_or_a_pool_has_one() -> None:
    order = declared({"sort_expression": "NoSuchThing"}, a={"quota": 1, "owner": "Anna"})
    outcome = linted(
        DeclaredGroups(order, DECLARED.today), having(Pool("test"), order), NOTHING, with_pool=False
    )

    assert [finding.rule for finding in outcome.findings] == ["sort-expression-broken"]
    assert {
        each.rule for each in linted(DECLARED, ALONE, NOTHING, with_pool=False).not_checked
    } == set()


def test_with_a_pool_all_rules_of_quotas_are_asked() -> None:
    outcome = linted(DECLARED, having(POOL, SETTINGS), NOTHING, with_pool=True)
    asked = {each.rule for each in outcome.rules} | {each.rule for each in outcome.not_checked}

    assert {rule.id for rule in rules_of_pools() if rule.family == "quota"} <= asked
    assert {"quotas-fill-the-pool", "group-without-quota"} == {
        finding.rule for finding in outcome.findings
    }


def test_a_site_s_opinion_of_a_rule_holds() -> None:
    opinions = {
        "group-without-quota": RuleSettings(severity="info"),
        "quotas-fill-the-pool": RuleSettings(disable=True),
        "dynamic-quotas-exceed-one": RuleSettings(disable=True),
    }
    outcome = linted(
        DECLARED, having(POOL, SETTINGS), AuditSettings(rules=opinions), with_pool=True
    )

    assert [(each.rule, each.severity) for each in outcome.findings] == [
        ("group-without-quota", Severity.INFO)
    ]
    assert "dynamic-quotas-exceed-one" not in {each.rule for each in outcome.rules}


def test_before_groups_are_written_their_promises_are_checked_and_whether_they_fit_the_pool() -> (
    None
):
    alone, known = checked(DECLARED, ALONE), checked(DECLARED, having(POOL, SETTINGS))

    assert {finding.rule for finding in alone.findings} == {"group-without-quota"}
    assert {finding.rule for finding in known.findings} == {
        "group-without-quota",
        "quotas-fill-the-pool",
    }
    assert alone.not_checked == known.not_checked == ()


def test_a_quota_above_the_pool_is_told_before_it_is_written() -> None:
    settings = declared({}, a={"quota": 2000, "owner": "Anna"})
    outcome = checked(DeclaredGroups(settings, DECLARED.today), having(POOL, settings))

    assert ("quota-exceeds-pool", "group a") in {
        (finding.rule, finding.subject) for finding in outcome.findings
    }
