"""Does what a plan of reclaim says: ceilings first, then jobs, batch by batch.

The journal has each action before and after. A schedd that cannot be reached affects its own part
of the plan only; what was done and what was not is in the journal and in the report.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from htcq.elastic.reclaim.precheck import reason_not_to_vacate
from htcq.elastic.reclaim.reclaim_events import (
    BatchEvent,
    BatchOutcomeEvent,
    IntentEvent,
    MeasurementEvent,
    ObservationEvent,
    Origin,
    StopEvent,
)
from htcq.elastic.reclaim.reclaim_fields import FailedJob, JobEntry
from htcq.operations.ceilings import Ceilings

if TYPE_CHECKING:
    from htcq.elastic.journal import PoolSeen
    from htcq.elastic.reclaim.reclaim_history import ReclaimHistory
    from htcq.elastic.reclaim.reclaim_plan import Eviction, ReclaimPlan
    from htcq.live.vacating import Queues
    from htcq.operations.reclaim_record import ObservedReclaim
    from htcq.settings.reclaim import ReclaimLimits
    from htcq.store.reclaim_journal import ReclaimJournal


@dataclass
class ReclaimReport:
    """The jobs that were vacated, the others with the reason, and messages about ceilings."""

    vacated: list[Eviction] = field(default_factory=list)
    failed: list[tuple[Eviction, str]] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Reclaimer:
    """One pool, its journal, and what acts on it; the caller holds the lock of the journal.

    ``stopped`` tells why no further batch may be vacated, and is empty where one may.
    """

    journal: ReclaimJournal
    ceilings: Ceilings
    queues: Queues
    limits: ReclaimLimits
    negotiator: str
    operator: str
    stopped: Callable[[], str] = str

    def record(self, plan: ReclaimPlan, history: ReclaimHistory, seen: PoolSeen) -> None:
        """Record what was observed, and whether earlier actions were of use.

        Raises:
            JournalError: the journal cannot be written.
        """
        self.journal.append(
            ObservationEvent(
                Origin(plan.taken_at, self.operator, self.negotiator),
                over=tuple(each.group for each in plan.over),
                needs=tuple(each.group for each in plan.needs),
                slots=seen.slots,
                schedds=seen.schedds,
                pool_weight=seen.pool_weight,
                ending=plan.ending,
                usage=seen.usage,
            )
        )
        for action, found in plan.measured:
            event = MeasurementEvent(self._origin(), action, found.taken, found.withdrawn)
            self.journal.append(event)
        if plan.stopped and history.useless(dict(plan.measured)):
            self.journal.append(StopEvent(self._origin(), plan.stopped))

    def act(self, found: ObservedReclaim) -> ReclaimReport:
        """Do what the plan of ``found`` says.

        Raises:
            JournalError: the journal cannot be written. Nothing is done that is not in the journal.
        """
        plan, report = found.plan, ReclaimReport()
        self.ceilings.recognize(report.messages)
        self.ceilings.release(plan.release, report.messages)
        self.ceilings.renew(plan.renew, report.messages)
        if not plan.evictions:
            return report
        refused = self.ceilings.set_all(plan.ceilings, report.messages)
        able = []
        for eviction in plan.evictions:
            why = refused.get(eviction.submitter, "")
            if why:
                report.failed.append((eviction, why))
            else:
                able.append(eviction)
        if able:
            intent = self._intent(able, found)
            self.journal.append(intent)
            self._vacate(intent.action, able, report)
        return report

    def _intent(self, evictions: Sequence[Eviction], found: ObservedReclaim) -> IntentEvent:
        plan = found.plan
        freed = sorted({found.places[eviction.slot] for eviction in evictions})
        # The negotiator chooses among all of them.
        needy = sorted(each.group for each in plan.needs if each.ready)
        there = [
            (claim.schedd, claim.job)
            for claim in found.needy
            if claim.group in needy and claim.place in freed
        ]
        return IntentEvent(
            self._origin(),
            action=f"{plan.taken_at:.0f}-{time.time_ns()}",
            jobs=_entries(evictions),
            places=tuple(freed),
            needy=tuple(needy),
            there=tuple(there),
            wanted=_wanted(plan, freed),
        )

    def _vacate(self, action: str, evictions: Sequence[Eviction], report: ReclaimReport) -> None:
        """Vacate jobs, schedd by schedd; a schedd that is silent once is not asked again."""
        for schedd in sorted({eviction.schedd for eviction in evictions}):
            silent = ""
            of_schedd = [eviction for eviction in evictions if eviction.schedd == schedd]
            for batch in _batches(of_schedd, self.limits.batch):
                stopped = self.stopped()
                if stopped:
                    ended = _BatchResult(_same(batch, stopped), silent=silent)
                elif silent:
                    why = f"{schedd} did not answer before: {silent}"
                    ended = _BatchResult(_same(batch, why), silent=silent)
                else:
                    ended = self._vacate_batch(action, schedd, batch)
                silent = ended.silent
                self._report(action, batch, ended, report)

    def _vacate_batch(self, action: str, schedd: str, batch: Sequence[Eviction]) -> _BatchResult:
        """Vacate those of ``batch`` that still run as they were planned."""
        jobs = [eviction.job for eviction in batch]
        running, silent = self.queues.universes(schedd, jobs)
        if silent:
            return _BatchResult(_same(batch, f"{schedd}: {silent}"), silent=silent)
        claims, unknown = self.queues.claims(eviction.slot for eviction in batch)
        if unknown:
            return _BatchResult(_same(batch, f"its slot is not known: {unknown}"))
        failed: dict[str, str] = {}
        able = []
        for eviction in batch:
            universe, claim = running.get(eviction.job), claims.get(eviction.slot)
            why = reason_not_to_vacate(eviction, universe, claim, self.limits)
            if why:
                failed[eviction.job] = why
            else:
                able.append(eviction)
        if not able:
            return _BatchResult(failed)
        self.journal.append(BatchEvent(self._origin(), action, _entries(able)))
        done = self.queues.vacate(schedd, [eviction.job for eviction in able])
        if done.doubt:
            why = f"whether {schedd} has vacated it is unknown: {done.doubt}"
            return _BatchResult(failed, _same(able, why), done.doubt)
        return _BatchResult({**failed, **done.failed})

    def _report(
        self, action: str, batch: Sequence[Eviction], ended: _BatchResult, report: ReclaimReport
    ) -> None:
        """Add the outcome of a batch to the journal and to the report."""
        by_job = {eviction.job: eviction for eviction in batch}
        not_vacated = {**ended.failed, **ended.doubtful}
        vacated = [eviction for eviction in batch if eviction.job not in not_vacated]
        self.journal.append(
            BatchOutcomeEvent(
                self._origin(),
                action,
                done=_entries(vacated),
                failed=_failures(by_job, ended.failed),
                doubtful=_failures(by_job, ended.doubtful),
            )
        )
        report.vacated += vacated
        report.failed += [(by_job[job], why) for job, why in not_vacated.items()]

    def _origin(self) -> Origin:
        return Origin(time.time(), self.operator, self.negotiator)


@dataclass(frozen=True)
class _BatchResult:
    """By job, why it was not vacated and why that is unknown; and why the schedd is silent."""

    failed: Mapping[str, str] = field(default_factory=dict)
    doubtful: Mapping[str, str] = field(default_factory=dict)
    silent: str = ""


def _wanted(plan: ReclaimPlan, places: Collection[str]) -> dict[str, int]:
    """Return, by submitter, how many idle jobs are to run at ``places``."""
    return dict(Counter(each.submitter for each in plan.uses if each.place in places))


def _batches(evictions: Sequence[Eviction], size: int) -> Iterator[Sequence[Eviction]]:
    for start in range(0, len(evictions), size):
        yield evictions[start : start + size]


def _same(evictions: Sequence[Eviction], why: str) -> dict[str, str]:
    """Return the same reason for each job."""
    return dict.fromkeys((eviction.job for eviction in evictions), why)


def _entries(evictions: Sequence[Eviction]) -> tuple[JobEntry, ...]:
    return tuple(map(_entry, evictions))


def _failures(by_job: Mapping[str, Eviction], reasons: Mapping[str, str]) -> tuple[FailedJob, ...]:
    return tuple(FailedJob(_entry(by_job[job]), why) for job, why in reasons.items())


def _entry(eviction: Eviction) -> JobEntry:
    return JobEntry(
        eviction.schedd, eviction.job, eviction.group, eviction.submitter, eviction.hours
    )
