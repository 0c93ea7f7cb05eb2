"""Idle jobs of groups below their runtime that no free slot takes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from htcq.elastic.reclaim.candidates import job_numbers
from htcq.elastic.reclaim.free_space import FreeSpace, FreeSpaces
from htcq.elastic.reclaim.usage_ledger import UsageLedger
from htcq.elastic.records import ElasticObservation, IdleJobs
from htcq.pool.autocluster import Autocluster
from htcq.pool.pool import Pool


@dataclass
class JobsWithoutSlot:
    """Idle jobs that are alike; ``left`` of them would still have no slot.

    ``guaranteed`` of them are within the min of their group.
    """

    idle: IdleJobs
    jobs: Autocluster
    left: int
    guaranteed: int

    @property
    def group(self) -> str:
        """The group that the jobs belong to."""
        return self.idle.group


@dataclass(frozen=True)
class WaitingJobs:
    """Jobs without a slot; and by place the idle jobs that a free slot takes (``served``)."""

    jobs: tuple[JobsWithoutSlot, ...]
    served: Mapping[str, tuple[Autocluster, ...]]

    def at_most(self, allowances: Mapping[str, int]) -> WaitingJobs:
        """Return those for which others' jobs may be vacated.

        ``allowances`` has how many that are, by submitter; of the others all.
        """
        rest, jobs = dict(allowances), []
        for each in self.jobs:
            who = each.idle.submitter
            most = min(each.left, rest.get(who, each.left))
            if who in rest:
                rest[who] -= most
            if most:
                jobs.append(replace(each, left=most, guaranteed=min(most, each.guaranteed)))
        return replace(self, jobs=tuple(jobs))

    def of_mins(self) -> WaitingJobs:
        """Return those that are within the mins of their groups."""
        jobs = [replace(each, left=each.guaranteed) for each in self.jobs if each.guaranteed]
        return replace(self, jobs=tuple(jobs))


def waiting_jobs(
    observation: ElasticObservation, pool: Pool, ledger: UsageLedger, spaces: FreeSpaces
) -> WaitingJobs:
    """Return the waiting jobs, of the groups that use the least of their runtime first.

    Jobs for which a runtime leaves no room are left out. Jobs that a free slot takes are matched
    anyway: they count as used from here on.
    """
    by_id = {(_text(job.schedd), job.id): job for job in pool.jobs or ()}
    free = _FreeSlots(ledger, spaces)
    found = []
    for idle in _in_order(observation.idle, ledger):
        job = by_id.get((idle.schedd, idle.job))
        if job is None:
            continue
        jobs = Autocluster(job.frame, job, Counter(), Counter())
        left, guaranteed = free.jobs_left(idle, jobs)
        if left:
            found.append(JobsWithoutSlot(idle, jobs, left, guaranteed))
    free.forget_waiting()
    served = {place: tuple(jobs) for place, jobs in free.served.items()}
    return WaitingJobs(tuple(found), served)


def _in_order(idle: Iterable[IdleJobs], ledger: UsageLedger) -> list[IdleJobs]:
    ratios = {group: ledger.ratio(group) for group in {each.group for each in idle}}

    def order(each: IdleJobs) -> tuple[object, ...]:
        jobs = (each.submitter, each.schedd, job_numbers(each.job))
        return (ratios[each.group], each.group, *jobs)

    return sorted((each for each in idle if each.count > 0), key=order)


class _FreeSlots:
    """The free slots, which idle jobs fill one after the other."""

    def __init__(self, ledger: UsageLedger, spaces: FreeSpaces) -> None:
        self._ledger = ledger
        self._spaces: list[tuple[str, FreeSpace]] = []
        for place in spaces.free():
            space = spaces.space(place)
            if space is not None:
                self._spaces.append((place, space))
        self._waiting: list[IdleJobs] = []
        self.served: dict[str, list[Autocluster]] = {}

    def jobs_left(self, idle: IdleJobs, jobs: Autocluster) -> tuple[int, int]:
        """Return how many of the jobs fit into the group's runtime, but into no free slot.

        The second number is how many of these are within its min.
        """
        count = guaranteed = 0
        spaces = iter(self._spaces)
        place, space = next(spaces, ("", None))
        for _ in range(idle.count):
            if not self._ledger.fits(idle.group, idle.amounts):
                break
            within_min = self._ledger.within_min(idle.group, idle.amounts)
            self._ledger.move(idle.group, idle.amounts, 1)
            while space is not None and not space.take(jobs):
                place, space = next(spaces, ("", None))
            if space is None:
                count += 1
                guaranteed += within_min
                self._waiting.append(idle)
            else:
                self.served.setdefault(place, []).append(jobs)
        return count, guaranteed

    def forget_waiting(self) -> None:
        """Count the jobs that found no slot as used no longer."""
        for idle in self._waiting:
            self._ledger.move(idle.group, idle.amounts, -1)


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    return ""
