"""Who is in need: groups below their runtime, with idle jobs that no free slot would take."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from htcq.elastic.reclaim.rooms import Rooms
from htcq.elastic.reclaim.standings import Standings
from htcq.elastic.records import Idle, Observation
from htcq.pool.job import Job
from htcq.pool.jobclass import JobClass
from htcq.pool.pool import Pool


@dataclass
class Waiting:
    """Idle jobs that are alike, of which ``left`` are without a slot in thought."""

    idle: Idle
    jobs: JobClass
    left: int

    @property
    def group(self) -> str:
        """Whose they are."""
        return self.idle.group


def waiting_of(observation: Observation, pool: Pool, standings: Standings, rooms: Rooms) -> list[Waiting]:
    """Return what waits for room in vain, the groups that use the least of their runtime first.

    What their runtimes leave no room for is left out, and so is what a free slot would take: that is matched without
    anybody's doing.
    """
    by_id = {(_text(job.schedd), job.id): job for job in pool.jobs or ()}
    groups = sorted({each.group for each in observation.idle}, key=lambda name: (standings.ratio(name), name))
    mine = {name: [each for each in observation.idle if each.group == name and each.count > 0] for name in groups}
    # What is given in thought to free slots is not used in earnest.
    thought = _Thought(standings, rooms)
    found = []
    for name in groups:
        for idle in sorted(mine[name], key=lambda each: (each.submitter, each.schedd, _number(each.job))):
            job = by_id.get((idle.schedd, idle.job))
            if job is None:
                continue
            jobs = _class_of(job)
            left = thought.left(idle, jobs)
            if left:
                found.append(Waiting(idle, jobs, left))
    thought.undo()
    return found


class _Thought:
    """Idle jobs on free slots, as far as these go; what they would use counts until it is undone."""

    def __init__(self, standings: Standings, rooms: Rooms) -> None:
        self._standings = standings
        self._free = [room for room in (rooms.room(place) for place in rooms.free()) if room is not None]
        self._moved: list[Idle] = []

    def left(self, idle: Idle, jobs: JobClass) -> int:
        """Return how many of the jobs have room in the group's runtime and none in a slot."""
        count = 0
        rooms = iter(self._free)
        room = next(rooms, None)
        for _ in range(idle.count):
            if not self._standings.fits(idle.group, idle.amounts):
                break
            self._standings.move(idle.group, idle.amounts, 1)
            self._moved.append(idle)
            while room is not None and not room.take(jobs):
                room = next(rooms, None)
            count += room is None
        return count

    def undo(self) -> None:
        """Take back what was only thought."""
        for idle in self._moved:
            self._standings.move(idle.group, idle.amounts, -1)


def _class_of(job: Job) -> JobClass:
    return JobClass(job.frame, job, Counter(), Counter())


def _number(job: str) -> tuple[int, ...]:
    return tuple(int(part) if part.isdigit() else 0 for part in job.split("."))


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
