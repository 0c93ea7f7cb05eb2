"""From ads and configuration to quotas: 60 cycles that a real negotiator logged and published, and small pools."""

from __future__ import annotations

from pathlib import Path

import pytest

from htcq.audit.evidence import Evidence
from htcq.pool.pool import Pool
from htcq.poolquota.pool_quotas import PoolQuotas
from tests.audit.rules.quota.groups import PHYSICS, groups, uses, wants
from tests.audit.sites import accounting, pool, slot, submitter
from tests.quota.recorded import FILES, ads_of, logged, read

recorded = pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)


def quotas_of(given: Pool) -> PoolQuotas:
    return Evidence(given).quotas


@recorded
def test_the_ads_of_a_recorded_cycle_give_its_quotas_allocations_and_limits(path: Path) -> None:
    case = read(path)
    expected, first = case["expected"], case["expected"]["rounds"][0]
    quotas = quotas_of(pool(*ads_of(case), config="\n".join(case["config"]) + "\n"))

    assert expected["pool_weight"] == logged(quotas.computed.pool_weight)
    for name, published in expected["published"].items():
        assert logged(published["Requested"]) == logged(quotas.requested(name))
        assert logged(published["WeightedResourcesUsed"]) == logged(quotas.usage.get(name, 0.0))
    for name, allocation in first["groups"].items():
        assert allocation["allocated"] == logged(quotas.allocated(name))
    limits = {limit.group: logged(limit.limit) for limit in quotas.computed.rounds[0].limits}
    assert first["limits"] == limits


def test_without_configuration_there_is_only_the_root() -> None:
    quotas = quotas_of(pool(slot(), submitter()))
    assert not quotas.grouped
    assert [group.name for group in quotas.tree.groups] == ["<none>"]
    assert quotas.computed.rounds == ()
    assert quotas.limits == {}
    assert quotas.allocated("<none>") == 0


def test_published_usage_goes_before_what_claimed_slots_weigh() -> None:
    held = uses("chem", 3)
    record = accounting("chem", IsAccountingGroup="true", WeightedResourcesUsed="7.0")
    assert quotas_of(groups(PHYSICS, *held)).usage == {"chem": 3}
    assert quotas_of(groups(PHYSICS, *held, record)).usage == {"chem": 7}


def test_a_submitter_s_usage_is_its_record_s_or_its_slots() -> None:
    quotas = quotas_of(
        groups(PHYSICS, *uses("chem", 3), accounting("chem.bob@site", WeightedResourcesUsed="2.0"))
    )
    assert (
        quotas.used_by("chem.ada@site"),
        quotas.used_by("chem.bob@site"),
        quotas.used_by("eve@site"),
    ) == (3, 2, 0)


def test_limits_are_those_at_the_end_of_a_round_however_many_passes_it_has() -> None:
    """Chemistry may go to its 10, and in the first of ten passes to 1."""
    quotas = quotas_of(groups(f"{PHYSICS}GROUP_QUOTA_ROUND_ROBIN_RATE = 1\n", wants("chem", 50)))
    assert quotas.limits == {"chem": 10}
    assert quotas.computed.rounds[0].limits[0].limit == 1


def test_what_groups_can_take_is_measured_on_an_empty_pool_in_the_order_of_their_turns() -> None:
    """Seen on 25.14.1: of physics' 20, hep takes 20 and lep 0."""
    quotas = quotas_of(
        groups(
            PHYSICS, wants("physics.hep", 60, 7), *uses("physics.hep", 7), wants("physics.lep", 60)
        )
    )
    assert [quotas.can_take(name) for name in ("physics", "physics.hep", "physics.lep")] == [
        20,
        20,
        0,
    ]


def test_the_pool_bounds_what_groups_can_take() -> None:
    quotas = quotas_of(groups(PHYSICS, wants("chem", 60), wants("physics.hep", 60), weight=12))
    assert quotas.can_take("<none>") == 12


def test_the_best_limit_is_that_of_a_group_alone_in_an_empty_pool() -> None:
    """hep alone may use the 20 of physics; now chemistry's demand does not matter."""
    quotas = quotas_of(
        groups(PHYSICS, wants("physics.hep", 60), wants("chem", 60), *uses("physics.lep", 20))
    )
    assert (
        quotas.best_limit("physics.hep"),
        quotas.best_limit("chem"),
        quotas.best_limit("physics"),
    ) == (20, 10, 0)
    assert quotas.limits["physics.hep"] == 0


def test_a_rate_that_would_take_for_ever_does_not() -> None:
    """Weights may be bytes: a million million of them in steps of 1, while a group without a quota waits."""
    config = f"{PHYSICS}GROUP_NAMES = chem, none\nGROUP_QUOTA_ROUND_ROBIN_RATE = 1\n"
    config += "NEGOTIATOR_STRICT_ENFORCE_QUOTA = False\n"
    quotas = quotas_of(
        pool(slot(SlotWeight="1.0e12"), wants("chem", 60), wants("none", 60), config=config)
    )
    assert quotas.computed.pool_weight == 1e12
    assert (quotas.limits, quotas.can_take("chem")) == ({"chem": 10}, 10)
