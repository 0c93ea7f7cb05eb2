"""libstdc++ sorts up to 16 elements by insertion, which keeps equals in order; beyond that it does not."""

from __future__ import annotations

from tests.audit.rules.quota.groups import groups, wants
from tests.audit.sites import found

RULE = "group-order-unspecified"


def tree(count: int) -> str:
    names = [f"g{number}" for number in range(count)]
    return f"GROUP_NAMES = {' '.join(names)}\n" + "".join(
        f"GROUP_QUOTA_{name} = 2\n" for name in names
    )


def test_seventeen_groups_of_which_two_wait_with_equal_keys_are_found() -> None:
    (finding,) = found(RULE, groups(tree(16), wants("g3"), wants("g7")))
    assert finding.examples == ("g3", "g7")
    assert "with 17 groups" in finding.message


def test_sixteen_are_not() -> None:
    assert not found(RULE, groups(tree(15), wants("g3"), wants("g7")))


def test_keys_that_differ_are_not() -> None:
    config = f"{tree(16)}GROUP_QUOTA_g7 = 3\nGROUP_SORT_EXPR = GroupQuota\n"
    assert not found(RULE, groups(config, wants("g3"), wants("g7")))
