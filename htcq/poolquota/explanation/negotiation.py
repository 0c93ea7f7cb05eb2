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
    place = f"it is negotiated at position {group.turn} of {len(turns)}"
    yield Sentence(TURN, f"{place}: {_key(scene, group)}")
    first = turns[: min(group.turn - 1, MAX_NAMES)]
    if first:
        before = [f"{limit.group} ({shown(scene.groups[limit.group].sort_key)})" for limit in first]
        yield Sentence(TURN, f"negotiated before it: {listed(few(before, group.turn - 1))}")


def _regrouping(scene: ExplainedQuotas, group: GroupStatus) -> Iterator[str]:
    if not group.group.autoregroup:
        return
    if group.group.parent is not None:
        yield (
            "GROUP_AUTOREGROUP is true for it: after all groups its submitters are negotiated "
            "again with the root, where no quota limits them; what they get there counts as usage "
            "of this group"
        )
        return
    below = [each for each in scene.look.standings if each.group.parent is not None]
    groups = [each.name for each in below if each.group.autoregroup and each.submitters]
    whose = ""
    if groups:
        whose = f", together with the submitters of {listed(few(groups))},"
    yield (
        f"GROUP_AUTOREGROUP: it is negotiated last{whose} and is allocated the whole pool, "
        f"{shown(group.allocated)}, for that"
    )


def _no_turn(scene: ExplainedQuotas, group: GroupStatus) -> str:
    if not group.submitters:
        return "it has no submitters"
    if group.allocated <= 0:
        return "it is allocated nothing"
    return (
        f"it uses {shown(group.usage)}, all of the {shown(group.allocated)} that it is allocated, "
        "and NEGOTIATOR_CONSIDER_PREEMPTION is false"
    )


def _key(scene: ExplainedQuotas, group: GroupStatus) -> str:
    if group.group.parent is None and group.group.autoregroup:
        return "the root is negotiated last where groups regroup"
    if scene.look.settings.sort_expr != SORT_EXPR:
        if group.sort_key == FLT_MAX:
            return "GROUP_SORT_EXPR is not a number for it, so it is negotiated with the last"
        return f"GROUP_SORT_EXPR is {shown(group.sort_key)} for it; the lowest value is first"
    if group.group.parent is None:
        return "the root is negotiated last"
    if group.quota <= 0:
        return "groups without a quota are negotiated after those that have one"
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
        "its limit is NaN: no group gets more in this round although the quota of this one is "
        "above its usage, so the negotiator divides 0 by 0; it takes "
        f"{shown(truncated(math.nan))} for the limit and matches nothing for {group.name}"
    )


def _limit(scene: ExplainedQuotas, group: GroupStatus, limit: GroupLimit) -> Iterator[str]:
    which = "quota"
    if group.allocated > group.quota:
        which = "allocation"
    yield (
        f"it may use up to {shown(limit.proposed)}, its {which}: the greater of quota and "
        "allocation counts"
    )
    yield from _held(scene, group, limit)
    if "(" in shown_limit(limit.limit):
        yield f"the negotiator takes the limit as a 32-bit integer: {shown_limit(limit.limit)}"
    yield from _passes(scene, group)
    if group.headroom <= 0:
        yield f"it already uses {shown(group.usage)} and cannot get more"
        return
    yield (
        f"it uses {shown(group.usage)} and can get {shown(group.headroom)} more; the first match "
        "of each submitter may exceed that by its match cost"
    )


def _held(scene: ExplainedQuotas, group: GroupStatus, limit: GroupLimit) -> Iterator[str]:
    if limit.held_by:
        holder = scene.groups[limit.held_by]
        quota = holder.subtree_quota
        if holder.group.static:
            quota = holder.group.config_quota
        below = ""
        if scene.children(holder):
            below = ", with all groups below it,"
        yield (
            f"strict enforcement lowers that to {shown(limit.limit)}: {holder.name} accepts no "
            f"surplus and{below} uses {shown(holder.subtree_usage)} of its {shown(quota)}"
        )
    elif not scene.look.settings.strict_enforce:
        lineage = (group, *scene.upwards(group))
        refusing = [each.name for each in lineage if not each.group.accept_surplus]
        if refusing:
            yield (
                "NEGOTIATOR_STRICT_ENFORCE_QUOTA is false: the quota that is left of "
                f"{listed(refusing)} does not lower that"
            )


def _passes(scene: ExplainedQuotas, group: GroupStatus) -> Iterator[str]:
    rate = scene.look.settings.round_robin_rate
    if scene.round is None or rate >= scene.round.max_delta:
        return
    yield (
        f"GROUP_QUOTA_ROUND_ROBIN_RATE is {shown(rate)}: limits grow in passes, and in the first "
        f"it may use up to {shown(truncated(scene.first_limits[group.name]))}"
    )
    if scene.look.settings.strict_enforce and not group.group.accept_surplus:
        yield (
            "it accepts no surplus: what it gets in one pass counts twice in the next, so in "
            "each round it gets only half of the amount up to its limit"
        )


def shares_story(scene: ExplainedQuotas, group: GroupStatus) -> Iterator[Sentence]:
    """Yield the share of each submitter with idle jobs at the beginning of the turn."""
    if not group.shares or (scene.round is not None and group.turn is None):
        return
    shares = [f"{share.name} {_share(share)}" for share in group.shares]
    base = shown(group.shares[0].base)
    text = f"its submitters with idle jobs share {base} by priority: {listed(few(shares))}"
    yield Sentence(SHARES, text)


def _share(share: SubmitterShare) -> str:
    more = f"{shown(share.limit)} more"
    if math.isinf(share.limit):
        more = "no limit"
    ceiling = floor = ""
    if share.headroom is not None:
        ceiling = f", at most {share.headroom} more by its ceiling"
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
            f"up to {rounds} rounds: what it cannot match in one round it does not request in the "
            f"next; unless it matched some, only the {shown(group.usage)} that it uses counts "
            "there, and other groups can get the rest"
        )
    elif group.requested > group.own_allocated and (
        group.group.accept_surplus or scene.children(group)
    ):
        text = (
            f"up to {rounds} rounds: in a later round it can get what other groups could not match"
        )
    if text:
        yield Sentence(ROUNDS, text)
