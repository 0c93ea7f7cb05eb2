"""Limits that HTCondor 25.14.1 logged: 0.914077 works as 0; hep at 20 of physics' 20 leaves lep 0 of its own 5.

A match is let through if the turn has used nothing and anything is left: on 25.14.1 a group with
a quota of 2 got a slot that weighs 8. So no slot is too expensive for a limit of at least 1, and
only a limit of 0 starves."""

from __future__ import annotations

import pytest

from htcq.audit.rule import Severity
from tests.audit.rules.quota.groups import PHYSICS, groups, machine, uses, wants
from tests.audit.sites import Text, accounting, found, job, look, pool, slot

RULE = "cannot-afford-cheapest-slot"


def test_a_quota_below_1_starves_even_in_an_empty_pool() -> None:
    (finding,) = found(RULE, groups("GROUP_NAMES = a\nGROUP_QUOTA_DYNAMIC_a = 0.009\n", wants("a")))
    assert finding.severity is Severity.ERROR
    assert finding.subject == "group a"
    assert "its quota of 0.9 counts as 0" in finding.message


def test_a_group_without_quota_and_surplus_starves_even_in_an_empty_pool() -> None:
    (finding,) = found(RULE, groups("GROUP_NAMES = a\n", wants("a", idle=3)))
    assert finding.severity is Severity.ERROR
    assert "a has 3 idle jobs, but none can ever be matched" in finding.message


def test_a_group_without_quota_that_accepts_surplus_does_not() -> None:
    config = "GROUP_NAMES = a\nGROUP_ACCEPT_SURPLUS = True\n"
    assert not found(RULE, groups(config, wants("a")))
    assert not found(RULE, groups(config, wants("a"), wants("", idle=500)))


def test_a_sibling_that_took_the_parent_s_quota_starves_the_other_for_now() -> None:
    (finding,) = found(
        RULE,
        groups(
            PHYSICS, wants("physics.hep", 40, 20), *uses("physics.hep", 20), wants("physics.lep")
        ),
    )
    assert finding.severity is Severity.WARNING
    assert finding.subject == "group physics.lep"
    assert (
        "physics, which accepts no surplus, and its child groups use 20 of its 20"
        in finding.message
    )


def test_a_group_that_uses_its_quota_is_not_starved() -> None:
    config = "GROUP_NAMES = a\nGROUP_QUOTA_a = 5\n"
    assert not found(RULE, groups(config, wants("a", 50, 5), *uses("a", 5)))


def test_a_slot_that_costs_more_than_the_quota_is_matched_all_the_same() -> None:
    config = "GROUP_NAMES = a\nGROUP_QUOTA_a = 2\n"
    assert not found(RULE, pool(slot(), wants("a", 8), config=config, jobs=[]))


def test_the_cheapest_match_is_among_the_facts() -> None:
    """The job takes 2 cpus, and the weight is Cpus."""
    config = "GROUP_NAMES = a\nGROUP_QUOTA_DYNAMIC_a = 0.009\n"
    queue = [job(User='"ada@site"', AccountingGroup='"a.ada"', AcctGroup='"a"', RequestCpus=2)]
    (finding,) = found(RULE, groups(config, wants("a"), jobs=queue))
    assert ("match cost", "2 on slot1@big") in [
        (fact.attribute, fact.value) for fact in finding.evidence
    ]


def test_without_jobs_the_cost_is_not_checked_but_the_limit_is() -> None:
    outcome = look(RULE, groups("GROUP_NAMES = a\n", wants("a"), jobs=None))
    assert [finding.subject for finding in outcome.findings] == ["group a"]
    assert [each.missing for each in outcome.not_checked] == ["job ads (jobs.ads)"]


@pytest.mark.parametrize(
    ("ceiling", "used", "severity"),
    [
        (4, 0, Severity.ERROR),
        (12, 8, Severity.WARNING),
        (12, 0, None),
        (8, 8, None),
        (0, 0, None),
        (-1, 0, None),
    ],
)
def test_a_ceiling_that_leaves_less_than_the_lightest_slot_weighs_starves_its_submitter(
    ceiling: int, used: int, severity: Severity | None
) -> None:
    """Slots of 8: what is left is compared with the lightest weight before anything is matched."""
    record = accounting("ada@site", Ceiling=ceiling, WeightedResourcesUsed=f"{used}.0")
    findings = found(
        RULE, pool(slot("slot1@a"), slot("slot1@b"), wants(""), record, config="", jobs=[])
    )
    assert [finding.severity for finding in findings] == [
        severity for severity in [severity] if severity
    ]


def test_a_light_slot_anywhere_lets_such_a_submitter_pass() -> None:
    claimed: dict[str, Text | None] = {"State": '"Unclaimed"', "Cpus": 1}
    given = pool(
        slot(),
        machine(1, "slot1@b", **claimed),
        wants(""),
        accounting("ada@site", Ceiling=4),
        config="",
        jobs=[],
    )
    assert not found(RULE, given)


def test_a_parent_whose_groups_use_what_it_handed_them_is_not_starved() -> None:
    """Physics keeps 20 by oversubscription, but hands all of it on."""
    held = (*uses("physics.hep", 15), *uses("physics.lep", 5))
    assert not found(
        RULE,
        groups(
            PHYSICS,
            wants("physics"),
            wants("physics.hep", 5, 15),
            wants("physics.lep", 5, 5),
            *held,
        ),
    )
