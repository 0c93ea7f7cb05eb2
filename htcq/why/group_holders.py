"""Who has what a group is promised: usage above quotas, since when, and what would return it.

Amounts are in the pool's unit, and of now: what the next cycle adds has its own sentence.
"""

from __future__ import annotations

from collections.abc import Iterator

from htcq.pool.slot_causes import SLOT_CAUSES
from htcq.poolquota.pool_quotas import PoolQuotas
from htcq.poolquota.shortfall import FREE, NO_GROUP, Over, groups_over, unclaimed_of
from htcq.quota.group_tree import ROOT, name_key
from htcq.simulate.course.worklife import Worklife
from htcq.simulate.cycle.accounts import Accounts
from htcq.simulate.cycle.cycle import Cycle
from htcq.units import counted, first_named, show_moment, show_number, show_span

_MAX_NAMED = 3


def group_sentences(cycle: Cycle, who: str) -> Iterator[str]:
    """Yield what the group ``who`` has of its quota, and who has the rest; nothing of others."""
    quotas = cycle.quotas
    named = [each.name for each in quotas.tree.groups if name_key(each.name) == name_key(who)]
    if not quotas.grouped or not named or named[0] == ROOT:
        return
    group = named[0]
    below = set(quotas.subtree(group))
    # What it hands to the groups below it counts as its own, as their usage and demand do.
    quota = quotas.quota(group).subtree_quota
    used = sum(quotas.quota(each).usage for each in below)
    demand = sum(quotas.requested(each) for each in below)
    due = min(quota, demand)
    yield (
        f"group {group} uses {show_number(used)} of its quota of {show_number(quota)}; its "
        f"running and idle jobs weigh {show_number(demand)}"
    )
    if used >= due:
        if demand > used:
            what = f"jobs of weight {show_number(demand - used)} wait"
            if any(quotas.tree[each].accept_surplus for each in below):
                yield f"it has its whole quota; {what} for surplus"
            else:
                yield f"it has its whole quota and accepts no surplus; {what}"
        return
    yield f"it is due {show_number(due)}, the lesser of its quota and what its jobs weigh"
    over = [each for each in groups_over(quotas) if each.name not in below]
    if not over:
        yield "no other group uses more than its quota"
    for each in over[:_MAX_NAMED]:
        yield _sentence(quotas, each)
    if len(over) > _MAX_NAMED:
        yield f"{len(over) - _MAX_NAMED} more groups use more than their quotas"
    if over:
        yield _return(quotas, over[0])
    yield from _unclaimed(cycle)


def _unclaimed(cycle: Cycle) -> Iterator[str]:
    """Yield what of the pool is closed to all jobs, or free, and who gets it in the next cycle."""
    for each in unclaimed_of(cycle.quotas).holders:
        if each.name == FREE:
            yield f"weight {show_number(each.amount)} is free now; the next cycle {_given(cycle)}"
            continue
        since = f" since {show_moment(each.since)}" if each.since is not None else ""
        yield (
            f"weight {show_number(each.amount)} is {SLOT_CAUSES[each.name].name}{since}: "
            f"{each.returns}"
        )


def _given(cycle: Cycle) -> str:
    """Return which groups the matches of the cycle are charged to, in the order of the groups."""
    before = Accounts(cycle.quotas).groups
    gained = {name: used - before[name] for name, used in cycle.accounts.groups.items()}
    named = [
        f"{NO_GROUP if name == ROOT else name} ({show_number(amount)})"
        for name, amount in gained.items()
        if amount > 0
    ]
    return f"charges matches to {first_named(named, _MAX_NAMED)}" if named else "matches nothing"


def _sentence(quotas: PoolQuotas, over: Over) -> str:
    holder, computed = over.holder(), quotas.quota(over.name)
    use = "use" if over.name == ROOT else "uses"
    text = (
        f"{holder.name} {use} {show_number(computed.usage)}, {show_number(over.amount)} more than "
        f"the quota of {show_number(computed.quota)}"
    )
    if holder.since is not None:
        text += (
            f": {counted(len(over.claims), 'claim')}, the first since {show_moment(holder.since)}"
        )
    return text


def _return(quotas: PoolQuotas, over: Over) -> str:
    """Return what returns to the group what ``over`` has."""
    worklife = Worklife(quotas.pool)
    longest = max((worklife.seconds(slot) for slot, _ in over.claims), default=0.0)
    text = "it returns with the end of their jobs, for jobs that fit in their slots"
    if longest > 0:
        kept = "without an end" if longest == float("inf") else f"for {show_span(longest)}"
        text += f"; claims go on with further jobs of the same submitter {kept} (CLAIM_WORKLIFE)"
    if not quotas.truth("NEGOTIATOR_CONSIDER_PREEMPTION", True):
        text += "; NEGOTIATOR_CONSIDER_PREEMPTION is off, so no claim is preempted for a quota"
    else:
        text += "; PREEMPTION_REQUIREMENTS decides whether claims above a quota are preempted"
    return text
