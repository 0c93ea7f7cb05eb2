"""Measured on 25.14.1: a quota of 2, one slot of 8 cpus, 8 jobs of 1 cpu: one match, at a cost of 8, and all 8 run."""

from __future__ import annotations

from tests.audit.rules.quota.groups import wants
from tests.audit.sites import collector, found, job, policy_slot, pool, schedd, slot

RULE = "slot-exceeds-quota"
TWO = "GROUP_NAMES = a\nGROUP_QUOTA_a = 2\n"


def test_a_slot_that_weighs_more_than_the_quota_is_handed_over_whole() -> None:
    (finding,) = found(
        RULE, pool(slot(), slot("slot1@b", TotalSlotCpus=1, Cpus=1), wants("a", 8), config=TWO)
    )
    assert finding.subject == "group a"
    assert (
        "can give a (limit 2) the whole of slot1@node1, which weighs 8; 1 slot weighs"
        in finding.message
    )


def test_a_slot_with_a_consumption_policy_is_not() -> None:
    assert not found(RULE, pool(policy_slot(), wants("a", 8), config=TWO))


def test_a_group_that_wants_no_more_than_its_quota_does_not_exceed_it() -> None:
    assert not found(RULE, pool(slot(), wants("a", 2), config=TWO))


def test_where_access_points_do_not_fill_slots_one_job_runs_there() -> None:
    config = f"{TWO}CLAIM_PARTITIONABLE_LEFTOVERS = False\n"
    assert not found(
        RULE, pool(slot(), wants("a", 8), schedd("access1"), collector("access1"), config=config)
    )


def test_a_slot_that_no_job_of_the_group_fits_does_not_matter() -> None:
    ada = {"User": '"ada@site"', "AccountingGroup": '"a.ada"', "AcctGroup": '"a"'}
    ads = (slot(), wants("a", 8))
    assert found(RULE, pool(*ads, config=TWO, jobs=[job(**ada)]))
    assert not found(RULE, pool(*ads, config=TWO, jobs=[job(**ada, RequestMemory=99999)]))


def test_quotas_of_a_slot_or_more_are_not() -> None:
    assert not found(
        RULE, pool(slot(), wants("a", 80), config="GROUP_NAMES = a\nGROUP_QUOTA_a = 8\n")
    )


def _three(quotas: str, *groups: str) -> str:
    ads = [slot(f"slot1@node{number}") for number in range(3)]
    (finding,) = found(RULE, pool(*ads, *(wants(name, 10) for name in groups), config=quotas))
    return finding.severity.word


def test_it_is_an_error_where_others_starve_for_it() -> None:
    """Seen on 25.14.1, three slots of 8, quotas 6, 10 and 1.6: 8, 8 and 8 run, and all groups have most of theirs."""
    assert (
        _three("GROUP_NAMES = a, b\nGROUP_QUOTA_a = 6\nGROUP_QUOTA_b = 10\n", "a", "b") == "warning"
    )
    (finding,) = found(RULE, pool(slot(), wants("a", 8), config=TWO))
    assert finding.severity.word == "warning", "the whole pool, and nobody else wants any of it"
    both = "GROUP_NAMES = a, b\nGROUP_QUOTA_a = 2\nGROUP_QUOTA_b = 6\n"
    (finding,) = found(RULE, pool(slot(), wants("a", 8), wants("b", 8), config=both))
    assert finding.severity.word == "error", "the other group has nothing"
    idle = found(RULE, pool(slot(), wants("a", 8), wants("b", 0), config=both))
    assert [each.severity.word for each in idle] == ["warning"]
    large = [slot(f"slot1@node{number}", Cpus=10, TotalSlotCpus=10) for number in range(3)]
    quotas = "GROUP_NAMES = a, b\nGROUP_QUOTA_a = 2\nGROUP_QUOTA_b = 28\n"
    (finding,) = found(RULE, pool(*large, wants("a", 8), wants("b", 60), config=quotas))
    assert finding.severity.word == "warning", "20 of 28 are left"
