"""What the collector and the schedds say of a pool as time goes by.

Slots, jobs, demand, and what runs against limits.

Follows src/condor_schedd.V6/schedd.cpp (fill_submitter_ad, count_jobs), HTCondor 25.14.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from datetime import datetime, timezone

from htcq.classads import as_number
from htcq.pool.pool import Pool
from htcq.pool.record import SCHEDD, SUBMITTER, Record
from htcq.pool.slot import Slot
from htcq.pool.weights import Weights
from htcq.simulate.course.claims import Claim
from htcq.simulate.course.waiting import Waiting


class Shown:
    """Shows ``pool``, which was captured at ``moment`` (seconds since 1970; None: nobody knows)."""

    def __init__(self, pool: Pool, moment: float | None) -> None:
        self._pool, self._moment, self._weights = pool, moment, Weights()

    def at(
        self,
        seconds: float,
        slots: Iterable[Slot],
        waiting: Waiting,
        claims: Collection[Claim],
        running: Mapping[tuple[str, str], int],
    ) -> Pool:
        """Return the pool as it is so many seconds after its capture.

        ``running`` counts jobs by schedd and user.
        """
        submitters = waiting.records(self._submitted(claims))
        records = {
            **(self._pool.records or {}),
            SUBMITTER: submitters,
            SCHEDD: self._schedds(claims),
        }
        return replace(
            self._pool,
            slots=tuple(slots),
            jobs=tuple(waiting.jobs()),
            records=records,
            users=self._users(running),
            taken_at=self._pool.taken_at if self._moment is None else _iso(self._moment + seconds),
        )

    def _submitted(self, claims: Iterable[Claim]) -> Mapping[tuple[str, str], tuple[int, float]]:
        """Return number and weight of the claims of each submitter at each schedd."""
        found: dict[tuple[str, str], tuple[int, float]] = {}
        for claim in claims:
            whose = (claim.submitter, claim.schedd)
            number, weight = found.get(whose, (0, 0.0))
            found[whose] = (number + 1, weight + (as_number(self._weights.of(claim.slot)) or 0.0))
        return found

    def _schedds(self, claims: Iterable[Claim]) -> tuple[Record, ...]:
        """Return the schedd ads with what runs now, which counts against MAX_JOBS_RUNNING."""
        running = Counter(claim.schedd for claim in claims)
        changed = (
            {**each.values, "totalrunningjobs": running[each.name]} for each in self._pool.schedds
        )
        return tuple(
            replace(each, values=values) for each, values in zip(self._pool.schedds, changed)
        )

    def _users(self, running: Mapping[tuple[str, str], int]) -> tuple[Record, ...] | None:
        """Return the records of users with what they run now, which counts against their limits."""
        if self._pool.users is None:
            return None
        found = []
        for each in self._pool.users:
            jobs = running.get((each.text("ScheddName"), each.text("User")), 0)
            found.append(
                replace(each, values={**each.values, "numrunning": jobs, "numsuspended": 0})
            )
        return tuple(found)


def _iso(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, timezone.utc).isoformat()
