"""The tree of groups: order, orphans, cycles, and moving a group."""

from __future__ import annotations

import pytest

from htcq.errors import InputError
from htcq.quota.elastic.declaration import ElasticGroup
from htcq.quota.elastic.elastic_tree import build_tree, moved


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


def test_a_move_keeps_names_that_are_no_paths() -> None:
    after, names = moved(groups(a="", b="a", c="b"), "b", "")

    assert {group.name: group.parent for group in after} == {"a": "", "b": "", "c": "b"}
    assert names == {}


def test_a_move_renames_paths_with_all_below_them() -> None:
    after, names = moved(
        tuple(ElasticGroup(name, name.rpartition(".")[0]) for name in ("a", "a.b", "a.b.c", "d")),
        "a.b",
        "d",
    )

    assert {group.name: group.parent for group in after} == {
        "a": "",
        "d": "",
        "d.b": "d",
        "d.b.c": "d.b",
    }
    assert names == {"a.b": "d.b", "a.b.c": "d.b.c"}


@pytest.mark.parametrize(
    ("name", "parent", "said"),
    [
        ("a", "a", "cannot go below a"),
        ("a", "a.b.c", "cannot go below a.b.c"),
        ("gone", "a", "no group gone"),
        ("a", "gone", "no group gone"),
        ("a.b", "d", "group d.b exists already"),
    ],
)
def test_a_move_that_cannot_be_is_refused(name: str, parent: str, said: str) -> None:
    paths = tuple(
        ElasticGroup(each, each.rpartition(".")[0]) for each in ("a", "a.b", "a.b.c", "d", "d.b")
    )

    with pytest.raises(InputError, match=said):
        moved(paths, name, parent)
