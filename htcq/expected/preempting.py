"""Machines where one job after another is preempted for the next: a full pool that gets nowhere.

Each start is lost again before it lasts: a RANK that changes its mind, PREEMPTION_REQUIREMENTS
that are true for both of two users in turn. A startd counts both over the last 20 minutes
(request_claim of src/condor_startd.V6/command.cpp and ResMgr.h, HTCondor 25.14).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from htcq.classads import as_number
from htcq.expected.unmet import (
    LASTS,
    WARNING,
    Observed,
    Unmet,
    keys_of,
    observed_knobs,
)
from htcq.pool.pool import Pool, of_startd
from htcq.pool.slot import DYNAMIC, Slot
from htcq.units import counted, show_number

_PREEMPTED, _BY_RANK, _BY_PRIO, _STARTED = (
    "RecentJobPreemptions",
    "RecentJobRankPreemptions",
    "RecentJobUserPrioPreemptions",
    "RecentJobStarts",
)
#: A new priority or a large job preempts each core once; twice for each core is a pattern, if so
#: much of what started was preempted.
_TIMES, _PART = 2, 0.5
_LEAST = 5
_NAMED = 3


def preempted_again(pool: Pool) -> Iterator[Unmet]:
    """Yield the machines where most of what starts is preempted, again and again."""
    slots: dict[str, list[Slot]] = {}
    for slot in pool.slots or ():
        slots.setdefault(slot.startd, []).append(slot)
    found = {startd: of_it for startd, of_it in slots.items() if is_restless(of_it)}
    if found:
        yield _unmet(pool, found)


def _most(slots: Sequence[Slot], attribute: str) -> float:
    """Return what a startd counted; each of its slots has the number as of its last update."""
    return max((as_number(slot.value(attribute)) or 0 for slot in slots), default=0)


def is_restless(slots: Sequence[Slot]) -> bool:
    """Return whether most of what one startd starts is preempted, by its own counts."""
    whole = [slot for slot in slots if slot.type != DYNAMIC]
    cores = sum(as_number(slot.total_slot_cpus) or as_number(slot.cpus) or 0 for slot in whole)
    preempted, started = _most(slots, _PREEMPTED), _most(slots, _STARTED)
    return preempted >= max(_LEAST, _TIMES * cores) and preempted >= _PART * started


def _unmet(pool: Pool, found: dict[str, list[Slot]]) -> Unmet:
    counts = {
        name: sum(_most(slots, name) for slots in found.values())
        for name in (_STARTED, _PREEMPTED, _BY_RANK, _BY_PRIO)
    }
    first = next(iter(found))
    by_rank = counts[_BY_RANK] >= counts[_BY_PRIO]
    waiting = [
        job for job in pool.jobs or () if job.wanted
        and as_number(job.matched)
    ]  # fmt: skip
    cure = (
        "RANK of the machines prefers the next job to the one that runs, each time; it should not "
        "change with the hour or with chance."
        if by_rank
        else "PREEMPTION_REQUIREMENTS of the negotiator is true for both users in turn: let it ask "
        "for a difference, as in RemoteUserPrio > TARGET.SubmitterUserPrio * 1.2, and give jobs "
        "MaxJobRetirementTime."
    )
    return Unmet(
        LASTS,
        f"machine {first}",
        f"{show_number(counts[_PREEMPTED])} of {show_number(counts[_STARTED])} jobs that started "
        f"on {counted(len(found), 'machine')} ({', '.join(list(found)[:_NAMED])}) in the last 20 "
        f"minutes were preempted, {show_number(counts[_BY_RANK])} of them by RANK and "
        f"{show_number(counts[_BY_PRIO])} by user priority: what starts does not last",
        cure,
        (*_shown(counts), *_knobs(pool, found, by_rank)),
        keys_of(waiting),
        int(counts[_PREEMPTED]),
        tuple(list(found)[:_NAMED]),
        WARNING,
    )  # fmt: skip


def _shown(counts: dict[str, float]) -> Iterator[Observed]:
    for name, count in counts.items():
        yield Observed(name, show_number(count))


def _knobs(pool: Pool, found: dict[str, list[Slot]], by_rank: bool) -> Iterator[Observed]:
    """Yield the expression that preempts."""
    slot = next(iter(found.values()))[0]
    own = of_startd(pool.execute, slot)
    where, name = (own, "RANK") if by_rank else (pool.central, "PREEMPTION_REQUIREMENTS")
    yield from observed_knobs(() if where is None else [where.knob(name)])
