"""The tree of groups: order, orphans and cycles."""

from __future__ import annotations

from htcq.quota.elastic.declaration import ElasticGroup
from htcq.quota.elastic.elastic_tree import build_tree


def groups(**parents: str) -> tuple[ElasticGroup, ...]:
    return tuple(ElasticGroup(name, parent) for name, parent in parents.items())


def test_parents_come_first_and_siblings_by_name() -> None:
    tree = build_tree(groups(c="b", b="", a="", d="b"))

    assert [group.name for group in tree.groups] == ["a", "b", "c", "d"]
    assert tree.children["b"] == ("c", "d")


def test_groups_below_nothing_are_orphans_and_not_in_the_tree() -> None:
    tree = build_tree(groups(a="", b="gone", c="b"))

    assert [group.name for group in tree.groups] == ["a"]
    assert [group.name for group in tree.orphans] == ["b"]


def test_every_cycle_is_told_once_from_its_least_name() -> None:
    tree = build_tree(groups(z="y", y="x", x="z", b="a", a="b", own="own", below="a", top=""))

    assert tree.cycles == (("a", "b"), ("own",), ("x", "z", "y"))
    assert [group.name for group in tree.groups] == ["top"]
    assert tree.orphans == ()
