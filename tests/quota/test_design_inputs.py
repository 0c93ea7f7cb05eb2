"""HTCondor's group quota design, what the algorithm starts from, and what the negotiator takes.

A test whose name or docstring says that the design differs shows what HTCondor 25.14 does instead.
"""

from __future__ import annotations

import pytest

from htcq.audit.evidence import Evidence
from htcq.poolquota.pool_quotas import PoolQuotas
from htcq.quota.cycle_quotas import GroupQuota
from htcq.quota.group_tree import Group
from htcq.quota.settings import Settings
from tests.audit.rules.quota.groups import groups, uses, wants
from tests.audit.sites import accounting
from tests.quota.cycles import allocated, cycle, quotas_of

CONFIG = """
GROUP_NAMES = a, a.x, b
GROUP_QUOTA_a = 10
GROUP_QUOTA_DYNAMIC_a.x = 0.5
GROUP_QUOTA_b = 20
GROUP_ACCEPT_SURPLUS_b = True
GROUP_AUTOREGROUP_a.x = True
"""
QUIET = CONFIG.replace("GROUP_AUTOREGROUP_a.x = True\n", "")


def look(*ads: str, config: str = QUIET) -> PoolQuotas:
    return Evidence(groups(config, *ads)).quotas


def test_each_group_starts_with_its_place_its_quota_its_usage_and_its_demand() -> None:
    """Algorithm, the data structure: of 100, b has 20 of its own, uses 2 and asks for 50 and those 2."""
    quota = look(wants("b", 50, 2), *uses("b", 2)).quota("b")
    assert quota == GroupQuota(
        Group(
            "b", "<none>", 20, static=True, accept_surplus=True, autoregroup=False, configured=True
        ),
        quota=20,
        subtree_quota=20,
        requested=52,
        usage=2,
    )


def test_usage_is_what_the_accountant_knows_and_weighted() -> None:
    """Algorithm, usage: two claims of 4 cpus; the accountant's own record goes before what its slots say."""
    held = uses("b", 2, cpus=4)
    assert look(*held).usage == {"b": 8}
    assert look(
        *held, accounting("b", IsAccountingGroup="true", WeightedResourcesUsed="6.0")
    ).usage == {"b": 6}


def test_running_and_idle_jobs_of_all_submitters_are_added_up_in_their_group() -> None:
    """Algorithm, demand: 5 + 3 of ann and 7 of ben; of the group below nothing."""
    quotas = look(wants("a", 5, 3, user="ann"), wants("a", 7, user="ben"), wants("a.x", 100))
    assert (quotas.requested("a"), quotas.requested("a.x")) == (15, 100)


def test_a_submitter_counts_once_for_each_of_its_access_points() -> None:
    """Algorithm, demand: the sum is over submitter ads."""
    two = (wants("b", 5, ScheddName='"one"'), wants("b", 7, ScheddName='"two"'))
    assert look(*two).requested("b") == 12


@pytest.mark.parametrize(("weighted", "requested"), [("True", 24), ("False", 9)])
def test_demand_is_what_jobs_weigh_where_the_design_counts_them(
    weighted: str, requested: float
) -> None:
    """Algorithm, demand: six idle jobs weigh 14, three running ones 10."""
    jobs = wants("b", 6, 3, WeightedIdleJobs=14, WeightedRunningJobs="10.0")
    config = f"{QUIET}NEGOTIATOR_USE_WEIGHTED_DEMAND = {weighted}\n"
    assert look(jobs, config=config).requested("b") == requested


def test_jobs_that_run_in_other_pools_do_not_count() -> None:
    """Algorithm, demand: by the design those of flocked-to pools do. A schedd (25.14) tells each pool of the jobs that
    run there as RunningJobs and of the others as FlockedJobs, which the negotiator does not read.
    """
    assert look(wants("b", 5, 3, FlockedJobs=40)).requested("b") == 8


def test_a_submitter_without_jobs_is_none() -> None:
    """Algorithm, the submitter ads of a group."""
    quotas = look(wants("b", 0, 0), wants("b", 4, user="ben"))
    assert [submitter.name for submitter in quotas.of("b")] == ["b.ben@site"]


def test_a_group_that_regroups_has_a_second_turn_with_the_root_and_adds_nothing_to_its_demand() -> (
    None
):
    """Algorithm, autoregroup: submitters of a.x are in the root's list as well, those of b are not."""
    knobs = f"{CONFIG}GROUP_ACCEPT_SURPLUS_b = False"
    regrouping = cycle(knobs, 100, {"a.x": 50}).rounds[0]
    other = cycle(knobs, 100, {"b": 50}).rounds[0]
    assert [limit.group for limit in regrouping.limits] == ["a.x", "<none>"]
    assert [limit.group for limit in other.limits] == ["b"]
    assert cycle(knobs, 100, {"a.x": 50}).groups[0].requested == 0


def test_where_one_group_regroups_the_root_is_allocated_the_whole_pool() -> None:
    """Algorithm, autoregroup: the design does not say up to what the second turn goes."""
    one = cycle(CONFIG, 100, {"a.x": 50}).rounds[0]
    assert (one.groups[0].quota, allocated(one)["<none>"]) == (100, 100)


def test_quotas_come_first_then_surplus_and_then_whole_slots_where_there_are_no_weights() -> None:
    """Algorithm, its order. Pool 9, halves of 4.5: c has 1.5 of a's, and b leaves 3.5 of its own to a, which comes to
    3 + 3.5; the halves of a and c make a slot for a, because c accepts nothing.
    """
    knobs = """
    GROUP_NAMES = a a.c b
    GROUP_QUOTA_DYNAMIC_a = 0.5
    GROUP_QUOTA_DYNAMIC_b = 0.5
    GROUP_QUOTA_a.c = 1.5
    GROUP_ACCEPT_SURPLUS_a = True
    """
    demand = {"a": 50.0, "a.c": 50.0, "b": 1.0}
    weighted, whole = (
        cycle(knobs, 9, demand, settings=Settings(oversubscription=False, use_slot_weights=weights))
        for weights in (True, False)
    )
    assert quotas_of(weighted) == quotas_of(whole) == {"<none>": 0, "a": 3, "b": 4.5, "a.c": 1.5}
    assert allocated(weighted.rounds[0]) == {"<none>": 0, "a": 6.5, "b": 1, "a.c": 1.5}
    assert allocated(whole.rounds[0]) == {"<none>": 0, "a": 7, "b": 1, "a.c": 1}


def test_the_root_s_own_submitters_are_a_group_like_others() -> None:
    """Algorithm, the tree: users without a group have the 70 that groups leave, and 5 of what b does not want."""
    quotas = look(wants("", 75), wants("b", 5))
    assert (quotas.quota("<none>").quota, quotas.allocated("<none>"), quotas.limits["<none>"]) == (
        70,
        75,
        75,
    )
