"""Jobs that are yet to arrive, and the arrival of queued ones.

Times are in seconds.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from htcq.pool.job import Job
from htcq.pool.past import Arrival


class Coming:
    """Jobs that arrive one after another.

    Of all others it knows that they were there at the beginning.
    """

    def __init__(self, arriving: Iterable[Arrival]) -> None:
        self._left = deque(sorted(arriving, key=lambda each: each.at))
        self._came: dict[tuple[str, str], Arrival] = {}

    def next(self, until: float) -> Job | None:
        """Return the next job that comes not later than ``until``; None where none does."""
        if not self._left or self._left[0].at > until:
            return None
        arrival = self._left.popleft()
        self._came[arrival.job.submitter, arrival.job.id] = arrival
        return arrival.job

    def came(self, job: Job, at: float) -> None:
        """Note when a job came that nobody announced."""
        self._came[job.submitter, job.id] = Arrival(at, job, None)

    def came_back(self, job: Job, at: float) -> None:
        """Note that a job waits again, which runs as long as it would have."""
        self._came[job.submitter, job.id] = Arrival(at, job, self.seconds(job))

    def came_at(self, job: Job) -> float:
        """Return when a job came."""
        arrival = self._came.get((job.submitter, job.id))
        return 0.0 if arrival is None else arrival.at

    def seconds(self, job: Job) -> float | None:
        """Return how long a job runs that came with that knowledge; None for all others."""
        arrival = self._came.get((job.submitter, job.id))
        return None if arrival is None else arrival.seconds
