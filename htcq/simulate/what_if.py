"""A captured pool as it might be: with other machines, and with more or less to do.

Machines are named by shell patterns. Nothing of what is claimed is taken away from a machine
that is drained.
"""

from __future__ import annotations

import fnmatch
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from htcq.errors import InputError
from htcq.pool.job import Job
from htcq.pool.past import PlannedDrain
from htcq.pool.pool import Pool
from htcq.pool.record import SUBMITTER, Record
from htcq.pool.slot import DYNAMIC, PARTITIONABLE, Slot
from htcq.simulate.as_version import AsVersion, pool_as_version
from htcq.simulate.cycle.queue_order import order_in_queue
from htcq.simulate.job_arrivals import with_arrivals
from htcq.simulate.migration.switch import with_scaled_quotas
from htcq.simulate.models import MachineModel, with_models
from htcq.simulate.slots import Slots


@dataclass(frozen=True)
class WhatIf:
    """Changes of a pool: machines removed, drained and added (number and model), and demand.

    ``drain_later`` has drains of machines, by patterns of their names.

    ``demand`` has the factor by which the idle jobs of a submitter, or of a group and those
    below it, are more. ``models`` are those that machines, new ones too, would have; with
    ``scale_quotas`` groups keep their shares then. ``arrivals`` is the file whose jobs, the
    ``past`` of the pool, come later. ``versions`` are those that daemons would have.
    """

    remove: tuple[str, ...] = ()
    drain: tuple[str, ...] = ()
    add: tuple[tuple[int, str], ...] = ()
    demand: tuple[tuple[str, float], ...] = ()
    models: tuple[MachineModel, ...] = ()
    arrivals: str = ""
    scale_quotas: bool = False
    versions: tuple[AsVersion, ...] = ()
    drain_later: tuple[PlannedDrain, ...] = ()

    def __bool__(self) -> bool:
        return any(
            (self.remove, self.drain, self.add, self.demand, self.models, self.arrivals)
        ) or bool(self.versions or self.drain_later)


def changed_pool(pool: Pool, what: WhatIf) -> Pool:
    """Return ``pool`` with everything in ``what`` done to it.

    Raises:
        InputError: there is no such machine, a model fits none of its machines, nobody of that name
            wants anything, or no job can arrive.
    """
    slots = tuple(pool.slots or ())
    added = [each for count, pattern in what.add for each in _copies(slots, pattern, count)]
    for pattern in what.remove:
        gone = _matched(slots, pattern, "--remove")
        slots = tuple(slot for slot in slots if str(slot.machine) not in gone)
    for pattern in what.drain:
        drained, make = _matched(slots, pattern, "--drain"), Slots()
        slots = tuple(
            make.drained(slot) if str(slot.machine) in drained else slot for slot in slots
        )
    drains = tuple(
        replace(drain, machine=machine)
        for drain in what.drain_later
        for machine in sorted(_matched(slots, drain.machine, "--drain"))
    )
    pool = pool_as_version(replace(pool, slots=(*slots, *added), drains=drains), what.versions)
    if what.models:
        modelled = with_models(pool, what.models)
        pool = with_scaled_quotas(pool, modelled) if what.scale_quotas else modelled
    for name, factor in what.demand:
        pool = _demanding(pool, name, factor)
    return with_arrivals(pool, what.arrivals) if what.arrivals else pool


def _matched(slots: Iterable[Slot], pattern: str, option: str) -> set[str]:
    found = {str(slot.machine) for slot in slots if fnmatch.fnmatchcase(str(slot.machine), pattern)}
    if not found:
        raise InputError(
            f"{option} {pattern}: no machine of that name", "a name, or a pattern such as node1*"
        )
    return found


def _copies(slots: Sequence[Slot], pattern: str, count: int) -> Iterable[Slot]:
    """Yield the empty slots of new machines like the first one that ``pattern`` matches."""
    like, make = min(_matched(slots, pattern, "--add")), Slots()
    for slot in slots:
        if str(slot.machine) != like or slot.type == DYNAMIC:
            continue
        empty = slot
        if slot.type == PARTITIONABLE:
            empty = make.left(slot, slot.whole())._replace(dynamic_slots=0)
        for number in range(1, count + 1):
            machine = f"{like}-added{number}"
            yield make.unclaimed(empty)._replace(
                name=f"{str(slot.name).partition('@')[0]}@{machine}", machine=machine
            )


def _demanding(pool: Pool, name: str, factor: float) -> Pool:
    named = {record.name for record in pool.submitters if _is_of(record.name, name)}
    mine = [job for job in pool.jobs or () if job.submitter in named and job.wanted]
    if not mine:
        raise InputError(
            f"--demand {name}: no submitter or group of that name has idle jobs",
            "a group, or a submitter's whole name",
        )
    others = [job for job in pool.jobs or () if not (job.submitter in named and job.wanted)]
    more: list[Job] = []
    idle: dict[str, tuple[int, int]] = {}
    for submitter in named:
        queue = sorted((job for job in mine if job.submitter == submitter), key=order_in_queue)
        wanted = math.floor(len(queue) * factor + 0.5)
        more += _repeated(queue, wanted)
        idle[submitter] = (len(queue), wanted)
    records = tuple(_asking(record, *idle.get(record.name, (1, 1))) for record in pool.submitters)
    return replace(
        pool, jobs=(*others, *more), records={**(pool.records or {}), SUBMITTER: records}
    )


def _is_of(submitter: str, name: str) -> bool:
    return submitter == name or submitter.rpartition("@")[0].startswith(f"{name}.")


def _repeated(queue: Sequence[Job], wanted: int) -> list[Job]:
    """Return so many jobs: the first of ``queue``, or all of them and copies with new numbers."""
    beyond = 1 + max((job.proc for job in queue if isinstance(job.proc, int)), default=0)
    jobs = list(queue[:wanted])
    for copy in range(1, wanted + 1):
        for job in queue:
            if len(jobs) >= wanted:
                return jobs
            if isinstance(job.proc, int):
                jobs.append(job._replace(proc=job.proc + beyond * copy))
    return jobs


def _asking(record: Record, before: int, after: int) -> Record:
    if before == after:
        return record
    weighted = record.number("WeightedIdleJobs")
    values = {**record.values, "idlejobs": int((record.number("IdleJobs") or 0) * after / before)}
    if weighted is not None:
        values["weightedidlejobs"] = int(weighted * after / before)
    return replace(record, values=values)
