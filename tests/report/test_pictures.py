"""What the pictures show, from a pool written down by hand."""

from __future__ import annotations

from htcq.audit.evidence import Evidence
from htcq.report.charts.pictures import MAX_SHARES, pictures_of
from tests.audit.sites import accounting, collector, pool, schedd, slot, submitter

CONFIG = """GROUP_NAMES = b, a, a.y, a.x
GROUP_QUOTA_a = 8
GROUP_QUOTA_b = 4
GROUP_QUOTA_a.x = 2
GROUP_QUOTA_a.y = 3
"""
POOL = pool(
    *[slot(f"slot1@n{number}", Cpus=8) for number in range(2)],
    collector(),
    schedd(),
    submitter("a.x.ada@site", IdleJobs=3, WeightedIdleJobs=3, WeightedRunningJobs="1.0"),
    submitter("a.eve@site", IdleJobs=2, WeightedIdleJobs=2),
    accounting("a", WeightedResourcesUsed="1.0", IsAccountingGroup="true"),
    accounting("a.x", WeightedResourcesUsed="2.0", IsAccountingGroup="true"),
    accounting("b", WeightedResourcesUsed="0.5", IsAccountingGroup="true"),
    config=CONFIG,
)


def test_groups_come_depth_first_with_what_lies_below_them() -> None:
    groups = {each.name: each for each in pictures_of(Evidence(POOL)).groups}

    assert [(each.name, each.parent, each.depth) for each in groups.values()] == [
        ("<none>", "", 0), ("a", "<none>", 1), ("a.x", "a", 2), ("a.y", "a", 2), ("b", "<none>", 1),
    ]  # fmt: skip
    assert {name: each.quota for name, each in groups.items()} == {
        "<none>": 16,
        "a": 8,
        "a.x": 2,
        "a.y": 3,
        "b": 4,
    }
    assert {name: each.usage for name, each in groups.items()} == {
        "<none>": 3.5, "a": 3, "a.x": 2, "a.y": 0, "b": 0.5,
    }  # fmt: skip
    assert {name: each.requested for name, each in groups.items()} == {
        "<none>": 6,
        "a": 6,
        "a.x": 4,
        "a.y": 0,
        "b": 0,
    }


def test_a_pool_without_groups_or_configuration_has_no_tree() -> None:
    assert pictures_of(Evidence(pool(slot(), config="GROUP_NAMES =\n"))).groups == ()
    assert pictures_of(Evidence(pool(slot()))).groups == ()


def test_only_the_greatest_shares_are_drawn() -> None:
    slots = [
        slot(f"slot1@n{number}", SlotWeight=str(number)) for number in range(1, MAX_SHARES + 4)
    ]
    pictures = pictures_of(Evidence(pool(*slots)))

    assert [share.expression for share in pictures.shares] == [
        str(number) for number in range(23, 3, -1)
    ]
    assert pictures.more_shares == 3


def test_a_pool_without_slots_has_no_weights() -> None:
    assert pictures_of(Evidence(pool(collector()))).shares == ()
