"""The jobs that may be taken back, in order: the least lost work first."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby

from htcq.elastic.reclaim.free_space import FreeSpaces
from htcq.elastic.reclaim.reclaim_fields import JobKey
from htcq.elastic.reclaim.reclaim_history import ReclaimHistory
from htcq.elastic.reclaim.reclaim_plan import Exemption
from htcq.elastic.reclaim.usage_ledger import UsageLedger
from htcq.elastic.records import PARTS, WEIGHT, GroupClaim
from htcq.settings.reclaim import ReclaimLimits
from htcq.units import whole_number

#: How many seconds after the observation a job may have started: clocks differ by more than the
#: way of a message.
_AHEAD = 30.0


@dataclass(frozen=True)
class Candidate:
    """A job that may be taken back, and the slot that is there afterwards (``place``).

    ``ran`` is in seconds, ``cost`` what its lost work counts for by its own word.
    """

    claim: GroupClaim
    place: str
    ran: float
    cost: float = 1.0

    @property
    def key(self) -> JobKey:
        """Schedd and number of the job."""
        return (self.claim.schedd, self.claim.job)

    @property
    def parts(self) -> int:
        """Slot weight of the claim, in parts: their sums are exact."""
        return self.claim.amounts.get(WEIGHT, 0)

    @property
    def lost_weight_hours(self) -> float:
        """Work that the job loses by its own word, in slot weight times hours."""
        return self.hours * self.cost

    @property
    def hours(self) -> float:
        """Work that the job loses, in slot weight times hours.

        Limits count this: by its own word a job could use up what may be lost of others' work.
        """
        if self.claim.checkpoints:
            return 0.0
        return self.parts / PARTS * self.ran / 3600


class Candidates:
    """Claims of groups over their runtime, divided into candidates and exemptions."""

    def __init__(
        self,
        limits: ReclaimLimits,
        now: float,
        history: ReclaimHistory,
        spaces: FreeSpaces,
        ends: Mapping[JobKey, float] | None = None,
        protected: Collection[JobKey] = (),
    ) -> None:
        self._limits, self._now, self._history, self._spaces = limits, now, history, spaces
        self._ends, self._protected = ends or {}, protected
        self.exemptions: list[Exemption] = []
        #: Jobs that are left alone because they say that they end soon.
        self.ending: list[JobKey] = []

    def of(self, claims: Iterable[GroupClaim], ledger: UsageLedger) -> list[Candidate]:
        """Return the candidates among ``claims``, in order; the others are exemptions."""
        found = []
        for claim in claims:
            why = self._exemption(claim)
            if why:
                self.exemptions.append(
                    Exemption(claim.group, claim.schedd, claim.job or claim.slot, why)
                )
                continue
            assert claim.started is not None
            ran = max(0.0, self._now - claim.started)
            place = self._spaces.place(claim.slot)
            found.append(Candidate(claim, place, ran, self._limits.cost(claim.cost)))
        return _ordered(found, ledger)

    def _exemption(self, claim: GroupClaim) -> str:
        """Return why ``claim`` is not taken back; empty where it may be."""
        if claim.protected:
            return claim.protected
        if (claim.schedd, claim.job) in self._protected:
            return "the job has HtcqProtected = true"
        if not claim.job or not claim.schedd:
            return "the job in the slot is not known"
        if claim.started is None:
            return "the start time of the job is not known"
        if not self._spaces.known(self._spaces.place(claim.slot)):
            return "its slot accepts no new job, or is not known"
        return self._exemption_by_time(claim, self._now - claim.started)

    def _believed(self, job: JobKey, grace: float) -> bool:
        """Return whether a job may still say that it ends soon: for ``grace`` seconds in all."""
        since = self._history.ending_since(job)
        return since is None or self._now - since <= grace

    def _exemption_by_time(self, claim: GroupClaim, ran: float) -> str:
        limits, own = self._limits, self._limits.of(claim.group)
        if ran < -_AHEAD:
            return f"it started {-ran:.0f} s after this observation: clocks differ"
        if ran < own.min_runtime:
            return (
                f"it has run {max(0.0, ran):.0f} s of the {own.min_runtime} s that are "
                "guaranteed to every job"
            )
        if ran < claim.retirement:
            return f"its MaxJobRetirementTime lasts {claim.retirement - ran:.0f} s more"
        job = (claim.schedd, claim.job)
        left = self._ends.get(job)
        if left is not None and left <= own.grace and self._believed(job, own.grace):
            self.ending.append(job)
            return f"it ends within {max(0.0, left):.0f} s"
        times = self._history.times_vacated(job)
        if times >= limits.vacates:
            return f"it was vacated {times} times already"
        return ""


def _ordered(found: Iterable[Candidate], ledger: UsageLedger) -> list[Candidate]:
    """Return the candidates, the least lost work first.

    What the owner of a job says decides only which of his own jobs go first: of equal ones, and of
    those between which no job of anybody else comes. Nobody else loses a job by it.
    """
    ordered = sorted(found, key=lambda each: _order(each, ledger))
    alike: dict[tuple[object, ...], list[Candidate]] = {}
    for each in ordered:
        alike.setdefault(_alike(each), []).append(each)
    turns = {key: iter(sorted(jobs, key=_own_order)) for key, jobs in alike.items()}
    changed = [next(turns[_alike(each)]) for each in ordered]
    neighbours = (list(jobs) for _, jobs in groupby(changed, _owner))
    return [each for jobs in neighbours for each in sorted(jobs, key=_own_order)]


def _order(candidate: Candidate, ledger: UsageLedger) -> tuple[object, ...]:
    claim = candidate.claim
    return (
        not claim.checkpoints,
        candidate.ran,
        -ledger.ratio(claim.group),
        claim.schedd,
        job_numbers(claim.job),
        claim.slot,
    )


def _owner(candidate: Candidate) -> tuple[object, ...]:
    claim = candidate.claim
    return (claim.submitter, claim.group, claim.checkpoints)


def _alike(candidate: Candidate) -> tuple[object, ...]:
    return (*_owner(candidate), tuple(sorted(candidate.claim.amounts.items())))


def _own_order(candidate: Candidate) -> tuple[object, ...]:
    claim = candidate.claim
    own = (claim.asks_protection, candidate.ran * candidate.cost, claim.prio)
    return (*own, claim.schedd, job_numbers(claim.job), claim.slot)


def job_numbers(job: str) -> tuple[int, ...]:
    """Return cluster and process of ``job``, to sort by; 0 for what is no number."""
    return tuple(whole_number(part) or 0 for part in job.split("."))
