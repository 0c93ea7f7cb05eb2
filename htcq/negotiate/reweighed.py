"""What jobs weigh to the schedds of a pool that would have another SCHEDD_SLOT_WEIGHT.

Follows src/condor_schedd.V6/schedd.cpp (count_a_job), HTCondor 25.14. Weights are in the unit of the expression.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from htcq.classads import Value, as_number
from htcq.pool.configuration import Configuration, Knob
from htcq.pool.demand import OWN_KNOB, SWITCH, ScheddWeight
from htcq.pool.pool import Pool
from htcq.pool.record import SUBMITTER, Record
from htcq.pool.slot import Slot
from htcq.pool.weights import Weights


def reweighed(pool: Pool, before: Iterable[Slot], text: str) -> Pool:
    """Return ``pool`` with ``text`` as the weight of a job on all access points, and with the demand that makes.

    ``before`` are the slots as they were when the demand was captured.
    """
    knobs = {name: Knob(name, value) for name, value in ((OWN_KNOB, text), (SWITCH, "True"))}
    access = dict(pool.access)
    for schedd in dict.fromkeys([*access, *(record.text("ScheddName") for record in pool.submitters)]):
        own = access.get(schedd) or pool.central or Configuration("model")
        prefixed = [f"SCHEDD.{name}" for name in knobs]
        access[schedd] = replace(
            own, knobs={**{name: knob for name, knob in own.knobs.items() if name not in prefixed}, **knobs}
        )
    pool = replace(pool, access=access)
    idle = _Idle(pool)
    charges = _charges(before), _charges(pool.slots or ())
    records = tuple(_weighed(record, idle, charges) for record in pool.submitters)
    return replace(pool, records={**(pool.records or {}), SUBMITTER: records})


class _Idle:
    """How many idle jobs of each submitter are known, and what they weigh."""

    def __init__(self, pool: Pool) -> None:
        self._found: dict[tuple[str, str], tuple[int, int]] = {}
        self._weights: dict[tuple[int, str], int] = {}
        names = {record.name: record.text("ScheddName") for record in pool.submitters}
        weights = {schedd: ScheddWeight(configuration) for schedd, configuration in pool.access.items()}
        for job in pool.jobs or ():
            if not job.wanted or job.submitter not in names:
                continue
            own = job.schedd if isinstance(job.schedd, str) else ""
            schedd = own if own in weights else names[job.submitter]
            key = (id(job.frame), schedd)
            if key not in self._weights:
                self._weights[key] = weights[schedd].idle(job.ad(), 1)
            number, weight = self._found.get((job.submitter, own), (0, 0))
            self._found[job.submitter, own] = number + job.wanted, weight + self._weights[key] * job.wanted

    def of(self, record: Record) -> tuple[int, int]:
        """Return number and weight of the jobs behind one ad."""
        schedd = record.text("ScheddName")
        return self._found.get((record.name, schedd)) or self._found.get((record.name, "")) or (0, 0)


def _charges(slots: Iterable[Slot]) -> dict[str, float]:
    weights, found = Weights(), dict[str, float]()
    for slot in slots:
        if slot.claimed and slot.customer:
            found[slot.customer] = found.get(slot.customer, 0.0) + (as_number(weights.of(slot)) or 0.0)
    return found


def _weighed(record: Record, idle: _Idle, charges: tuple[Mapping[str, float], Mapping[str, float]]) -> Record:
    values: dict[str, Value] = dict(record.values)
    known, weight = idle.of(record)
    if known:
        # The schedd may have sent its ad when it had other jobs than those that are known.
        values["weightedidlejobs"] = int(weight * (record.number("IdleJobs") or 0) / known)
    running, (before, after) = record.number("WeightedRunningJobs"), (each.get(record.name, 0.0) for each in charges)
    if running and before > 0:
        values["weightedrunningjobs"] = running * after / before
    return replace(record, values=values)
