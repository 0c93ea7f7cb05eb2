"""Protected jobs: reclaim leaves them alone as far as the min of their group pays for them.

Koordinator's pods that must not be preempted may only use what their group is guaranteed
(koordinator-sh/koordinator, commit a7a1b76: docs/proposals/scheduling/
20220722-multi-hierarchy-elastic-quota-management.md). A running job cannot be refused; one beyond
the min is therefore not protected, whatever its owner wrote.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from htcq.elastic.reclaim.reclaim_fields import JobKey
from htcq.elastic.records import GroupClaim
from htcq.quota.elastic.declaration import SELF, Amounts
from htcq.quota.elastic.group_runtime import ElasticOutcome, GroupRuntime
from htcq.settings.pool_share import limit_in
from htcq.settings.reclaim import EVERYBODY, ReclaimLimits

_MAY_NOT = "the site does not let its owner protect jobs"


@dataclass(frozen=True)
class ProtectedUse:
    """The jobs of one group that ask for protection.

    ``paid`` of them are within the min, ``unpaid`` are not; ``amounts`` is what these use. ``why``
    has the reasons.
    """

    group: str
    paid: int
    unpaid: int
    amounts: Amounts
    why: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """What is wrong with the unpaid ones; empty where there is none."""
        if not self.unpaid:
            return ""
        asked = self.paid + self.unpaid
        return (
            f"{self.unpaid} of {asked} jobs of {self.group} with HtcqProtected = true are not "
            f"protected: {'; '.join(self.why)}"
        )


@dataclass(frozen=True)
class Protection:
    """The jobs that are protected, and what of each group asks for it, by name."""

    jobs: frozenset[JobKey]
    uses: tuple[ProtectedUse, ...] = ()


@dataclass
class _ProtectedJobs:
    """What was found of one group so far."""

    paid: int = 0
    unpaid: int = 0
    amounts: dict[str, int] = field(default_factory=dict)
    why: dict[str, None] = field(default_factory=dict)


def protection_of(
    claims: Sequence[GroupClaim], outcome: ElasticOutcome, limits: ReclaimLimits
) -> Protection:
    """Return which of the ``claims``, which are all of the pool, are protected.

    Of a group those that have run for the longest come first.
    """
    mins = _Mins(outcome)
    most = int(limit_in(limits.protected_jobs, len(claims)))
    jobs: set[JobKey] = set()
    found: dict[str, _ProtectedJobs] = {}
    for claim in _in_order(claims):
        asked = found.setdefault(claim.group, _ProtectedJobs())
        why = ""
        if not _may_protect(claim, limits.protectors):
            why = _MAY_NOT
        elif asked.paid >= most:
            why = f"the site lets a group protect {most} jobs"
        elif not mins.pay(claim.group, claim.amounts):
            why = "they use more than the min"
        if not why:
            asked.paid += 1
            jobs.add((claim.schedd, claim.job))
            continue
        asked.unpaid += 1
        asked.why[why] = None
        for name, amount in claim.amounts.items():
            asked.amounts[name] = asked.amounts.get(name, 0) + amount
    return Protection(frozenset(jobs), tuple(_uses(found)))


def _in_order(claims: Iterable[GroupClaim]) -> list[GroupClaim]:
    asking = (claim for claim in claims if claim.asks_protection)
    return sorted(asking, key=lambda each: (each.started or 0.0, each.schedd, each.job, each.slot))


def _uses(found: Mapping[str, _ProtectedJobs]) -> Iterator[ProtectedUse]:
    for group, asked in sorted(found.items()):
        yield ProtectedUse(group, asked.paid, asked.unpaid, asked.amounts, tuple(asked.why))


def _may_protect(claim: GroupClaim, protectors: Sequence[str]) -> bool:
    """Return whether the site lets this submitter, or a group at or above the claim's, protect."""
    group, submitter = f"{claim.group}.".lower(), claim.submitter.lower()
    for each in protectors:
        name = each.lower()
        if name in (EVERYBODY, submitter) or group.startswith(f"{name}."):
            return True
    return False


class _Mins:
    """What is left of the mins in effect.

    A group pays from its own min; then from what the group above it is guaranteed besides the mins
    of all below it, and so on.
    """

    def __init__(self, outcome: ElasticOutcome) -> None:
        self._outcome = outcome
        self._left = {group.name: dict(group.scaled_min) for group in outcome.groups}
        for group in outcome.groups:
            if group.parent:
                above = self._left[group.parent]
                for name, amount in group.scaled_min.items():
                    if name in above:
                        above[name] -= amount

    def pay(self, group: str, amounts: Amounts) -> bool:
        """Take ``amounts`` from a min, and return whether one has as much left."""
        for each in self._payers(group):
            left = self._left[each.name]
            # A dimension of which a group is guaranteed nothing does not limit its use of others.
            wanted = {
                name: amounts.get(name, 0) for name, least in each.scaled_min.items() if least > 0
            }
            if any(wanted.values()) and all(left[name] >= wanted[name] for name in wanted):
                for name, amount in wanted.items():
                    left[name] -= amount
                return True
        return False

    def _payers(self, name: str) -> Iterator[GroupRuntime]:
        own = self._outcome.find(f"{name}.{SELF}") or self._outcome.find(name)
        if own is not None:
            yield own
            yield from self._outcome.above(own)
