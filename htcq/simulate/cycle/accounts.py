"""The accountant during a cycle.

Who uses how much, how good their priorities are, and what limits them.

Follows src/condor_negotiator.V6/Accountant.cpp (CheckMatches, AddMatch, LoadLimits, GetLimitMax)
and condor_utils/NegotiationUtils.cpp (ParseConcurrencyLimit), HTCondor 25.14. Amounts are in the
pool's unit.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from htcq.htcondor.releases import CHARGED_PREEMPTED
from htcq.pool.slot import Slot
from htcq.poolquota.demand import Submitter
from htcq.poolquota.pool_quotas import PoolQuotas
from htcq.poolquota.supply import DECIMALS
from htcq.quota.group_tree import ROOT, assigned_group
from htcq.quota.knobs import Knobs
from htcq.quota.shares import Claimant

#: What a concurrency limit is that nobody configured (param_info.in).
_NO_LIMIT = 2308032.0
#: Those of the job for which a claim is preempted.
_WAITING_LIMITS = "PreemptingConcurrencyLimits"
_LIMIT = re.compile(r"([a-z_][a-z0-9_]*(?:\.[a-z_][a-z0-9_]*)?)(?::(.*))?\Z")


class Accounts:
    """Usage by submitter and by group, which grows with each match.

    A cycle begins with what the claimed slots weigh, whatever was published after the last one.
    """

    def __init__(self, quotas: PoolQuotas) -> None:
        self._quotas = quotas
        self._groups: dict[str, str] = {}
        self.submitters: dict[str, float] = {
            name: float(used) for name, used in quotas.supply.charged.items()
        }
        self.groups: dict[str, float] = {group.name: 0.0 for group in quotas.tree.groups}
        for name, used in self.submitters.items():
            group = self.group_of(name)
            self.groups[group] = round(self.groups[group] + used, DECIMALS)
        self._claimants: dict[str, Claimant] = {}
        #: Whether the one whose claim is preempted is charged for it until the next cycle.
        self.keeps_preempted = CHARGED_PREEMPTED.holds(quotas.negotiator_version)
        #: How often anybody's usage has changed.
        self.changes = 0

    def group_of(self, submitter: str) -> str:
        """Return the group that ``submitter`` is charged to."""
        found = self._groups.get(submitter)
        if found is None:
            found = self._groups[submitter] = assigned_group(self._quotas.tree, submitter).group
        return found

    def quota(self, group: str) -> float:
        """Return the quota of a group as expressions see it.

        That of a root that regroups is the whole pool (GroupEntry.cpp,
        hgq_negotiate_with_all_groups, 23.9 and 25.14).
        """
        if group == ROOT and self._quotas.tree[ROOT].autoregroup:
            return float(self._quotas.inputs.pool_weight)
        return float(self._quotas.quota(group).quota)

    def claimant(self, submitter: Submitter) -> Claimant:
        """Return priority, ceiling and floor of a submitter."""
        found = self._claimants.get(submitter.name)
        if found is None:
            found = self._claimants[submitter.name] = self._quotas.claimant(submitter)
        return found

    def usage(self, submitter: str) -> float:
        """Return what a submitter uses now."""
        return self.submitters.get(submitter, 0.0)

    def charge(self, submitter: str, cost: float) -> None:
        """Charge a match."""
        group = self.group_of(submitter)
        self.submitters[submitter] = round(self.usage(submitter) + cost, DECIMALS)
        self.groups[group] = round(self.groups[group] + cost, DECIMALS)
        self.changes += 1

    def release(self, submitter: str, weight: float) -> None:
        """Charge a preempted claim no more (RemoveMatch)."""
        group = self.group_of(submitter)
        self.submitters[submitter] = round(max(0.0, self.usage(submitter) - weight), DECIMALS)
        self.groups[group] = round(max(0.0, self.groups[group] - weight), DECIMALS)
        self.changes += 1

    def take_over(self, submitter: str, cost: float, holder: str, weight: float) -> bool:
        """Charge a match with a slot for which ``holder`` is charged ``weight``.

        Return False where HTCondor before 25.10.1 does not: the slot is the submitter's own.
        """
        if not self.keeps_preempted:
            if holder == submitter:
                return False
            self.release(holder, weight)
        self.charge(submitter, cost)
        return True


class ConcurrencyLimit(NamedTuple):
    """One concurrency limit: how much a job asks of it, how much is used, and the limit itself."""

    name: str
    asked: float
    used: float
    limit: float

    @property
    def reached(self) -> bool:
        """Whether it leaves no room for the job."""
        return self.used + self.asked > self.limit


class ConcurrencyLimits:
    """How much of each limit is in use: by jobs on ``slots``, and by those that wait for them."""

    def __init__(self, knobs: Knobs, slots: Iterable[Slot]) -> None:
        self._knobs = knobs
        self._used: dict[str, float] = {}
        for slot in slots:
            for limits in (slot.concurrency_limits, slot.frame.value(_WAITING_LIMITS)):
                if isinstance(limits, str):
                    self.take(limits)

    def reached(self, limits: str) -> str:
        """Return the first of ``limits`` that leaves no room for one more job.

        It is empty where all do.
        """
        return next((limit.name for limit in self.asked(limits) if limit.reached), "")

    def asked(self, limits: str) -> Iterator[ConcurrencyLimit]:
        """Yield what one more job with these ``limits`` asks of each."""
        for name, amount in _parsed(limits):
            yield ConcurrencyLimit(name, amount, self._used.get(name, 0.0), self._most(name))

    def take(self, limits: str) -> None:
        """Note that one more job uses ``limits``."""
        for name, amount in _parsed(limits):
            self._used[name] = self._used.get(name, 0.0) + amount

    def _most(self, name: str) -> float:
        most = self._knobs.number("CONCURRENCY_LIMIT_DEFAULT", _NO_LIMIT, -math.inf, math.inf)
        scope = name.rpartition(".")[0]
        if scope:
            most = self._knobs.number(
                f"CONCURRENCY_LIMIT_DEFAULT_{scope}", most, -math.inf, math.inf
            )
        return self._knobs.number(f"{name}_LIMIT", most, -math.inf, math.inf)


@lru_cache(maxsize=1024)
def _parsed(limits: str) -> Sequence[tuple[str, float]]:
    found = (_LIMIT.match(word) for word in limits.lower().replace(",", " ").split())
    return [(each.group(1), _amount(each.group(2))) for each in found if each]


def _amount(text: str | None) -> float:
    """Return how much one job takes: 1 where it is not said, or is no positive number."""
    try:
        amount = 1.0 if text is None else float(text)
    except ValueError:
        return 1.0
    return amount if amount > 0 else 1.0
