"""What groups lack of the lesser of quota and demand, and who or what has it.

Amounts are in the pool's unit. All of it is from the ads of slots and the demand of submitters: of
jobs nothing is known here, so that what is free may suit none of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from htcq.classads import as_number
from htcq.pool.slot import Slot, number_or
from htcq.pool.slot_causes import SLOT_CAUSES
from htcq.pool.slot_state import machine_of, used_as
from htcq.poolquota.closings import Closings
from htcq.poolquota.pool_quotas import PoolQuotas
from htcq.quota.group_tree import ROOT, assigned_group
from htcq.units import counted, first_named

#: A group is below where it lacks more than this part of its quota, and than one slot's weight.
SLACK, LEAST = 0.05, 1.0
#: What the root is called as a holder, and what is of nobody.
NO_GROUP, FREE = "jobs of no group", "free"


@dataclass(frozen=True)
class Holder:
    """Who or what holds capacity that a group is due: a group beyond its quota, or a cause.

    ``since`` is when the first of its claims, or the cause, began, ``returns_at`` when so much may
    have come back that the group has what it is due: in seconds since 1970, None where no ad says.
    ``returns`` says by what it comes back; ``fits`` is false where no claim of it that ends alone
    is large enough for a waiting job of the group.
    """

    name: str
    is_group: bool
    amount: float
    since: float | None
    returns: str
    returns_at: float | None = None
    fits: bool = True


@dataclass(frozen=True)
class Over:
    """A group that uses ``amount`` more than its quota; ``claims`` are slots and their weights."""

    name: str
    amount: float
    claims: Sequence[tuple[Slot, float]]

    def holder(self, returns_at: float | None = None) -> Holder:
        """Return it as a holder of what other groups lack."""
        name = NO_GROUP if self.name == ROOT else self.name
        returns = f"as its {counted(len(self.claims), 'claim')} end, for jobs that fit there"
        since = _first(slot for slot, _ in self.claims)
        return Holder(name, True, self.amount, since, returns, returns_at)


def lacking(quota: float, requested: float, usage: float, lightest: float = 0.0) -> float:
    """Return how much less a group has than the lesser of quota and demand; 0 within the slack.

    What is less than its ``lightest`` job none of its jobs can use.
    """
    less = min(quota, requested) - usage
    return less if less > max(LEAST, SLACK * quota) and less >= lightest else 0.0


def groups_over(quotas: PoolQuotas) -> list[Over]:
    """Return the groups that use more than their quotas, that with most first."""
    over = {each.group.name: each.usage - each.quota for each in quotas.computed.groups}
    over = {name: amount for name, amount in over.items() if amount > LEAST}
    claims = _claims_of(quotas, over)
    names = sorted(over, key=lambda name: (-over[name], name))
    return [Over(name, over[name], claims.get(name, ())) for name in names]


def _claims_of(
    quotas: PoolQuotas, names: Mapping[str, float]
) -> Mapping[str, Sequence[tuple[Slot, float]]]:
    claims: dict[str, list[tuple[Slot, float]]] = {}
    groups: dict[str, str] = {}
    for each in quotas.supply.weighed:
        if not each.customer:
            continue
        group = groups.get(each.customer)
        if group is None:
            group = groups[each.customer] = assigned_group(quotas.tree, each.customer).group
        if group in names:
            claims.setdefault(group, []).append((each.slot, float(each.weight)))
    return claims


@dataclass(frozen=True)
class Unclaimed:
    """What nobody has claimed: ``free`` is what jobs may have now, ``closed`` what none may have.

    What is left of slots without a free core is neither: no job fits there.
    """

    free: float
    closed: tuple[Holder, ...]

    @property
    def holders(self) -> Iterator[Holder]:
        """What holds it from groups, as far as somebody must act, and last what is free."""
        yield from self.closed
        if self.free > 0:
            yield Holder(FREE, False, self.free, None, "the next cycle, for jobs that fit")


def holders_of(quotas: PoolQuotas, unclaimed: Unclaimed) -> tuple[Holder, ...]:
    """Return who and what has what groups lack: groups over their quotas, and ``unclaimed``."""
    return (*(each.holder() for each in groups_over(quotas)), *unclaimed.holders)


def unclaimed_of(quotas: PoolQuotas) -> Unclaimed:
    """Return what the pool of ``quotas`` has that nobody has claimed."""
    closings = Closings(quotas.pool)
    free, closed = 0.0, defaultdict[str, list[tuple[float, Slot]]](list)
    for each in quotas.supply.weighed:
        slot = each.slot
        if each.customer or used_as(slot) or not each.counted:
            continue
        cause = closings.first(slot)
        if cause:
            closed[cause].append((float(each.in_pool), slot))
        elif number_or(slot.cpus, 1) > 0:
            free += each.in_pool
    found = [_closed(cause, parts) for cause, parts in closed.items()]
    found = [each for each in found if each.amount > 0 and SLOT_CAUSES[each.name].needs_somebody]
    return Unclaimed(free, tuple(sorted(found, key=lambda each: (-each.amount, each.name))))


def _closed(cause: str, parts: Sequence[tuple[float, Slot]]) -> Holder:
    amount = sum(weight for weight, _ in parts)
    since = _first(slot for _, slot in parts)
    machines = list(dict.fromkeys(machine_of(slot) for _, slot in parts))
    returns = SLOT_CAUSES[cause].lifted_by.replace("MACHINE", first_named(machines, 1))
    return Holder(cause, False, amount, since, returns)


def _first(slots: Iterable[Slot]) -> float | None:
    """Return when the first of ``slots`` came into its state."""
    begun = [as_number(slot.state_since) for slot in slots]
    return min((float(each) for each in begun if each is not None), default=None)
