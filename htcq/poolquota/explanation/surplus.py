"""Sentences on the surplus around a group: its amount, its lenders, its takers and refusals.

Follows hgq_fairshare, hgq_allocate_surplus and hgq_recover_remainders of
src/condor_negotiator.V6/GroupEntry.cpp, HTCondor 25.14.
"""

from __future__ import annotations

from collections.abc import Iterator

from htcq.poolquota.explanation.sections import SURPLUS, Division, ExplainedQuotas, Sentence, unused
from htcq.poolquota.group_status import GroupStatus
from htcq.quota.cycle_quotas import SurplusSharing
from htcq.units import show_number as shown

#: What a group lacks counts from here on: less is the dust of arithmetic.
_DUST = 1e-9


def surplus_story(scene: ExplainedQuotas, group: GroupStatus) -> Iterator[Sentence]:
    """Yield each division of surplus that concerned a group, as a taker or as one who left some."""
    if scene.round is None:
        return
    if group.requested > group.quota:
        yield from (Sentence(SURPLUS, text) for text in _taken(scene, group))
    elif unused(group) > 0:
        yield from (Sentence(SURPLUS, text) for text in _given(scene, group))
    if not scene.look.settings.use_slot_weights:
        yield from (Sentence(SURPLUS, text) for text in _whole_slots(scene, group))
    lacking = group.requested - group.own_allocated
    others = scene.other_borrowers(group)
    if lacking > _DUST and others:
        yield Sentence(
            SURPLUS,
            f"{shown(lacking)} of its request is not allocated; groups that borrow: {others}",
        )


def _taken(scene: ExplainedQuotas, group: GroupStatus) -> Iterator[str]:
    """Yield what became of surplus on every level from which a group could get some."""
    if scene.children(group):
        yield from _level(scene, group, group, group)
    below = group
    for above in scene.upwards(group):
        if not below.group.accept_surplus:
            yield _refused(scene, group, below, above)
            return
        yield from _level(scene, group, below, above)
        below = above


def _refused(
    scene: ExplainedQuotas, group: GroupStatus, below: GroupStatus, above: GroupStatus
) -> str:
    whose = f"{below.name} with its descendants, {group.name} among them,"
    if below is group:
        whose = "it"
    division = scene.division(above)
    surplus = scene.left_over(above)
    if division is not None:
        surplus = division.here.surplus
    higher = ", and nothing from its ancestors"
    if above.group.parent is None:
        higher = ""
    amount = "a surplus"
    if surplus > 0:
        amount = f"the surplus of {shown(surplus)}"
    return (
        f"GROUP_ACCEPT_SURPLUS of {below.name} is false: {whose} gets nothing of {amount} of "
        f"{above.name}{higher}"
    )


def _level(
    scene: ExplainedQuotas, group: GroupStatus, below: GroupStatus, above: GroupStatus
) -> Iterator[str]:
    """Yield what was left over at ``above``, and what came of it to ``group`` through ``below``."""
    division = scene.division(above)
    where = above.name
    if above is group:
        where = "the group and its descendants"
    if division is None:
        yield f"{where}: no surplus"
        return
    yield _divided(scene, above, division, where)
    yield _came(scene, group, below, division)


def _divided(scene: ExplainedQuotas, above: GroupStatus, division: Division, where: str) -> str:
    sharing = division.here
    left = f"{where}: a surplus of {shown(sharing.surplus)} (left by {scene.lenders_text(above)})"
    if sharing.enough:
        return f"{left}, enough for the {shown(sharing.wanted)} that is still requested"
    if len(sharing.shares) == 1:
        how = f"{sharing.shares[0][0]} gets all of it"
    else:
        how = f"divided in proportion to quotas, then evenly: {division.takers}"
    return f"{left}; {shown(sharing.wanted)} is still requested: {how}"


def _came(
    scene: ExplainedQuotas, group: GroupStatus, below: GroupStatus, division: Division
) -> str:
    share = division.shares.get(below.name, 0.0)
    alone = below is group and (division.here.group == group.name or not scene.children(group))
    if not share:
        whose = f"{below.name} with its descendants"
        if alone:
            whose = "it"
        return f"{whose} gets nothing of that: its quota is 0, and groups with a quota take all"
    if alone:
        return f"it gets {shown(share)} of that"
    own = 0.0
    if group.name in division.below:
        own = _own_share(division.below[group.name], group)
    return (
        f"{below.name} with its descendants gets {shown(share)} of that, {group.name} itself "
        f"{shown(own)}"
    )


def _own_share(sharing: SurplusSharing, group: GroupStatus) -> float:
    return dict(sharing.shares).get(group.name, 0.0)


def _given(scene: ExplainedQuotas, group: GroupStatus) -> Iterator[str]:
    """Yield who took what a group left, level by level, until nothing of it is left."""
    if group.lent <= 0:
        yield f"no other group takes any of the {shown(unused(group))} that it leaves"
        return
    for level in (group, *scene.upwards(group)):
        division = scene.division(level)
        if division is None:
            continue
        yield (
            f"with what other groups leave, {level.name} has a surplus of "
            f"{shown(division.here.surplus)}; it goes to: {division.takers}"
        )
        if division.here.left <= _DUST:
            return


def _whole_slots(scene: ExplainedQuotas, group: GroupStatus) -> Iterator[str]:
    shares = []
    here = scene.division(group)
    if here is not None:
        shares.append(_own_share(here.here, group))
    for above in scene.upwards(group):
        division = scene.division(above)
        if division is not None and group.name in division.below:
            shares.append(_own_share(division.below[group.name], group))
    exact = min(max(0.0, group.requested), group.quota) + sum(shares)
    if abs(exact - round(exact)) > _DUST:
        yield (
            f"slot weights are off, so its {shown(exact)} is truncated to whole slots; the "
            "fractions of all groups add up to whole slots, which go to the largest quotas first: "
            f"it has {shown(group.own_allocated)}"
        )
