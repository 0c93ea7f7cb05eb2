"""Walls of groups and submitters.

Quotas, shares and ceilings, as the turns of the cycle found them.

Follows negotiateWithGroup and calculateSubmitterLimit of src/condor_negotiator.V6/matchmaker.cpp
and hgq_negotiate_with_all_groups of GroupEntry.cpp, HTCondor 25.14. Amounts are in the pool's
unit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from htcq.quota.group_tree import ROOT
from htcq.simulate.cycle.cycle import Cycle
from htcq.simulate.cycle.group_negotiation import Skipped, SubmitterQueue
from htcq.simulate.cycle.queues import Offered, Run
from htcq.simulate.cycle.schedd_negotiation import Ending
from htcq.simulate.cycle.search import OVER_LIMIT
from htcq.units import show_number
from htcq.why import match_failure as wall
from htcq.why.group_cures import shut_cure
from htcq.why.match_failure import Amounts, MatchFailure

_MAX_NAMED = 3
#: What gives more to jobs without a group: no knob sets the quota of the root.
_UNGROUPED = "the end of a job without a group; smaller quotas of the groups"
#: Sums of fractions miss by less than this.
_DUST = 1e-6


def group_walls(
    cycle: Cycle, asking: SubmitterQueue | None, run: Run, others: bool
) -> Iterator[MatchFailure]:
    """Yield what of quotas, shares and ceilings keeps ``run`` from more matches.

    A share or a limit of all that there is counts only where there are no ``others``: otherwise
    the pool is full, not the share.
    """
    # Shares and quotas of a pool that has no slot come to 0 whatever somebody changes of them.
    nothing = not cycle.quotas.supply.every or (others and _is_hidden(cycle))
    if asking is None or asking.idle <= 0 or nothing:
        return
    yield from _no_turn(cycle, asking)
    yield from _ceiling(cycle, asking)
    if not _limited(asking, run):
        return
    left = _left(cycle, asking)
    if left.group is not None and left.group <= left.submitter + _DUST:
        if not others or cycle.turns[asking.submitter.group].limit < cycle.weight:
            yield _group_limit(cycle, asking)
    elif left.part < 1 or not others:
        yield _share(cycle, asking, left)
        if left.group is not None and left.group <= _DUST:
            yield _group_limit(cycle, asking)


def _is_hidden(cycle: Cycle) -> bool:
    """Return whether NEGOTIATOR_SLOT_CONSTRAINT leaves nothing that a quota or share is of."""
    return cycle.weight <= 0 and bool(cycle.quotas.supply.hidden)


def _limited(asking: SubmitterQueue, run: Run) -> bool:
    """Return whether a limit of the submitter or group ended the negotiation before ``run``.

    True as well where such a limit rejected it.
    """
    if asking.skipped in (Skipped.LITTLE_LEFT, Skipped.GROUP_FULL):
        return True
    talk = asking.talk
    if talk is None:
        return False
    found = offered_of(asking, run)
    if found is not None and found.rejection:
        return found.beyond or found.rejection == OVER_LIMIT
    return talk.ending in (Ending.SHARE, Ending.EARLY)


def offered_of(asking: SubmitterQueue, run: Run) -> Offered | None:
    """Return what the last talk that looked at ``run`` offered of it; None where none did."""
    if asking.talk is not None:
        for each in reversed(asking.talk.offered):
            if each.run is run:
                return each
    return asking.rejected.get(id(run))


@dataclass(frozen=True)
class _Left:
    """What a submitter and its group may still take.

    ``part`` of ``base`` is the share of the submitter.

    ``group`` is None where no group limits it.
    """

    part: float
    base: float
    used: float
    submitter: float
    group: float | None


def _left(cycle: Cycle, asking: SubmitterQueue) -> _Left:
    used = cycle.accounts.usage(asking.submitter.name)
    talk, group = asking.talk, asking.submitter.group
    part, turn, regroups = 1.0, None, False
    if talk is not None:
        part, regroups = talk.part, talk.grant.negotiating != group
    if cycle.quotas.grouped:
        turn = cycle.turns.get(group)
    if turn is None or regroups:
        return _Left(part, cycle.weight, used, part * cycle.weight - used, None)
    base = min(cycle.weight, turn.limit)
    return _Left(part, base, used, part * base - used, turn.limit - cycle.accounts.groups[group])


def _share(cycle: Cycle, asking: SubmitterQueue, left: _Left) -> MatchFailure:
    name = asking.submitter.name
    share = left.part * left.base
    whole = ""
    if left.part < 1:
        whole = f" ({100 * left.part:.3g} % of {show_number(left.base)})"
    amounts: Amounts = {
        "submitter": name, "used": left.used, "share": share, "part": left.part, "of": left.base,
        "priority": cycle.accounts.claimant(asking.submitter).priority,
    }  # fmt: skip
    text = (
        f"{name} uses {show_number(left.used)}, and its share is {show_number(share)}{whole}: a "
        "further match would exceed it"
    )
    return MatchFailure(wall.SUBMITTER_SHARE, text, amounts)


def _group_limit(cycle: Cycle, asking: SubmitterQueue) -> MatchFailure:
    group, turn = asking.submitter.group, cycle.turns[asking.submitter.group]
    used, quota = cycle.accounts.groups[group], cycle.quotas.quota(group).quota
    amounts: Amounts = {"group": group, "used": used, "limit": turn.limit, "quota": quota}
    text = (
        f"group {group} uses {show_number(used)} of its limit of {show_number(turn.limit)} "
        f"(quota {show_number(quota)}); the next match would exceed it"
    )
    above, advice = cycle.held_by.get(group, ""), ""
    if group == ROOT:
        advice = _UNGROUPED
    elif above not in ("", group):
        amounts = {**amounts, "held_by": above}
        text += f"; group {above}, which accepts no surplus, and the groups below it use "
        text += f"{show_number(subtree_usage(cycle, above))}, and its quota leaves no more"
        advice = f"the end of jobs of {above} and of groups below it; a higher quota of {above}"
    elif turn.limit < 1 and not used:
        advice = shut_cure(cycle.quotas, group)
    return MatchFailure(wall.GROUP_QUOTA, text, amounts, advice)


def subtree_usage(cycle: Cycle, group: str) -> float:
    """Return what a group and all groups below it use."""
    used = cycle.accounts.groups
    start = f"{group}.".lower()
    return sum(used[name] for name in used if f"{name}.".lower().startswith(start))


def _no_turn(cycle: Cycle, asking: SubmitterQueue) -> Iterator[MatchFailure]:
    """Yield why the group of a submitter is not negotiated, unless it has no demand."""
    quotas, group = cycle.quotas, asking.submitter.group
    if not quotas.grouped or group in cycle.turns or quotas.requested(group) <= 0 or cycle.crash:
        return
    if ROOT in cycle.turns and quotas.tree[ROOT].autoregroup and quotas.tree[group].autoregroup:
        return
    used, quota, allocated = (
        cycle.accounts.groups[group],
        quotas.quota(group).quota,
        quotas.allocated(group),
    )
    amounts: Amounts = {
        "group": group,
        "used": used,
        "quota": quota,
        "allocated": allocated,
        "requested": quotas.requested(group),
    }
    text = (
        f"group {group} is not negotiated in this cycle: "
        f"it is allocated {show_number(allocated)} (quota {show_number(quota)}) and uses "
        f"{show_number(used)}"
    )
    advice = _UNGROUPED if group == ROOT else shut_cure(quotas, group)
    yield MatchFailure(wall.GROUP_QUOTA, text, amounts, advice)


def _ceiling(cycle: Cycle, asking: SubmitterQueue) -> Iterator[MatchFailure]:
    claimant, name = cycle.accounts.claimant(asking.submitter), asking.submitter.name
    ended = asking.talk is not None and asking.talk.ending is Ending.CEILING
    if claimant.ceiling is None or not (ended or asking.skipped is Skipped.CEILING):
        return
    used = cycle.accounts.usage(name)
    amounts: Amounts = {"submitter": name, "used": used, "ceiling": claimant.ceiling}
    text = f"{name} uses {show_number(used)} of its ceiling of {claimant.ceiling}"
    if used < claimant.ceiling:
        text += f", and no match costs as little as the {show_number(claimant.ceiling - used)} left"
    advice = f"the end of one of its jobs; condor_userprio -setceil above {claimant.ceiling}"
    yield MatchFailure(wall.SUBMITTER_CEILING, text, amounts, advice)


def order_wall(cycle: Cycle, asking: SubmitterQueue | None) -> Iterator[MatchFailure]:
    """Yield which groups had their turns before that of ``asking`` and took slots."""
    if asking is None or not cycle.quotas.grouped:
        return
    turn = cycle.turns.get(asking.submitter.group)
    if turn is None:
        return
    taken = {}
    for name, each in sorted(cycle.turns.items(), key=lambda item: item[1].place):
        if each.place < turn.place and each.used_after > each.used_before:
            taken[name] = each.used_after - each.used_before
    if not taken:
        return
    first, more = list(taken.items())[:_MAX_NAMED], ""
    named = ", ".join(f"{name} ({show_number(amount)})" for name, amount in first)
    if len(taken) > _MAX_NAMED:
        more = f" and {len(taken) - _MAX_NAMED} more"
    text = (
        f"group {asking.submitter.group} is negotiated at position {turn.place}; groups before it "
        "take the slots: "
        f"{named}{more}"
    )
    amounts: Amounts = {
        "group": asking.submitter.group,
        "turn": turn.place,
        "taken_before": sum(taken.values()),
    }
    yield MatchFailure(wall.GROUP_ORDER, text, amounts)
