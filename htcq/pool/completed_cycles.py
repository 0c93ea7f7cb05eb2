"""The negotiator's own statistics of the cycles that it completed last.

A negotiator ad has them by the age of the cycle, 0 for the newest; of three cycles by default
(publishNegotiationCycleStats of src/condor_negotiator.V6/matchmaker.cpp, 25.14). Times are in
seconds since 1970 by the negotiator's clock.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from htcq.pool.pool import Pool
from htcq.pool.record import Record

_PREFIX = "LastNegotiationCycle"
#: A negotiator keeps no more (MAX_NEGOTIATION_CYCLE_STATS of matchmaker.h).
_MOST = 100


@dataclass(frozen=True)
class CompletedCycle:
    """One cycle: when it began, how long it took in seconds, and what came of it.

    ``matches``, ``rejections`` and ``considered`` (requests) are None where the ad does not say.
    ``cut_off`` are the submitters and access points that a time limit ended, and the submitters
    whose access point did not answer, by attribute. ``limited`` are the submitters that reached
    their share.
    """

    begin: float
    seconds: float
    matches: float | None
    rejections: float | None
    considered: float | None
    cut_off: tuple[tuple[str, str], ...]
    limited: tuple[str, ...] = ()


def completed_cycles(pool: Pool) -> tuple[CompletedCycle, ...]:
    """Return the cycles that the pool's negotiator completed last, the newest first.

    There is none where the pool has several negotiators and its own one is not known.
    """
    known = [each for each in pool.negotiators if pool.negotiator in ("", each.name)]
    if len(known) != 1:
        return ()
    return tuple(_cycles(known[0]))


def _cycles(negotiator: Record) -> Iterator[CompletedCycle]:
    for age in range(_MOST):
        begin = negotiator.number(f"{_PREFIX}Time{age}")
        if begin is None:
            return
        yield CompletedCycle(
            begin,
            negotiator.number(f"{_PREFIX}Duration{age}") or 0.0,
            negotiator.number(f"{_PREFIX}Matches{age}"),
            negotiator.number(f"{_PREFIX}Rejections{age}"),
            negotiator.number(f"{_PREFIX}NumJobsConsidered{age}"),
            tuple(_cut_off(negotiator, age)),
            _listed(negotiator, "SubmittersShareLimit", age),
        )


def _cut_off(negotiator: Record, age: int) -> Iterator[tuple[str, str]]:
    for what in ("SubmittersOutOfTime", "ScheddsOutOfTime", "SubmittersFailed"):
        for name in _listed(negotiator, what, age):
            yield what, name


def _listed(negotiator: Record, what: str, age: int) -> tuple[str, ...]:
    """Return the submitters or access points that an attribute of one cycle lists."""
    return tuple(negotiator.text(f"{_PREFIX}{what}{age}").replace(",", " ").split())
