"""The ceilings that keep vacated jobs from restarting: the usage less what is taken back.

A submitter's ceiling is in whole slot weights (src/condor_negotiator.V6/Accountant.cpp: Ceiling,
HTCondor 25.14). One that somebody else has set is never changed: it counts if it is low enough.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from htcq.elastic.reclaim.candidates import Candidate
from htcq.elastic.reclaim.reclaim_events import OwnCeiling
from htcq.elastic.reclaim.reclaim_plan import Ceiling
from htcq.elastic.reclaim.usage_ledger import UsageLedger
from htcq.elastic.records import PARTS, WEIGHT, GroupClaim, IdleJobs


class CeilingPlan:
    """Usage by submitter, what of it is taken back, and the ceilings of others (``foreign``)."""

    def __init__(
        self, claims: Iterable[GroupClaim], idle: Iterable[IdleJobs], foreign: Mapping[str, int]
    ) -> None:
        self._foreign = foreign
        #: By submitter, in parts of a slot weight.
        self._used: dict[str, int] = {}
        self._taken: dict[str, int] = {}
        self._submitters: dict[str, set[str]] = defaultdict(set)
        #: By group, how many jobs are taken.
        self._jobs: dict[str, int] = {}
        for claim in claims:
            parts = claim.amounts.get(WEIGHT, 0)
            self._used[claim.submitter] = self._used.get(claim.submitter, 0) + parts
            self._submitters[claim.group].add(claim.submitter)
        for each in idle:
            self._submitters[each.group].add(each.submitter)

    def refusal(self, one: Candidate, also: Sequence[Candidate]) -> str:
        """Return why ``one`` could restart, with ``also`` taken back too; empty: it could not."""
        who = one.claim.submitter
        ceiling = self._foreign.get(who)
        if ceiling is None:
            return ""
        others = sum(each.parts for each in also if each.claim.submitter == who)
        if ceiling <= self._ceiling(who, others + one.parts):
            return ""
        return (
            f"somebody else set the ceiling of {who} to {ceiling}, with which the job would "
            "start again"
        )

    def _ceiling(self, who: str, more: int = 0) -> int:
        left = self._used.get(who, 0) - self._taken.get(who, 0) - more
        return max(0, left) // PARTS

    def spend(self, candidates: Iterable[Candidate], sign: int) -> None:
        """Count ``candidates`` as taken back, or no longer (-1)."""
        for one in candidates:
            who = one.claim.submitter
            self._taken[who] = self._taken.get(who, 0) + sign * one.parts
            self._jobs[one.claim.group] = self._jobs.get(one.claim.group, 0) + sign

    def ceilings(self) -> Iterator[Ceiling]:
        """Yield the ceilings to be set: of every submitter of a group that loses jobs."""
        for group in self._losing():
            for who in sorted(self._submitters[group] - self._foreign.keys()):
                if who:
                    used = self._used.get(who, 0) / PARTS
                    taken = self._taken.get(who, 0) / PARTS
                    yield Ceiling(who, group, self._ceiling(who), used, taken)

    def kept(self) -> Iterator[str]:
        """Yield, as sentences, the ceilings of others in these groups."""
        for group in self._losing():
            for who in sorted(self._submitters[group] & self._foreign.keys()):
                ceiling = self._foreign[who]
                yield f"the ceiling of {who} ({ceiling}) was set by somebody else and stays"

    def _losing(self) -> list[str]:
        """Return the groups that lose jobs."""
        return sorted(name for name, count in self._jobs.items() if count > 0)


def no_longer_needed(
    ceilings: Mapping[str, OwnCeiling], ledger: UsageLedger, release: float
) -> Iterator[str]:
    """Yield the submitters whose ceilings of ours are no longer needed.

    A group that asks for more than its runtime must use no more than ``release`` of it; one that
    asks for less may use all of it.
    """
    for who, own in sorted(ceilings.items()):
        group = ledger.own(own.group)
        if group is None:
            yield who
            continue
        used = ledger.used(own.group)
        below = all(used.get(name, 0) <= release * most for name, most in group.runtime.items())
        asks_for_more = any(group.waiting.values()) or any(group.over.values())
        if below or not asks_for_more:
            yield who


def to_renew(
    ceilings: Mapping[str, OwnCeiling], release: Collection[str], soon: float
) -> Iterator[str]:
    """Yield the submitters whose leases of ours end before ``soon`` and are not to be released."""
    for who, own in sorted(ceilings.items()):
        if who in release or own.until is None:
            continue
        if own.until < soon:
            yield who
