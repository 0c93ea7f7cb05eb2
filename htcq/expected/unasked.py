"""Cores of claims that the job of the claim does not ask for, while jobs wait that they fit.

A static slot goes to one job as a whole, whatever that requests (matchmaker.cpp, HTCondor 25.14); a
dynamic slot has what the machine makes of the request.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from itertools import islice
from typing import NamedTuple

from htcq.classads import as_number
from htcq.expected.unmet import INFO, UNASKED, WARNING, Observed, Unmet, keys_of
from htcq.pool.job import Job
from htcq.pool.pool import Pool
from htcq.pool.slot import DYNAMIC, STATIC, Number, Slot
from htcq.pool.slot_state import machine_of
from htcq.pool.unasked import Unasked
from htcq.units import CPUS, amount_of, counted, first_named, show_number
from htcq.why.other_amounts import Takers, times, waiting_for_room
from htcq.why.verdict import Verdict, Verdicts

_NAMED = 3
#: Where so many claims that are large enough refuse jobs, the others do as well.
_TRIED = 200


class _Rest(NamedTuple):
    """What one claim has ``left`` beside its job."""

    slot: Slot
    left: Mapping[str, Number]

    def without(self, number: int, requested: Mapping[str, Number]) -> _Rest:
        """Return what is left once so many jobs have what they request."""
        left = {asset: each - number * requested.get(asset, 0) for asset, each in self.left.items()}
        return self._replace(left=left)


def unasked_cores(verdicts: Verdicts, found: Iterable[Verdict]) -> Iterator[Unmet]:
    """Yield the cores of claims that waiting jobs would use; ``found`` are those on idle jobs.

    Where half of the machines or more are so, they are meant to be: that is information.
    """
    pool = verdicts.pool
    unasked = Unasked(pool.jobs or ())
    slots = pool.slots or ()
    less = [(slot, left) for slot in slots if (left := unasked.of(slot))]
    if not less:
        return
    parents = {slot.parent for slot, _ in less if slot.type == DYNAMIC}
    free = {str(slot.name): slot.left() for slot in slots if str(slot.name) in parents}
    every = [_Rest(slot, _beside(left, free.get(slot.parent, {}))) for slot, left in less]
    used, jobs = _wanted(verdicts, waiting_for_room(found), every)
    if used:
        machines = {machine_of(slot) for slot in slots}
        yield _unmet(pool, used, jobs, len(machines))


def _beside(left: Mapping[str, Number], free: Mapping[str, Number | None]) -> Mapping[str, Number]:
    """Return what a job would have of cores that are ``left``, and of all else that is ``free``.

    ``free`` are the amounts of the partitionable slot that the slot is a part of.
    """
    cores = left.get(CPUS, 0)
    both = {asset: amount + (free.get(asset) or 0) for asset, amount in left.items()}
    return {**both, CPUS: cores}


def _wanted(
    verdicts: Verdicts, waiting: Iterable[Verdict], every: Iterable[_Rest]
) -> tuple[list[_Rest], list[Job]]:
    """Return the claims of whose rest waiting jobs would take some, and these jobs."""
    rests = {str(each.slot.name): each for each in every}
    takers, used, jobs = Takers(), dict[str, _Rest](), list[Job]()
    for verdict in waiting:
        first = verdict.jobs[0]
        requested = verdicts.slots.requested(verdicts.slots.meeting(first))
        fitting = (each for each in rests.items() if times(each[1].left, requested))
        number = 0
        for name, rest in list(islice(fitting, _TRIED)):
            if number < len(verdict.jobs) and takers.takes(rest.slot, rest.left, first):
                most = min(len(verdict.jobs) - number, times(rest.left, requested))
                rests[name] = rest.without(most, requested)
                used.setdefault(name, rest)
                number += most
        jobs += verdict.jobs[:number]
    return list(used.values()), jobs


def _unmet(pool: Pool, used: list[_Rest], jobs: list[Job], of_pool: int) -> Unmet:
    first = used[0]
    machines = tuple(dict.fromkeys(machine_of(each.slot) for each in used))
    all_cores = sum(as_number(each.slot.cpus) or 0 for each in used)
    cores = sum(each.left[CPUS] for each in used)
    named = first_named(machines, _NAMED)
    asked = (as_number(first.slot.cpus) or 0) - first.left[CPUS]
    return Unmet(
        UNASKED,
        f"machine {machines[0]}",
        f"{show_number(cores)} of {amount_of(CPUS, all_cores)} in {counted(len(used), 'claim')} on "
        f"{named} {'is' if cores == 1 else 'are'} asked for by no job; "
        f"{counted(len(jobs), 'waiting job')}, such as {pool.job_name(jobs[0])}, would fit there",
        _cure({each.slot.type for each in used}, named),
        (
            Observed("SlotType", first.slot.type),
            Observed("Cpus", show_number(as_number(first.slot.cpus) or 0)),
            Observed("RequestCpus", show_number(asked)),
        ),
        keys_of(jobs),
        len(used),
        tuple(str(each.slot.name) for each in used[:_NAMED]),
        INFO if 2 * len(machines) >= of_pool else WARNING,
    )


def _cure(types: Set[str | None], named: str) -> str:
    cures = []
    if STATIC in types:
        cures.append(
            f"SLOT_TYPE_n_PARTITIONABLE = true of {named}, or SLOT_TYPE_n with as many cores as "
            "jobs request"
        )
    if DYNAMIC in types:
        cures.append(
            f"CONSUMPTION_CPUS or MODIFY_REQUEST_EXPR_REQUESTCPUS of {named}, if one of them makes "
            "more of a request; CLAIM_WORKLIFE, if an earlier job of the claim was larger"
        )
    return "; ".join(cures) + "."
