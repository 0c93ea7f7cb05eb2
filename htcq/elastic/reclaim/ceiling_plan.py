"""The ceilings that keep what is taken back from coming straight back: what each submitter uses less what is taken.

A submitter's ceiling is in whole slot weights (src/condor_negotiator.V6/Accountant.cpp: Ceiling,
HTCondor 25.14). One that somebody else has set is never changed: it counts if it is low enough.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from htcq.elastic.reclaim.candidates import Candidate
from htcq.elastic.reclaim.reclaim_history import OwnCeiling
from htcq.elastic.reclaim.reclaim_plan import Ceiling
from htcq.elastic.reclaim.usage_ledger import UsageLedger
from htcq.elastic.records import PARTS, WEIGHT, GroupClaim, IdleJobs


class CeilingPlan:
    """What submitters use, what of it is taken back, and the ceilings that are theirs (``foreign``)."""

    def __init__(
        self, claims: Iterable[GroupClaim], idle: Iterable[IdleJobs], foreign: Mapping[str, int]
    ) -> None:
        self._used: dict[str, int] = {}
        self._members: dict[str, set[str]] = {}
        for claim in claims:
            parts = claim.amounts.get(WEIGHT, 0)
            self._used[claim.submitter] = self._used.get(claim.submitter, 0) + parts
            self._members.setdefault(claim.group, set()).add(claim.submitter)
        for each in idle:
            self._members.setdefault(each.group, set()).add(each.submitter)
        self._foreign = foreign
        self._taken: dict[str, int] = {}
        self._groups: dict[str, int] = {}

    def refusal(self, one: Candidate, also: Sequence[Candidate]) -> str:
        """Return why ``one`` could come straight back, with ``also`` taken back besides; empty: a ceiling keeps it."""
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
        return max(0, self._used.get(who, 0) - self._taken.get(who, 0) - more) // PARTS

    def spend(self, gone: Iterable[Candidate], sign: int) -> None:
        """Count ``gone`` as taken back, or not (-1)."""
        for one in gone:
            who = one.claim.submitter
            self._taken[who] = self._taken.get(who, 0) + sign * one.parts
            self._groups[one.claim.group] = self._groups.get(one.claim.group, 0) + sign

    def ceilings(self) -> Iterator[Ceiling]:
        """Yield the ceilings to be set: of every submitter of a group that gives something back."""
        for group in sorted(name for name, count in self._groups.items() if count > 0):
            for who in sorted(self._members.get(group, ())):
                if who and who not in self._foreign:
                    used, taken = self._used.get(who, 0) / PARTS, self._taken.get(who, 0) / PARTS
                    yield Ceiling(who, group, self._ceiling(who), used, taken)

    def kept(self) -> Iterator[str]:
        """Yield, as sentences, the ceilings of others in those groups."""
        for group in sorted(name for name, count in self._groups.items() if count > 0):
            for who in sorted(self._members.get(group, ()) & self._foreign.keys()):
                yield (
                    f"the ceiling of {who} ({self._foreign[who]}) was set by somebody else and "
                    "stays"
                )


def done_with(
    ceilings: Mapping[str, OwnCeiling], standings: UsageLedger, release: float
) -> Iterator[str]:
    """Yield the submitters whose ceilings of ours have done what they were for.

    Who asks for no more than the runtime may have all of it; who does must use ``release`` of it
    or less.
    """
    for who, own in sorted(ceilings.items()):
        group, used = standings.own(own.group), standings.used(own.group)
        below = group is None or all(
            used.get(name, 0) <= release * amount for name, amount in group.runtime.items()
        )
        if group is None or below or not (any(group.waiting.values()) or any(group.over.values())):
            yield who


def to_renew(
    ceilings: Mapping[str, OwnCeiling], release: Collection[str], soon: float
) -> Iterator[str]:
    """Yield the submitters whose leases of ours end before ``soon`` and are not to be released."""
    for who, own in sorted(ceilings.items()):
        if who not in release and own.until is not None and own.until < soon:
            yield who
