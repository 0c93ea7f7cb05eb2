"""What groups use by the ads of slots, compared with what the negotiator's accountant charges.

Both are of the same claims (Accountant.cpp: CheckMatches, HTCondor 25.14), at two moments. What is
apart by more than was matched, started or ended since the older look is a claim that one of the two
does not see: of a submitter whose name cannot be read, or of a slot that somebody has made up.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from htcq.classads import as_number
from htcq.clock import SKEW
from htcq.pool.pool import Pool
from htcq.poolquota.pool_quotas import PoolQuotas
from htcq.quota.group_tree import ROOT, assigned_group

#: The part of its usage by which a group may be apart.
PART = 0.01
#: A claim that began so many seconds before a look may be missing in it: clocks differ.
_SKEW = 60.0
#: What was matched in a cycle is in the ads of slots after so many seconds.
_SHOWN_AFTER = 10.0
#: The negotiator's ad tells of its last cycles by these numbers.
_CYCLES = range(3)
#: Sums of weights that differ by less are the same.
_SLACK = 1e-6


@dataclass(frozen=True)
class UsageSeen:
    """What each of HTCondor's groups uses itself, in slot weight; times in seconds since 1970.

    ``slots`` is by the claimed slots, ``accountant`` as its negotiator published it at ``heard``
    (None: it is not known). ``begins`` has, by group, when claims began, with their weights.
    ``matched`` has the ends of the last cycles and how much was matched at most in each.
    """

    slots: Mapping[str, float] = field(default_factory=dict)
    accountant: Mapping[str, float] = field(default_factory=dict)
    heard: float | None = None
    begins: Mapping[str, tuple[tuple[float, float], ...]] = field(default_factory=dict)
    matched: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True)
class UsageLook:
    """What a look leaves for the next one: its ``time``, usage by the slots, groups ``apart``."""

    time: float = 0.0
    used: Mapping[str, float] = field(default_factory=dict)
    apart: tuple[str, ...] = ()


def ahead(look: UsageLook, now: float) -> str:
    """Return, as a sentence, that ``look`` is of a time after ``now``; empty where it is not.

    ``now`` is in seconds since 1970. A clock was wrong, or somebody made the look up.
    """
    if look.time <= now + SKEW:
        return ""
    return (
        f"the last look at what groups use is of {look.time - now:.0f} s after now: nothing is "
        "compared with it"
    )


def believed(look: UsageLook, now: float) -> UsageLook:
    """Return ``look``; nothing is known of one that is of a time after ``now``."""
    return UsageLook() if ahead(look, now) else look


@dataclass(frozen=True)
class ApartGroup:
    """A group whose usage differs, and by how much it might."""

    group: str
    slots: float
    accountant: float
    allowed: float

    @property
    def sentence(self) -> str:
        """What is wrong."""
        return (
            f"{self.group} uses {self.slots:g} by the slots, but {self.accountant:g} by the "
            f"accountant, for the second time; what began or ended explains {self.allowed:g}"
        )


def usage_of(pool: Pool, negotiator: str, condor: PoolQuotas) -> UsageSeen:
    """Return what is seen of the usage of the groups of ``negotiator``."""
    slots: dict[str, float] = {}
    heaviest = 0.0
    begins: dict[str, list[tuple[float, float]]] = {}
    groups: dict[str, str] = {}
    for each in condor.supply.weighed:
        if not each.slot.claimed or not each.customer:
            continue
        if each.customer not in groups:
            groups[each.customer] = assigned_group(condor.tree, each.customer).group
        group, weight = groups[each.customer], float(each.weight)
        slots[group] = slots.get(group, 0.0) + weight
        heaviest = max(heaviest, weight)
        since = as_number(each.slot.state_since)
        begins.setdefault(group, []).append((-math.inf if since is None else since, weight))
    charged = {}
    for name in (group.name for group in condor.tree.groups):
        published = condor.published.usage(name)
        if published is not None:
            charged[name] = float(published)
    root = condor.published.account(ROOT)
    heard = None if root is None else root.number("LastHeardFrom")
    return UsageSeen(
        slots,
        charged,
        None if heard is None else float(heard),
        {group: tuple(sorted(found)) for group, found in begins.items()},
        tuple(_matched(pool, negotiator or condor.published.negotiator, heaviest)),
    )


def _matched(pool: Pool, negotiator: str, heaviest: float) -> Iterator[tuple[float, float]]:
    for record in pool.negotiators:
        for number in _CYCLES:
            end = record.number(f"LastNegotiationCycleEnd{number}")
            matches = record.number(f"LastNegotiationCycleMatches{number}")
            if record.name == negotiator and end is not None and matches is not None:
                yield float(end), max(0.0, float(matches)) * max(1.0, heaviest)


def comparable(now: UsageSeen, taken_at: float, before: UsageLook, cycle_seconds: float) -> bool:
    """Return whether the accountant spoke since the look ``before``, and the slots after it."""
    if now.heard is None or not 0 < before.time < now.heard:
        return False
    return taken_at - now.heard >= min(_SHOWN_AFTER, cycle_seconds / 4)


def apart(now: UsageSeen, taken_at: float, before: UsageLook) -> Iterator[ApartGroup]:
    """Yield the groups whose usage is apart by more than what happened since ``before``."""
    since, until = before.time - _SKEW, taken_at + _SKEW
    matched = sum(weight for end, weight in now.matched if end > since)
    for group, charged in sorted(now.accountant.items()):
        used = now.slots.get(group, 0.0)
        began = sum(weight for time, weight in now.begins.get(group, ()) if since <= time < until)
        ended = max(0.0, before.used.get(group, 0.0) + began - used)
        allowed = PART * max(used, charged) + matched + began + ended
        if abs(used - charged) > allowed + _SLACK:
            yield ApartGroup(group, used, charged, allowed)


def look_of(now: UsageSeen, taken_at: float, before: UsageLook, cycle_seconds: float) -> UsageLook:
    """Return what a look leaves for the next one."""
    before = believed(before, taken_at)
    found = before.apart
    if comparable(now, taken_at, before, cycle_seconds):
        found = tuple(each.group for each in apart(now, taken_at, before))
    used = {group: weight for group, weight in sorted(now.slots.items()) if weight > 0}
    return UsageLook(taken_at, used, found)
