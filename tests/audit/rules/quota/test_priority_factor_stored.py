"""GetPriorityFactor reads GROUP_PRIO_FACTOR_<group> when a record has no factor yet, and stores what it read."""

from __future__ import annotations

from tests.audit.sites import accounting, found, pool

RULE = "priority-factor-stored"
TREE = "GROUP_NAMES = a, a.b\nGROUP_QUOTA_a = 5\nGROUP_QUOTA_a.b = 2\nGROUP_PRIO_FACTOR_a = 10\n"


def factor(name: str, stored: float, **changes: str) -> str:
    return accounting(name, PriorityFactor=stored, **changes)


def test_users_with_an_older_factor_are_found_once_for_their_group() -> None:
    given = pool(factor("a.ada@site", 1000.0), factor("a.bob@site", 500.0), config=TREE)
    (finding,) = found(RULE, given)
    assert finding.count == 2
    assert "GROUP_PRIO_FACTOR_a is 10" in finding.message


def test_users_with_the_group_s_factor_and_of_groups_without_one_are_not() -> None:
    given = pool(
        factor("a.ada@site", 10.0),
        factor("a.b.ada@site", 1000.0),
        factor("ada@site", 1000.0),
        config=TREE,
    )
    assert not found(RULE, given)


def test_records_of_groups_themselves_are_not() -> None:
    assert not found(RULE, pool(factor("a", 1000.0, IsAccountingGroup="true"), config=TREE))
