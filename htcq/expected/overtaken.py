"""Large jobs that have waited for more than a day while smaller ones were given the cores.

The negotiator matches what fits: the cores of a claim that ends go to the next small job, and no
machine comes to have enough at once (matchmaker.cpp, HTCondor 25.14). condor_defrag mends that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from htcq.classads import as_number
from htcq.expected.settled import is_over
from htcq.expected.unmet import FRAGMENTED, WARNING, Observed, Unmet, keys_of
from htcq.pool.job import Job
from htcq.pool.slot import DYNAMIC, Number
from htcq.pool.slot_state import is_draining
from htcq.poolquota.ailment import ObservedPool
from htcq.units import CPUS, counted
from htcq.why.match_failure import NO_ROOM
from htcq.why.verdict import Verdict, Verdicts

#: Seconds after which it is no accident of the hour.
_LONG = 86400


def overtaken(verdicts: Verdicts, found: Iterable[Verdict]) -> Iterator[Unmet]:
    """Yield the jobs that lack only cores on one machine; ``found`` are those on all idle jobs."""
    slots, now = verdicts.pool.slots or (), ObservedPool(verdicts.pool).now
    if now is None or any(map(is_draining, slots)):
        return
    claims = [
        (since, as_number(slot.cpus) or 0)
        for slot in slots
        if slot.type == DYNAMIC and slot.claimed
        and (since := as_number(slot.state_since)) is not None
    ]  # fmt: skip
    late: list[Job] = []
    asked, given = 0.0, 0.0
    for verdict in found:
        cores = _cores_lacking(verdict)
        waiting = [job for job in verdict.jobs if is_over(now - _LONG, job.queued_at)]
        if not cores or not waiting:
            continue
        came = min(as_number(job.queued_at) or now for job in waiting)
        smaller = sum(cpus for since, cpus in claims if since > came and cpus < cores)
        if smaller >= cores:
            late += waiting
            asked, given = max(asked, cores), max(given, smaller)
    if late:
        names = tuple(map(verdicts.pool.job_name, late[:3]))
        yield Unmet(
            FRAGMENTED,
            "the pool",
            f"{counted(len(late), 'idle job')}, such as {names[0]}, have waited for more than a "
            f"day for up to {asked:g} cores on one machine; smaller claims have begun on "
            f"{given:g} cores since",
            "condor_defrag (DAEMON_LIST), or machines that START keeps for large jobs.",
            (Observed("RequestCpus", f"{asked:g}"),),
            keys_of(late),
            len(late),
            names,
            WARNING,
        )


def _cores_lacking(verdict: Verdict) -> Number:
    """Return how many cores a job asks for, if only cores are missing; otherwise 0."""
    if verdict.starts or verdict.fits_nowhere or not verdict.walls:
        return 0
    first = verdict.walls[0]
    asked = first.amounts.get("asked")
    if first.id != NO_ROOM or first.amounts.get("asset") != CPUS:
        return 0
    return asked if isinstance(asked, (int, float)) else 0
