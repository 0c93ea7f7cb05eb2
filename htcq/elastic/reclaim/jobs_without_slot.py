"""Who is in need: groups below their runtime, with idle jobs that no free slot would take."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from htcq.elastic.reclaim.free_space import FreeSpaces
from htcq.elastic.reclaim.usage_ledger import UsageLedger
from htcq.elastic.records import ElasticObservation, IdleJobs
from htcq.pool.autocluster import Autocluster
from htcq.pool.job import Job
from htcq.pool.pool import Pool
from htcq.units import whole_number


@dataclass
class JobsWithoutSlot:
    """Idle jobs that are alike, of which ``left`` are without a slot in thought."""

    idle: IdleJobs
    jobs: Autocluster
    left: int

    @property
    def group(self) -> str:
        """Whose they are."""
        return self.idle.group


@dataclass(frozen=True)
class Waits:
    """What waits for room in vain; and by place the jobs that a free slot will take, for which there must be room."""

    jobs: tuple[JobsWithoutSlot, ...]
    served: Mapping[str, tuple[Autocluster, ...]]


def waits_of(
    observation: ElasticObservation, pool: Pool, standings: UsageLedger, rooms: FreeSpaces
) -> Waits:
    """Return who waits, the groups that use the least of their runtime first.

    What their runtimes leave no room for is left out. What a free slot takes is matched without
    anybody's doing: it counts as used from here on.
    """
    by_id = {(_text(job.schedd), job.id): job for job in pool.jobs or ()}
    groups = sorted(
        {each.group for each in observation.idle}, key=lambda name: (standings.ratio(name), name)
    )
    free = _Free(standings, rooms)
    found = []
    for name in groups:
        mine = [each for each in observation.idle if each.group == name and each.count > 0]
        for idle in sorted(mine, key=lambda each: (each.submitter, each.schedd, _number(each.job))):
            job = by_id.get((idle.schedd, idle.job))
            if job is None:
                continue
            jobs = _class_of(job)
            left = free.left(idle, jobs)
            if left:
                found.append(JobsWithoutSlot(idle, jobs, left))
    free.forget_waiting()
    return Waits(tuple(found), {place: tuple(jobs) for place, jobs in free.served.items()})


class _Free:
    """The free slots, as idle jobs come to them."""

    def __init__(self, standings: UsageLedger, rooms: FreeSpaces) -> None:
        self._standings = standings
        self._rooms = [
            (place, room) for place in rooms.free() if (room := rooms.room(place)) is not None
        ]
        self._waiting: list[IdleJobs] = []
        self.served: dict[str, list[Autocluster]] = {}

    def left(self, idle: IdleJobs, jobs: Autocluster) -> int:
        """Return how many of the jobs have room in the group's runtime and none in a slot."""
        count = 0
        rooms = iter(self._rooms)
        place, room = next(rooms, ("", None))
        for _ in range(idle.count):
            if not self._standings.fits(idle.group, idle.amounts):
                break
            self._standings.move(idle.group, idle.amounts, 1)
            while room is not None and not room.take(jobs):
                place, room = next(rooms, ("", None))
            if room is None:
                count += 1
                self._waiting.append(idle)
            else:
                self.served.setdefault(place, []).append(jobs)
        return count

    def forget_waiting(self) -> None:
        """Count those as not used that came to no slot."""
        for idle in self._waiting:
            self._standings.move(idle.group, idle.amounts, -1)


def _class_of(job: Job) -> Autocluster:
    return Autocluster(job.frame, job, Counter(), Counter())


def _number(job: str) -> tuple[int, ...]:
    return tuple(whole_number(part) or 0 for part in job.split("."))


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
