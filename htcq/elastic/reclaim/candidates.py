"""Which jobs of groups that are over may be taken back at all, and in which order: the least lost work first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from htcq.elastic.reclaim.free_space import FreeSpaces
from htcq.elastic.reclaim.reclaim_history import Key, ReclaimHistory
from htcq.elastic.reclaim.reclaim_plan import Exemption
from htcq.elastic.reclaim.usage_ledger import UsageLedger
from htcq.elastic.records import PARTS, WEIGHT, GroupClaim
from htcq.settings.reclaim import ReclaimLimits
from htcq.units import whole_number

#: A job that started so many seconds after the look: clocks differ by more than the way of a
#: message.
_AHEAD = 30.0


@dataclass(frozen=True)
class Candidate:
    """A job that may be taken back; ``place`` is the slot that is there afterwards."""

    claim: GroupClaim
    place: str
    ran: float

    @property
    def key(self) -> Key:
        """Its schedd and number."""
        return (self.claim.schedd, self.claim.job)

    @property
    def parts(self) -> int:
        """Its slot weight, in parts: sums of these are exact."""
        return self.claim.amounts.get(WEIGHT, 0)

    @property
    def lost_weight_hours(self) -> float:
        """What it loses."""
        return 0.0 if self.claim.checkpoints else self.parts / PARTS * self.ran / 3600


class Candidates:
    """Sorts claims of groups that are over into those that may be taken back and those that may not."""

    def __init__(
        self,
        limits: ReclaimLimits,
        now: float,
        past: ReclaimHistory,
        rooms: FreeSpaces,
        ends: Mapping[Key, float] | None = None,
    ) -> None:
        self._limits, self._now, self._past, self._rooms = limits, now, past, rooms
        self._ends = ends or {}
        self.spared: list[Exemption] = []

    def of(self, claims: Iterable[GroupClaim], standings: UsageLedger) -> list[Candidate]:
        """Return those of ``claims`` that may be taken back, in order; the others are in :attr:`spared`."""
        found = []
        for claim in claims:
            why = self._kept(claim)
            if why:
                self.spared.append(
                    Exemption(claim.group, claim.schedd, claim.job or claim.slot, why)
                )
            else:
                assert claim.started is not None
                found.append(
                    Candidate(
                        claim, self._rooms.place(claim.slot), max(0.0, self._now - claim.started)
                    )
                )
        return sorted(found, key=lambda each: self._order(each, standings))

    def _order(self, each: Candidate, standings: UsageLedger) -> tuple[object, ...]:
        claim = each.claim
        numbers = tuple(whole_number(part) or 0 for part in claim.job.split("."))
        ratio = standings.ratio(claim.group)
        return (
            not claim.checkpoints,
            each.ran,
            claim.prio,
            -ratio,
            claim.schedd,
            numbers,
            claim.slot,
        )

    def _kept(self, claim: GroupClaim) -> str:
        if claim.protected:
            return claim.protected
        if not claim.job or not claim.schedd:
            return "the job in the slot is not known"
        if claim.started is None:
            return "the start time of the job is not known"
        if not self._rooms.known(self._rooms.place(claim.slot)):
            return "its slot accepts no new job, or is not known"
        return self._too_soon(claim, self._now - claim.started)

    def _too_soon(self, claim: GroupClaim, ran: float) -> str:
        limits = self._limits
        if ran < -_AHEAD:
            return f"it started {-ran:.0f} s after this observation: clocks differ"
        if ran < limits.min_runtime:
            return (
                f"it has run {max(0.0, ran):.0f} s of the {limits.min_runtime} s that are "
                "guaranteed to every job"
            )
        left = self._ends.get((claim.schedd, claim.job))
        if left is not None and left <= limits.grace:
            return f"it ends within {max(0.0, left):.0f} s"
        times = max(claim.vacated, self._past.times_vacated((claim.schedd, claim.job)))
        if times >= limits.vacates:
            return f"it was vacated {times} times already"
        return ""
