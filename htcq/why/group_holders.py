"""Who has what a group is promised: usage above quotas, since when, and what would return it.

Amounts are in the pool's unit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from htcq.classads import as_number
from htcq.pool.slot import Slot
from htcq.pool.slot_causes import SLOT_CAUSES
from htcq.poolquota.pool_quotas import PoolQuotas
from htcq.poolquota.shortfall import unclaimed_of
from htcq.quota.group_tree import ROOT, assigned_group, name_key
from htcq.simulate.course.worklife import Worklife
from htcq.simulate.cycle.cycle import Cycle
from htcq.units import counted, show_moment, show_number, show_span

_MAX_NAMED = 3


class _Holder(NamedTuple):
    """A group above its quota: by how much, and its claims."""

    above: float
    group: str
    used: float
    quota: float
    claims: Sequence[Slot]


def group_sentences(cycle: Cycle, who: str) -> Iterator[str]:
    """Yield what the group ``who`` has of its quota, and who has the rest; nothing of others."""
    quotas = cycle.quotas
    named = [each.name for each in quotas.tree.groups if name_key(each.name) == name_key(who)]
    if not quotas.grouped or not named or named[0] == ROOT:
        return
    group = named[0]
    below = set(quotas.subtree(group))
    quota, used = quotas.quota(group).quota, _used(cycle, below)
    demand = sum(quotas.requested(each) for each in below)
    due = min(quota, demand)
    yield (
        f"group {group} uses {show_number(used)} of its quota of {show_number(quota)}; its "
        f"running and idle jobs weigh {show_number(demand)}"
    )
    if used >= due:
        if demand > used:
            yield f"it has its whole quota; {show_number(demand - used)} more waits for surplus"
        return
    missing = due - used
    yield f"it lacks {show_number(missing)} of the {show_number(due)} that quota and demand give"
    holders = sorted(_holders(cycle, below), key=lambda each: (-each.above, each.group))
    if not holders:
        yield "no other group uses more than its quota"
    for holder in holders[:_MAX_NAMED]:
        yield _sentence(holder)
    if len(holders) > _MAX_NAMED:
        yield f"{len(holders) - _MAX_NAMED} more groups use more than their quotas"
    if holders:
        yield _return(cycle, holders[0])
    yield from _unclaimed(quotas)


def _unclaimed(quotas: PoolQuotas) -> Iterator[str]:
    """Yield what of the pool is closed to all jobs, or free."""
    for each in unclaimed_of(quotas).holders:
        since = f" since {show_moment(each.since)}" if each.since is not None else ""
        name = SLOT_CAUSES[each.name].name if each.name in SLOT_CAUSES else each.name
        yield f"{show_number(each.amount)} of the pool are {name}{since}: {each.returns}"


def _used(cycle: Cycle, groups: set[str]) -> float:
    return sum(cycle.accounts.groups.get(each, 0.0) for each in groups)


def _holders(cycle: Cycle, below: set[str]) -> Iterator[_Holder]:
    """Yield the groups outside of ``below`` that use more than their quota."""
    quotas = cycle.quotas
    claims: dict[str, list[Slot]] = {}
    for slot in quotas.pool.slots or ():
        if slot.claimed and slot.customer:
            claims.setdefault(assigned_group(quotas.tree, slot.customer).group, []).append(slot)
    for each in quotas.tree.groups:
        if each.name in below or (each.name == ROOT and not claims.get(ROOT)):
            continue
        # What nobody is promised is surplus: a job of no group has no quota.
        quota = 0.0 if each.name == ROOT else quotas.quota(each.name).quota
        used = cycle.accounts.groups.get(each.name, 0.0)
        if used > quota:
            yield _Holder(used - quota, each.name, used, quota, claims.get(each.name, ()))


def _sentence(holder: _Holder) -> str:
    text = (
        f"{holder.group} uses {show_number(holder.used)}, {show_number(holder.above)} more than "
        f"its quota of {show_number(holder.quota)}"
    )
    since = [number for number in (as_number(each.state_since) for each in holder.claims) if number]
    if since:
        text += (
            f": {counted(len(holder.claims), 'claim')}, the first since {show_moment(min(since))}"
        )
    return text


def _return(cycle: Cycle, holder: _Holder) -> str:
    """Return what returns to the group what ``holder`` has."""
    worklife = Worklife(cycle.quotas.pool)
    lasting = [worklife.seconds(slot) for slot in holder.claims]
    text = "it returns with the end of their jobs"
    if lasting and max(lasting) > 0:
        longest = max(lasting)
        kept = "without an end" if longest == float("inf") else f"for {show_span(longest)}"
        text += f"; claims go on with further jobs of the same submitter {kept} (CLAIM_WORKLIFE)"
    if not cycle.quotas.truth("NEGOTIATOR_CONSIDER_PREEMPTION", True):
        text += "; NEGOTIATOR_CONSIDER_PREEMPTION is off, so no claim is preempted for a quota"
    else:
        text += "; PREEMPTION_REQUIREMENTS decides whether claims above a quota are preempted"
    return text
