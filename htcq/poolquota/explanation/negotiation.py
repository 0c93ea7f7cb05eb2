"""Sentences on the negotiation of a group: its position, its limit, shares and later rounds.

Follows hgq_negotiate_with_all_groups, strict_enforce_quota and negotiateWithGroup of
GroupEntry.cpp and matchmaker.cpp in src/condor_negotiator.V6, HTCondor 25.14.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from htcq.poolquota.explanation.sections import (
    LIMIT,
    MAX_NAMES,
    ROUNDS,
    SHARES,
    TURN,
    ExplainedQuotas,
    Sentence,
    few,
    listed,
)
from htcq.poolquota.group_status import GroupStatus, shown_limit
from htcq.quota.cycle_quotas import GroupLimit
from htcq.quota.group_limits import FLT_MAX, truncated
from htcq.quota.settings import SORT_EXPR
from htcq.quota.shares import SubmitterShare
from htcq.units import show_number as shown


def turn_story(scene: ExplainedQuotas, group: GroupStatus) -> Iterator[Sentence]:
    """Yield the position of a group in the cycle, or why it is not negotiated."""
    if scene.round is None:
        return
    for text in _regrouping(scene, group):
        yield Sentence(TURN, text)
    if group.turn is None:
        yield Sentence(TURN, f"not negotiated in this cycle: {_no_turn(scene, group)}")
        return
    turns = scene.look.limits
    yield Sentence(TURN, f"it has turn {group.turn} of {len(turns)}: {_key(scene, group)}")
    first = turns[: min(group.turn - 1, MAX_NAMES)]
    if first:
        before = [f"{limit.group} ({shown(scene.groups[limit.group].sort_key)})" for limit in first]
        yield Sentence(TURN, f"negotiated before it: {listed(few(before, group.turn - 1))}")


def _regrouping(scene: ExplainedQuotas, group: GroupStatus) -> Iterator[str]:
    if not group.group.autoregroup:
        return
    if group.group.parent is not None:
        yield (
            "GROUP_AUTOREGROUP is true for it: its submitters are negotiated again after all "
            "groups, with the root, without a quota; what they get there is usage of this group"
        )
        return
    below = [each for each in scene.look.standings if each.group.parent is not None]
    groups = [each.name for each in below if each.group.autoregroup and each.submitters]
    whose = "no group that has any"
    if groups:
        whose = listed(few(groups))
    yield (
        f"GROUP_AUTOREGROUP: it is negotiated last, with the submitters of {whose} too, and is "
        f"allocated the whole pool for that: {shown(group.allocated)}"
    )


def _no_turn(scene: ExplainedQuotas, group: GroupStatus) -> str:
    if not group.submitters:
        return "it has no submitters"
    if group.allocated <= 0:
        return "its allocation is 0"
    return (
        f"it uses {shown(group.usage)}, its whole allocation of {shown(group.allocated)}, and "
        "NEGOTIATOR_CONSIDER_PREEMPTION is false"
    )


def _key(scene: ExplainedQuotas, group: GroupStatus) -> str:
    if group.group.parent is None and group.group.autoregroup:
        return "the root is negotiated last if a group has GROUP_AUTOREGROUP"
    if scene.look.settings.sort_expr != SORT_EXPR:
        if group.sort_key == FLT_MAX:
            return "GROUP_SORT_EXPR is not a number for it, so it is among the last"
        return f"its GROUP_SORT_EXPR is {shown(group.sort_key)}; the lowest value is first"
    if group.group.parent is None:
        return "the root is last"
    if group.quota <= 0:
        return "groups without a quota come after the groups with one"
    part = f"{shown(group.usage)} of its quota of {shown(group.quota)}"
    return f"it uses {part}, a share of {shown(group.sort_key)}; the lowest share is first"


def limit_story(scene: ExplainedQuotas, group: GroupStatus) -> Iterator[Sentence]:
    """Yield the limit of a group's usage, what lowers it, and how the negotiator reads it."""
    limit = scene.limits.get(group.name)
    if limit is None:
        return
    if math.isnan(limit.limit):
        yield Sentence(LIMIT, _not_a_number(group))
        return
    for text in _limit(scene, group, limit):
        yield Sentence(LIMIT, text)


def _not_a_number(group: GroupStatus) -> str:
    return (
        "its limit is NaN: no group can grow in this round, but its quota is above its usage, so "
        f"the negotiator divides 0 by 0; it uses {shown(truncated(math.nan))} instead and matches "
        f"nothing for {group.name}"
    )


def _limit(scene: ExplainedQuotas, group: GroupStatus, limit: GroupLimit) -> Iterator[str]:
    which = "quota"
    if group.allocated > group.quota:
        which = "allocation"
    yield (
        f"its limit is its {which}, {shown(limit.proposed)}: the greater of quota and allocation "
        "counts"
    )
    yield from _held(scene, group, limit)
    if "(" in shown_limit(limit.limit):
        yield f"the negotiator uses a whole number of 32 bits: {shown_limit(limit.limit)}"
    yield from _passes(scene, group)
    if group.headroom <= 0:
        yield f"it already uses {shown(group.usage)}: it gets no more"
        return
    yield (
        f"it uses {shown(group.usage)}, so it can get {shown(group.headroom)} more; the first "
        "match of each submitter can exceed the limit by its match cost"
    )


def _held(scene: ExplainedQuotas, group: GroupStatus, limit: GroupLimit) -> Iterator[str]:
    if limit.held_by:
        holder = scene.groups[limit.held_by]
        quota = holder.subtree_quota
        if holder.group.static:
            quota = holder.group.config_quota
        whose = "accepts"
        if holder is group:
            whose = "itself accepts"
        below = ""
        if scene.children(holder):
            below = ", including its descendants"
        yield (
            f"strict enforcement reduces that to {shown(limit.limit)}: {holder.name} {whose} no "
            f"surplus and uses {shown(holder.subtree_usage)} of its {shown(quota)}{below}"
        )
    elif not scene.look.settings.strict_enforce:
        lineage = (group, *scene.upwards(group))
        refusing = [each.name for each in lineage if not each.group.accept_surplus]
        if refusing:
            yield (
                f"NEGOTIATOR_STRICT_ENFORCE_QUOTA is false: the remaining quota of "
                f"{listed(refusing)} does not reduce that"
            )


def _passes(scene: ExplainedQuotas, group: GroupStatus) -> Iterator[str]:
    rate = scene.look.settings.round_robin_rate
    if scene.round is None or rate >= scene.round.max_delta:
        return
    yield (
        f"GROUP_QUOTA_ROUND_ROBIN_RATE is {shown(rate)}: limits grow in passes; its limit in the "
        f"first pass is {shown(truncated(scene.first_limits[group.name]))}"
    )
    if scene.look.settings.strict_enforce and not group.group.accept_surplus:
        yield (
            "it accepts no surplus: what it gets in one pass counts twice in the next, so it gets "
            "only half of the rest"
        )


def shares_story(scene: ExplainedQuotas, group: GroupStatus) -> Iterator[Sentence]:
    """Yield what each submitter with idle jobs may take when the turn begins."""
    if not group.shares or (scene.round is not None and group.turn is None):
        return
    shares = [f"{share.name} {_share(share)}" for share in group.shares]
    base = shown(group.shares[0].base)
    yield Sentence(
        SHARES,
        (f"shares of {base} for its submitters with idle jobs, by priority: {listed(few(shares))}"),
    )


def _share(share: SubmitterShare) -> str:
    more = f"{shown(share.limit)} more"
    if math.isinf(share.limit):
        more = "no limit"
    ceiling = floor = ""
    if share.headroom is not None:
        ceiling = f", {share.headroom} by its ceiling"
    if share.floor > 0:
        floor = f", {shown(share.floor)} of it first, by its floor"
    return f"{100 * share.share:.3g}% ({more}{ceiling}{floor})"


def rounds_story(scene: ExplainedQuotas, group: GroupStatus) -> Iterator[Sentence]:
    """Yield what becomes of a group in later rounds of the same cycle."""
    if scene.round is None or group.requested <= max(group.usage, 0.0):
        return
    rounds, text = scene.look.settings.max_rounds, ""
    if rounds == 1:
        text = "GROUP_QUOTA_MAX_ALLOCATION_ROUNDS is 1: no other group gets what it cannot match"
    elif group.usage < group.own_allocated:
        text = (
            f"up to {rounds} rounds: if it matches nothing in a round, only its usage of "
            f"{shown(group.usage)} counts as its request in the next, and other groups can get the "
            "rest"
        )
    elif group.requested > group.own_allocated and (
        group.group.accept_surplus or scene.children(group)
    ):
        text = f"up to {rounds} rounds: in a later round it can get what other groups cannot match"
    if text:
        yield Sentence(ROUNDS, text)
