"""Does what a plan of reclaim says: ceilings first, then jobs, batch by batch, with the journal before and after.

What cannot be reached costs its own part of the plan and nothing else; what was done and what
was not is in the journal and in what is returned.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from htcq.elastic.reclaim.precheck import unlike
from htcq.elastic.reclaim.reclaim_history import (
    BATCH,
    INTENT,
    LOOKED,
    MEASURED,
    OUTCOME,
    PAYLOAD,
    STOPPED,
    ReclaimHistory,
)
from htcq.operations.ceilings import Ceilings

if TYPE_CHECKING:
    from htcq.elastic.reclaim.reclaim_plan import Eviction, ReclaimPlan
    from htcq.elastic.records import ElasticObservation
    from htcq.live.vacating import Queues
    from htcq.settings.reclaim import ReclaimLimits
    from htcq.store.reclaim_journal import ReclaimJournal


@dataclass
class Report:
    """What was done: jobs that were vacated, why others were not, and what became of ceilings, as sentences."""

    vacated: list[Eviction] = field(default_factory=list)
    failed: list[tuple[Eviction, str]] = field(default_factory=list)
    told: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Reclaimer:
    """One pool, its journal, and what acts on it; whoever uses it holds the journal's lock."""

    journal: ReclaimJournal
    ceilings: Ceilings
    queues: Queues
    limits: ReclaimLimits
    negotiator: str
    operator: str

    def write(self, kind: str, **told: Any) -> None:
        """Add a record of this ``kind``."""
        self.journal.append(
            {"kind": kind, "time": time.time(), "operator": self.operator,
             PAYLOAD: {"negotiator": self.negotiator, **told}}
        )  # fmt: skip

    def record(self, plan: ReclaimPlan, past: ReclaimHistory) -> None:
        """Record what was seen, and what became of earlier actions."""
        self.journal.append(
            {
                "kind": LOOKED,
                "time": plan.taken_at,
                "operator": self.operator,
                PAYLOAD: {
                    "negotiator": self.negotiator,
                    "over": [each.group for each in plan.over],
                    "needs": [each.group for each in plan.needs],
                },
            }
        )
        for action, taken in plan.measured:
            self.write(MEASURED, action=action, taken=taken)
        if plan.stopped and past.useless(dict(plan.measured)):
            self.write(STOPPED, why=plan.stopped)

    def act(
        self, plan: ReclaimPlan, observation: ElasticObservation, places: Mapping[str, str]
    ) -> Report:
        """Do what ``plan`` says; ``places`` has by the name of a slot where that is.

        Raises:
            JournalError: the journal cannot be written: nothing is done of what it does not have.
        """
        report = Report()
        self.ceilings.recognize(report.told)
        self.ceilings.release(plan.release, report.told)
        self.ceilings.renew(plan.renew, report.told)
        if not plan.victims:
            return report
        held = self.ceilings.hold(plan.ceilings, report.told)
        able = []
        for victim in plan.victims:
            why = held.get(victim.submitter, "")
            if why:
                report.failed.append((victim, why))
            else:
                able.append(victim)
        if able:
            self._vacate(able, plan, observation, places, report)
        return report

    def _vacate(
        self,
        able: Sequence[Eviction],
        plan: ReclaimPlan,
        observation: ElasticObservation,
        places: Mapping[str, str],
        report: Report,
    ) -> None:
        action = f"{plan.taken_at:.0f}-{time.time_ns()}"
        freed = sorted({places[victim.slot] for victim in able})
        needy = sorted({use.group for use in plan.uses})
        there = [
            {"schedd": claim.schedd, "job": claim.job}
            for claim in observation.claims
            if claim.group in needy and places.get(claim.slot) in freed
        ]
        self.write(
            INTENT,
            action=action,
            jobs=[_told(victim) for victim in able],
            places=freed,
            needy=needy,
            there=there,
        )
        for schedd in sorted({victim.schedd for victim in able}):
            silent = ""
            for batch in _batches(
                [victim for victim in able if victim.schedd == schedd], self.limits.batch
            ):
                ended = self._batch(action, schedd, batch, silent)
                silent = ended.silent
                by_job = {victim.job: victim for victim in batch}
                vacated = [
                    victim
                    for victim in batch
                    if victim.job not in {**ended.failed, **ended.doubtful}
                ]
                failed = [{**_told(by_job[job]), "why": why} for job, why in ended.failed.items()]
                doubtful = [
                    {**_told(by_job[job]), "why": why} for job, why in ended.doubtful.items()
                ]
                done = [_told(victim) for victim in vacated]
                self.write(OUTCOME, action=action, done=done, failed=failed, doubtful=doubtful)
                report.vacated += vacated
                report.failed += [
                    (by_job[job], why)
                    for job, why in (*ended.failed.items(), *ended.doubtful.items())
                ]

    def _batch(self, action: str, schedd: str, batch: Sequence[Eviction], silent: str) -> _Ended:
        """Vacate those of ``batch`` that are as they were; ``silent`` says why the schedd did not answer before."""
        jobs = [victim.job for victim in batch]
        if silent:
            return _Ended(
                dict.fromkeys(jobs, f"{schedd} did not answer before: {silent}"), silent=silent
            )
        now, silent = self.queues.running(schedd, jobs, self.limits.wall_time)
        if silent:
            return _Ended(dict.fromkeys(jobs, f"{schedd}: {silent}"), silent=silent)
        checked = {victim.job: unlike(victim, now.get(victim.job), self.limits) for victim in batch}
        failed = {job: why for job, why in checked.items() if why}
        able = [victim for victim in batch if victim.job not in failed]
        if not able:
            return _Ended(failed)
        self.write(BATCH, action=action, jobs=[_told(victim) for victim in able])
        done = self.queues.vacate(schedd, [victim.job for victim in able])
        if done.doubt:
            why = f"nobody knows whether {schedd} has vacated it: {done.doubt}"
            return _Ended(failed, {victim.job: why for victim in able}, done.doubt)
        return _Ended({**failed, **done.failed})


@dataclass(frozen=True)
class _Ended:
    """What came of a batch, by job: why it was not vacated, and why nobody knows; and why its schedd is silent."""

    failed: Mapping[str, str] = field(default_factory=dict)
    doubtful: Mapping[str, str] = field(default_factory=dict)
    silent: str = ""


def _batches(victims: Sequence[Eviction], size: int) -> Iterator[Sequence[Eviction]]:
    for start in range(0, len(victims), size):
        yield victims[start : start + size]


def _told(victim: Eviction) -> dict[str, str]:
    return {
        "schedd": victim.schedd,
        "job": victim.job,
        "group": victim.group,
        "submitter": victim.submitter,
    }
