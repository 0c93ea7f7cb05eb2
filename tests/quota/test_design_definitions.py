"""HTCondor's group quota design, its purpose, its terms and a group's fields, and what the negotiator makes of them.

A test whose name or docstring says that the design differs shows what HTCondor 25.14 does instead.
"""

from __future__ import annotations

import pytest

from htcq.audit.evidence import Evidence
from htcq.pool.pool import Pool
from htcq.poolquota.pool_quotas import PoolQuotas
from htcq.quota.group_tree import build_tree
from htcq.quota.settings import Settings
from tests.audit.rules.quota.groups import groups, uses, wants
from tests.audit.sites import Text, accounting, dynamic_slot, pool, slot, static_slot
from tests.quota.cycles import allocated, cycle, limits, quotas_of

ONE = "GROUP_NAMES = a\nGROUP_QUOTA_a = 10\n"
FAMILY = "GROUP_NAMES = a, a.x\nGROUP_QUOTA_a = 10\nGROUP_QUOTA_a.x = 4\n"


def look(given: Pool) -> PoolQuotas:
    return Evidence(given).quotas


def test_a_quota_bounds_what_all_users_of_a_group_use_together() -> None:
    """Purpose: 10 for the jobs of ann and ben, who want 50 each of a pool of 100."""
    quotas = look(groups(ONE, wants("a", 50, user="ann"), wants("a", 50, user="ben")))
    assert quotas.limits == {"a": 10}


def test_the_root_of_the_tree_is_called_none_and_has_whoever_is_in_no_group() -> None:
    """Definitions, the tree: in the configuration and in ads the name has angle brackets."""
    quotas = look(groups(ONE, wants("", 7), wants("a", 3)))
    assert quotas.tree.root.name == "<none>"
    assert (quotas.requested("<none>"), quotas.requested("a")) == (7, 3)


def test_a_group_left_without_a_quota_gets_nothing_with_all_below_it() -> None:
    """Definitions, the tree: every group is expected to be given a quota. What becomes of others it does not say."""
    knobs = "GROUP_NAMES = a b b.x\nGROUP_QUOTA_a = 10\nGROUP_QUOTA_b.x = 5"
    assert quotas_of(cycle(knobs, 30)) == {"<none>": 20, "a": 10, "b": 0, "b.x": 0}


def test_the_root_takes_no_quota() -> None:
    """Definitions, the tree: the root is the one group without; it has what the others leave."""
    assert quotas_of(cycle(f"{ONE}GROUP_QUOTA_<none> = 5", 30)) == {"<none>": 20, "a": 10}


@pytest.mark.parametrize(
    ("weight", "expected"),
    [
        ({}, 16),
        ({"SlotWeight": "Memory / 2048"}, 16),
        ({"SlotWeight": "Memory / 1024"}, 32),
        ({"SlotWeight": "3"}, 6),
    ],
    ids=("cpus", "memory alike", "memory", "constant"),
)
def test_slots_count_by_a_configurable_weight_that_is_their_cpus_by_default(
    weight: dict[str, Text | None], expected: int
) -> None:
    """Definitions, absolute quotas: two machines of 8 cpus and 16384 MB."""
    assert (
        look(pool(slot("slot1@a", **weight), slot("slot1@b", **weight))).supply.pool_weight
        == expected
    )


def test_without_weights_a_slot_counts_one_and_a_partitionable_one_a_cpu_each() -> None:
    """Definitions, absolute quotas: the design knows no partitionable slots: 8 cpus left, a static slot and a claim."""
    given = pool(
        slot(),
        static_slot("slot1@s"),
        dynamic_slot(Cpus=4),
        config="NEGOTIATOR_USE_SLOT_WEIGHTS = False\n",
    )
    assert look(given).supply.pool_weight == 8 + 1 + 1


@pytest.mark.parametrize(
    ("knob", "quota"),
    [
        ("GROUP_QUOTA_a = 0.5", 0.5),
        ("GROUP_QUOTA_a = 1", 1),
        ("GROUP_QUOTA_DYNAMIC_a = 1", 40),
        ("GROUP_QUOTA_DYNAMIC_a = 0.5", 20),
        ("GROUP_QUOTA_DYNAMIC_a = 0", 0),
    ],
)
def test_the_knob_and_not_the_number_tells_a_static_quota_from_a_dynamic_one(
    knob: str, quota: float
) -> None:
    """Definitions, config_quota: the design tells them by being at least 1 or below; HTCondor takes half a slot too."""
    assert quotas_of(cycle(f"GROUP_NAMES = a\n{knob}", 40))["a"] == quota


def test_a_group_has_its_name_its_quota_and_its_kind_and_whether_it_takes_surplus_and_regroups() -> (
    None
):
    """Definitions, the fields set by configuration."""
    knobs = {
        "GROUP_NAMES": "a",
        "GROUP_QUOTA_a": "10",
        "GROUP_ACCEPT_SURPLUS_a": "True",
        "GROUP_AUTOREGROUP_a": "True",
    }
    group = build_tree(knobs)[0]["a"]
    assert (group.name, group.config_quota, group.static) == ("a", 10, True)
    assert (group.accept_surplus, group.autoregroup) == (True, True)


def test_a_group_s_usage_is_weighted_and_its_own_without_that_of_the_groups_below() -> None:
    """Definitions, usage: three claims of 2 cpus below count for the group above only where its limit is enforced."""
    quotas = look(groups(FAMILY, *uses("a.x", 3, cpus=2), wants("a", 50)))
    assert (quotas.usage.get("a", 0), quotas.usage["a.x"]) == (0, 6)
    assert quotas.limits == {"a": 10 - 6}


def test_a_group_has_the_submitters_whose_jobs_name_it() -> None:
    """Definitions, the submitter ads of a group: those of the groups below it are not among them."""
    quotas = look(groups(FAMILY, wants("a"), wants("a", user="ben"), wants("a.x"), wants("")))
    names = {
        group.name: [submitter.name for submitter in quotas.of(group.name)]
        for group in quotas.tree.groups
    }
    assert names == {
        "<none>": ["ada@site"],
        "a": ["a.ada@site", "a.ben@site"],
        "a.x": ["a.x.ada@site"],
    }


def test_priorities_of_users_and_of_groups_change_no_quota_and_no_turn() -> None:
    """Definitions, priority: a group's is read with its usage, and has no part in what follows."""
    jobs = (wants("a", 50), wants("a.x", 50), *uses("a.x", 2))
    plain = look(groups(FAMILY, *jobs))
    urgent = accounting(
        "a.x", IsAccountingGroup="true", WeightedResourcesUsed="2.0", Priority="0.5"
    )
    disliked = accounting("a.ada@site", Priority="1.0e6", PriorityFactor="1000.0")
    assert look(groups(FAMILY, *jobs, urgent, disliked)).computed == plain.computed


def test_configured_assigned_and_allocated_quotas_are_three_numbers() -> None:
    """Terminology: half of the pool, which is 20 of 40, and with surplus 35."""
    knobs = "GROUP_NAMES = a\nGROUP_QUOTA_DYNAMIC_a = 0.5\nGROUP_ACCEPT_SURPLUS = True"
    quotas = cycle(knobs, 40, {"a": 35})
    assert quotas.groups[1].group.config_quota == 0.5
    assert quotas_of(quotas)["a"] == 20
    assert allocated(quotas.rounds[0])["a"] == 35


def test_the_limit_is_a_fourth_number_that_the_design_does_not_have() -> None:
    """Terminology: a group may use its quota though it was allocated less; where nobody takes surplus it does."""
    knobs = "GROUP_NAMES = a\nGROUP_QUOTA_a = 20"
    one = cycle(knobs, 40, {"a": 5}, settings=Settings(max_rounds=1)).rounds[0]
    assert (allocated(one)["a"], limits(one)["a"]) == (5, 20)
