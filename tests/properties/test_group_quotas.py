"""What group quotas promise, whatever the groups, the pool and the demand."""

from __future__ import annotations

import math
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from htcq.quota.condor import Inputs, compute_quotas
from htcq.quota.group_limits import truncated
from htcq.quota.group_tree import ROOT, assigned_group, build_tree
from htcq.quota.settings import Settings

SETTINGS = st.builds(
    Settings,
    oversubscription=st.booleans(),
    strict_enforce=st.booleans(),
    use_slot_weights=st.booleans(),
    consider_preemption=st.booleans(),
    round_robin_rate=st.sampled_from((1.0, 7.0, 1e100)),
)
AMOUNTS = st.one_of(st.integers(0, 400), st.floats(0, 400))


@dataclass(frozen=True)
class Site:
    """A configuration of groups and what goes on in them."""

    knobs: dict[str, str]
    inputs: Inputs

    @property
    def regroups(self) -> bool:
        return self.inputs.tree.root.autoregroup


@st.composite
def knob_sets(draw: st.DrawFn) -> dict[str, str]:
    """Groups at random, most of them below others, with every kind of quota and none."""
    names: list[str] = []
    for _ in range(draw(st.integers(1, 12))):
        parent = draw(st.sampled_from(["", *names]))
        name = (parent and parent + ".") + draw(
            st.sampled_from(["a", "b", "Chem", "d4", "e_e", "ghost.f"])
        )
        if name.lower() not in map(str.lower, names):
            names.append(name)
    knobs = {"GROUP_NAMES": ", ".join(names)}
    for knob in ("GROUP_ACCEPT_SURPLUS", "GROUP_AUTOREGROUP"):
        for name in ["", *names]:
            chosen = draw(st.sampled_from(("", "true", "false", "false")))
            knobs[f"{knob}_{name}" if name else knob] = chosen
    for name in names:
        kind = draw(st.sampled_from(("static", "dynamic", "both", "none")))
        if kind in ("static", "both"):
            knobs[f"GROUP_QUOTA_{name}"] = str(draw(st.one_of(st.just(0), AMOUNTS)))
        if kind in ("dynamic", "both"):
            knobs[f"GROUP_QUOTA_DYNAMIC_{name}"] = str(draw(st.floats(0, 1)))
    return knobs


@st.composite
def sites(draw: st.DrawFn, settings: st.SearchStrategy[Settings] = SETTINGS) -> Site:
    """Groups with demand and usage; who asks has submitters."""
    knobs = draw(knob_sets())
    tree, _ = build_tree(knobs)
    names = [group.name for group in tree.groups]
    requested = draw(st.dictionaries(st.sampled_from(names), AMOUNTS))
    usage = draw(st.dictionaries(st.sampled_from(names), AMOUNTS))
    return Site(
        knobs, Inputs(tree, draw(AMOUNTS), requested, usage, frozenset(requested), draw(settings))
    )


@given(sites(st.builds(Settings, oversubscription=st.just(False), use_slot_weights=st.booleans())))
def test_without_oversubscription_the_quotas_never_add_up_to_more_than_the_pool(site: Site) -> None:
    quotas = compute_quotas(site.inputs)

    assert sum(group.quota for group in quotas.groups) <= quotas.pool_weight * (1 + 1e-9) + 1e-9


@given(sites())
def test_quotas_are_numbers_and_none_is_negative_and_a_group_s_own_is_within_its_subtree_s(
    site: Site,
) -> None:
    for group in compute_quotas(site.inputs).groups:
        assert 0 <= group.quota <= group.subtree_quota < math.inf


@given(sites())
def test_no_group_is_allocated_more_than_it_requests(site: Site) -> None:
    """Save the root where groups regroup, which is given the pool."""
    for one in compute_quotas(site.inputs).rounds[:1]:
        for group in one.groups[1 if site.regroups else 0 :]:
            asked = site.inputs.requested.get(group.name, 0)
            whole = (
                0 if site.inputs.settings.use_slot_weights else 0.5
            )  # demand is rounded to whole slots
            assert 0 <= group.allocated <= asked + whole + 1e-6
            assert group.requested == pytest.approx(asked, abs=whole + 1e-6)


@given(sites())
def test_what_is_allocated_and_what_is_left_make_up_the_quotas(site: Site) -> None:
    quotas = compute_quotas(site.inputs)
    total = sum(group.quota for group in quotas.groups)
    for one in quotas.rounds[:1]:
        if not site.regroups:
            allocated = sum(group.allocated for group in one.groups)
            assert allocated + one.surplus == pytest.approx(total, abs=1e-6)


@given(sites())
def test_without_weights_every_allocation_is_whole(site: Site) -> None:
    for one in compute_quotas(site.inputs).rounds:
        for group in one.groups[1 if site.regroups else 0 :]:
            assert site.inputs.settings.use_slot_weights or group.allocated.is_integer()


@given(sites())
def test_no_limit_is_above_both_quota_and_allocation_and_only_a_still_round_has_none(
    site: Site,
) -> None:
    for one in compute_quotas(site.inputs).rounds:
        groups = {group.name: group for group in one.groups}
        for limit in one.limits:
            if math.isnan(limit.limit):
                assert one.max_delta == 0
                assert truncated(limit.limit) < 0
            else:
                group = groups[limit.group]
                assert limit.limit <= max(group.quota, group.allocated) + 1e-6


@given(sites())
def test_every_group_has_one_turn_in_the_order_and_limits_follow_it(site: Site) -> None:
    for one in compute_quotas(site.inputs).rounds:
        assert sorted(one.order) == sorted(group.name for group in site.inputs.tree.groups)
        turns = [one.order.index(limit.group) for limit in one.limits]
        assert turns == sorted(set(turns))


@given(knob_sets(), st.randoms(use_true_random=False))
def test_the_order_of_group_names_does_not_matter(knobs: dict[str, str], dice: object) -> None:
    names = knobs["GROUP_NAMES"].split(", ")
    dice.shuffle(names)  # type: ignore[attr-defined]
    tree, problems = build_tree(knobs)

    assert build_tree({**knobs, "GROUP_NAMES": ", ".join(names)}) == (tree, problems)


@given(knob_sets())
def test_every_group_is_its_parent_s_child_and_what_its_users_are_assigned_to(
    knobs: dict[str, str],
) -> None:
    tree, problems = build_tree(knobs)
    dropped = {
        problem.group for problem in problems if problem.kind in ("missing-parent", "duplicate")
    }

    assert {group.name for group in tree.groups} | dropped == {
        ROOT,
        *knobs["GROUP_NAMES"].split(", "),
    }
    for group in tree.groups[1:]:
        assert group in tree.children(group.parent or "")
        assert assigned_group(tree, f"{group.name}.user@site").group == group.name
        assert tree.ancestors(group.name)[-1] == tree.root
