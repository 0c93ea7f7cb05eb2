"""hgq_construct_tree: a missing parent, a second spelling and the root's own name make no group."""

from __future__ import annotations

import pytest

from tests.audit.rules.quota.groups import wants
from tests.audit.sites import found, pool

RULE = "group-dropped"


@pytest.mark.parametrize(
    ("names", "group", "why"),
    [
        ("a, b.x", "b.x", "there is no group b above it"),
        ("phys, PHYS", "PHYS", "the same as phys"),
        ("a, <none>", "<none>", "that of the root group"),
    ],
)
def test_a_name_that_makes_no_group_is_found(names: str, group: str, why: str) -> None:
    (finding,) = found(
        RULE, pool(config=f"GROUP_NAMES = {names}\nGROUP_QUOTA_a = 1\nGROUP_QUOTA_phys = 1\n")
    )
    assert finding.subject == f"group {group}"
    assert why in finding.message


def test_who_meant_the_group_is_told() -> None:
    config = "GROUP_NAMES = a, b.x\nGROUP_QUOTA_a = 1\n"
    (finding,) = found(
        RULE, pool(wants("b.x"), wants("b.x", user="bob"), wants("a"), config=config)
    )
    assert "2 submitters of it are charged to <none>" in finding.message


def test_a_complete_tree_is_not() -> None:
    assert not found(RULE, pool(config="GROUP_NAMES = b.x b a\n"))
