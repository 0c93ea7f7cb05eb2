"""Physics has 20 and accepts no surplus; on 25.14.1 hep's limit is 20 where quotas are enforced strictly, else 40."""

from __future__ import annotations

from tests.audit.rules.quota.groups import PHYSICS, groups, wants
from tests.audit.sites import found

RULE = "strict-quota-off"
OFF = "NEGOTIATOR_STRICT_ENFORCE_QUOTA = False\n"


def test_a_group_can_exceed_the_quota_of_the_one_above_it() -> None:
    (finding,) = found(RULE, groups(PHYSICS + OFF, wants("physics.hep", 60)))
    assert finding.subject == "group physics"
    assert "can use 40 with a quota of 20" in finding.message


def test_the_pool_s_size_bounds_it() -> None:
    (finding,) = found(RULE, groups(PHYSICS + OFF, wants("physics.hep", 60), weight=30))
    assert "can use 30 with a quota of 20" in finding.message


def test_with_strict_quotas_it_cannot() -> None:
    assert not found(RULE, groups(PHYSICS, wants("physics.hep", 60)))


def test_little_demand_exceeds_nothing() -> None:
    assert not found(RULE, groups(PHYSICS + OFF, wants("physics.hep", 15)))
