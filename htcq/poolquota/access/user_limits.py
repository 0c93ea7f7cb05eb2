"""How many jobs each user may run at an access point: MaxJobsRunning of user records.

Follows src/condor_schedd.V6/qmgmt.cpp (Runnable, MaxRunningPer, CurRunningPer) and schedd.cpp
(scheduler_getRequestConstraints), HTCondor 25.14; condor_qusers sets it since 25.4. Each request
asks for no more than the user may still start, whatever the user's other requests ask for; jobs
that start count, matches do not. So a cycle may match more: of those the schedd starts as many
as the user may run, and gives the other claims back.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from htcq.pool.job import Job
from htcq.pool.record import Record

_LIMIT = "MaxJobsRunning"


@dataclass
class UserLimit:
    """Limit of the running jobs of one user.

    It counts those that ran when the cycle began and those that start in it.
    """

    user: str
    limit: int
    running: int
    started: int = 0

    @property
    def left(self) -> int:
        """How many more may start."""
        return max(0, self.limit - self.running)


class UserLimits:
    """The limits of all users, by access point; ``records`` are what schedds know of them."""

    def __init__(self, records: Iterable[Record]) -> None:
        self._known: dict[tuple[str, object], UserLimit] = {}
        for record in records:
            limit = record.number(_LIMIT)
            if limit is not None:
                user = record.text("User")
                running = sum(
                    int(record.number(name) or 0) for name in ("NumRunning", "NumSuspended")
                )
                self._known[record.text("ScheddName"), user] = UserLimit(user, int(limit), running)

    def __bool__(self) -> bool:
        return bool(self._known)

    def of(self, job: Job, schedd: str) -> UserLimit | None:
        """Return the limit that a job counts against; None where its user has none."""
        if not self._known:
            return None
        return self._known.get((schedd, job.user))

    def start(self, job: Job, schedd: str) -> bool:
        """Count a job that the schedd is to start.

        Return False where its user runs as many as allowed already.
        """
        limit = self.of(job, schedd)
        if limit is None:
            return True
        if limit.started >= limit.left:
            return False
        limit.started += 1
        return True
