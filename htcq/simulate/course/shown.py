"""What the collector and the schedds say of a pool as time goes by.

Slots, jobs, demand, and what runs against limits.

Follows src/condor_schedd.V6/schedd.cpp (fill_submitter_ad), HTCondor 25.14.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from datetime import datetime, timezone

from htcq.classad.names import words
from htcq.classads import as_number
from htcq.pool.pool import Pool
from htcq.pool.record import SCHEDD, SUBMITTER
from htcq.pool.shared_attributes import frames_of
from htcq.pool.slot import Slot
from htcq.pool.weights import Weights
from htcq.simulate.course.claims import Claim
from htcq.simulate.course.schedds import Schedds
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
        schedds: Schedds,
    ) -> Pool:
        """Return the pool as it is so many seconds after its capture."""
        submitters = waiting.records(self._submitted(claims))
        records = {
            **(self._pool.records or {}),
            SUBMITTER: submitters,
            SCHEDD: schedds.records(),
        }
        return replace(
            self._pool,
            slots=tuple(slots),
            jobs=tuple(waiting.jobs()),
            records=records,
            users=schedds.users(),
            taken_at=self._pool.taken_at if self._moment is None else _iso(self._moment + seconds),
        )

    def _submitted(self, claims: Iterable[Claim]) -> Mapping[tuple[str, str], tuple[int, float]]:
        """Return number and weight of the claims of each submitter at each schedd.

        A claim that is kept idle has no job that counts.
        """
        found: dict[tuple[str, str], tuple[int, float]] = {}
        for claim in claims:
            if claim.waits:
                continue
            if claim.weight is None:
                claim.weight = as_number(self._weights.of(claim.slot)) or 0.0
            whose = (claim.submitter, claim.schedd)
            number, weight = found.get(whose, (0, 0.0))
            found[whose] = (number + 1, weight + claim.weight)
        return found


def _iso(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, timezone.utc).isoformat()


def names_any(pool: Pool, *names: str) -> bool:
    """Return whether a slot, a job or the central manager names any of these attributes."""
    named = {name.lower() for name in names}
    if any(not named.isdisjoint(words(knob.value)) for knob in pool.central or ()):
        return True
    jobs = [*(pool.jobs or ()), *(each.job for each in pool.arriving)]
    for frame in frames_of(pool.slots or ()) | frames_of(jobs):
        if not named.isdisjoint(frame.words()):
            return True
    return False
