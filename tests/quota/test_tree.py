"""The tree that the negotiator builds of GROUP_NAMES, what it objects to, and where submitters go."""

from __future__ import annotations

import pytest

from htcq.quota.group_tree import Group, GroupTree, assigned_group, build_tree


def kinds(knobs: dict[str, str]) -> list[tuple[str, str]]:
    """Return kind and group of everything wrong with ``knobs``."""
    return [(problem.kind, problem.group) for problem in build_tree(knobs)[1]]


def tree_of(names: str, **knobs: str) -> GroupTree:
    """Return a tree of groups that each have a quota of 1."""
    quotas = {f"GROUP_QUOTA_{name}": "1" for name in names.split()}
    return build_tree({"GROUP_NAMES": names, **quotas, **knobs})[0]


def test_the_root_alone_is_what_no_configuration_gives() -> None:
    root = Group("<none>", None, 0.0, static=False, accept_surplus=True, autoregroup=False)

    assert build_tree({}) == (GroupTree((root,)), ())


def test_groups_are_in_breadth_first_order_and_siblings_in_that_of_their_names() -> None:
    tree = tree_of("b.Y b.x a C b a.z")

    assert [group.name for group in tree.groups] == ["<none>", "a", "b", "C", "a.z", "b.x", "b.Y"]
    assert tree.root.children == ("a", "b", "C")
    assert [child.name for child in tree.children("B")] == ["b.x", "b.Y"]


def test_a_group_is_found_whatever_the_case_and_knows_those_above_it() -> None:
    tree = tree_of("phys phys.Hep phys.hep.Atlas")

    assert tree["PHYS.hep.atlas"].name == "phys.hep.Atlas"
    assert [group.name for group in tree.ancestors("phys.hep.atlas")] == [
        "phys.Hep",
        "phys",
        "<none>",
    ]
    assert tree.ancestors("<none>") == ()
    assert tree.find("chem") is None


def test_names_are_separated_by_commas_and_white_space() -> None:
    assert [group.name for group in tree_of("a,b\t c,, d").groups[1:]] == ["a", "b", "c", "d"]


def test_a_static_quota_is_an_amount_and_a_dynamic_one_a_share() -> None:
    tree, problems = build_tree(
        {"GROUP_NAMES": "a b", "GROUP_QUOTA_A": "2*6", "group_quota_dynamic_b": "0.25"}
    )

    assert (tree["a"].config_quota, tree["a"].static, tree["a"].configured) == (12.0, True, True)
    assert (tree["b"].config_quota, tree["b"].static, tree["b"].configured) == (0.25, False, True)
    assert problems == ()


def test_a_group_without_any_quota_has_a_dynamic_one_of_zero() -> None:
    tree, problems = build_tree({"GROUP_NAMES": "a", "GROUP_ACCEPT_SURPLUS_a": "true"})

    assert tree["a"] == Group(
        "a", "<none>", 0.0, static=False, accept_surplus=True, autoregroup=False
    )
    assert [(problem.kind, problem.knob, problem.fatal) for problem in problems] == [
        ("no-quota", "GROUP_QUOTA_a", False)
    ]


def test_of_two_kinds_of_quota_the_dynamic_one_is_ignored_even_where_it_is_wrong() -> None:
    knobs = {"GROUP_NAMES": "a", "GROUP_QUOTA_a": "3", "GROUP_QUOTA_DYNAMIC_a": "7"}

    assert build_tree(knobs)[0]["a"].config_quota == 3
    assert kinds(knobs) == [("both-kinds", "a")]


@pytest.mark.parametrize(
    ("knob", "text", "kind", "quota"),
    [
        ("GROUP_QUOTA_a", "-1", "out-of-range", 0.0),
        ("GROUP_QUOTA_a", "3e9", "out-of-range", 2147483647.0),
        ("GROUP_QUOTA_a", "lots", "not-a-number", 0.0),
        ("GROUP_QUOTA_DYNAMIC_a", "1.5", "out-of-range", 1.0),
        ("GROUP_QUOTA_DYNAMIC_a", "-0.1", "out-of-range", 0.0),
        ("GROUP_QUOTA_DYNAMIC_a", "50%", "not-a-number", 0.0),
    ],
)
def test_what_the_negotiator_exits_on_is_reported_and_the_nearest_legal_value_stands(
    knob: str, text: str, kind: str, quota: float
) -> None:
    tree, (problem,) = build_tree({"GROUP_NAMES": "a", knob: text})

    assert (problem.kind, problem.group, problem.knob, problem.value, problem.fatal) == (
        kind,
        "a",
        knob,
        text,
        True,
    )
    assert text in problem.message
    assert tree["a"].config_quota == quota


def test_a_group_without_its_parent_is_dropped_with_all_below_it() -> None:
    knobs = {
        "GROUP_NAMES": "a.b.c, a.b, d",
        "GROUP_QUOTA_d": "1",
        "GROUP_ACCEPT_SURPLUS_a.b": "true",
    }
    tree, _ = build_tree(knobs)

    assert [group.name for group in tree.groups] == ["<none>", "d"]
    assert kinds(knobs) == [("missing-parent", "a.b"), ("missing-parent", "a.b.c")]
    assert not tree.global_accept_surplus


def test_a_second_spelling_of_a_name_is_a_duplicate_and_the_root_s_name_is_reserved() -> None:
    knobs = {"GROUP_NAMES": "phys Phys <none>", "GROUP_QUOTA_phys": "1"}

    assert [group.name for group in build_tree(knobs)[0].groups] == ["<none>", "phys"]
    assert kinds(knobs) == [("reserved-name", "<none>"), ("duplicate", "Phys")]


def test_a_name_that_no_knob_can_have_is_reported() -> None:
    """Configuration files take only letters, digits, '_', '.' and '/' in a name."""
    assert kinds({"GROUP_NAMES": "nice-user"}) == [
        ("illegal-name", "nice-user"),
        ("no-quota", "nice-user"),
    ]


def test_a_name_that_begins_like_another_knob_takes_that_knob_for_its_own() -> None:
    """GROUP_QUOTA_DYNAMIC_x is the dynamic quota of x and the static one of DYNAMIC_x."""
    tree, _ = build_tree({"GROUP_NAMES": "x DYNAMIC_x", "GROUP_QUOTA_DYNAMIC_x": "0.5"})

    assert (tree["DYNAMIC_x"].config_quota, tree["DYNAMIC_x"].static) == (0.5, True)


def test_accepting_surplus_is_not_inherited_but_has_a_default_for_all() -> None:
    one = tree_of("a a.b", GROUP_ACCEPT_SURPLUS_a="true")
    most = tree_of("a a.b", GROUP_ACCEPT_SURPLUS="true", GROUP_ACCEPT_SURPLUS_a="false")

    assert [group.accept_surplus for group in one.groups] == [True, True, False]
    assert [group.accept_surplus for group in most.groups] == [True, False, True]


@pytest.mark.parametrize(
    ("knobs", "accepts"),
    [
        ({}, False),
        ({"GROUP_ACCEPT_SURPLUS_a": "true"}, True),
        ({"GROUP_ACCEPT_SURPLUS": "true", "GROUP_ACCEPT_SURPLUS_a": "false"}, True),
    ],
)
def test_surplus_counts_as_accepted_where_any_group_or_the_default_says_so(
    knobs: dict[str, str], accepts: bool
) -> None:
    assert tree_of("a", **knobs).global_accept_surplus is accepts


def test_the_root_regroups_where_any_group_does() -> None:
    assert tree_of("a b", GROUP_AUTOREGROUP_b="true").root.autoregroup
    assert tree_of("a", GROUP_AUTOREGROUP="true", GROUP_AUTOREGROUP_a="false").root.autoregroup
    assert not tree_of("a").root.autoregroup


@pytest.mark.parametrize(
    ("submitter", "group", "defaulted"),
    [
        ("phys.hep.alice@site", "phys.hep", False),
        ("PHYS.Hep.alice@site", "phys.hep", False),
        ("phys.alice@site@flocked", "phys", False),
        ("alice@site", "<none>", False),
        ("phys@site", "<none>", False),
        ("nosuch.hep.alice@site", "<none>", True),
        ("phys.nosuch.alice@site", "phys", True),
        ("phys.nosuch.hep.alice@site", "phys", True),
        ("alice.smith@site", "<none>", True),
        ("phys.alice.smith@site", "phys", True),
        ("<none>.alice@site", "<none>", True),
        (".alice@site", "<none>", True),
        ("phys.hep", "phys.hep", False),
        ("<none>", "<none>", False),
        ("gone", "<none>", True),
    ],
)
def test_a_submitter_belongs_to_the_deepest_known_group_of_its_name(
    submitter: str, group: str, defaulted: bool
) -> None:
    assigned = assigned_group(tree_of("phys phys.hep hep"), submitter)

    assert (assigned.group, assigned.defaulted) == (group, defaulted)
