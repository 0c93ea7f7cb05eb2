"""The claimed slots of a pool, each with its job and the reason why it is never taken back.

A slot is claimed if the accountant charges somebody for it (Accountant.cpp:IsClaimed, HTCondor
25.14). Its job is the one whose RemoteHost it is.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping

from htcq.classads import Expr, Value, as_number
from htcq.elastic.charging import whole
from htcq.elastic.group_membership import GroupMembership
from htcq.elastic.models import Models
from htcq.elastic.records import PARTS, WEIGHT, GroupClaim
from htcq.pool.job import UNMATCHED_UNIVERSES, Job
from htcq.pool.slot import Slot
from htcq.pool.slot_state import is_draining
from htcq.poolquota.supply import Supply
from htcq.quota.elastic.declaration import Amounts
from htcq.units import GPUS

#: A job of this universe has several slots, and dies with any of them
#: (src/condor_includes/condor_universe.h).
_PARALLEL = 11
_OF_SLOT = Expr("MY.MaxJobRetirementTime")
_UNIVERSES: Mapping[Value, str] = dict(zip(UNMATCHED_UNIVERSES, ("scheduler", "grid", "local")))


def claims_of(
    supply: Supply, jobs: Iterable[Job], membership: GroupMembership, models: Models
) -> Iterator[GroupClaim]:
    """Yield the claims among the slots that the negotiator sees, by the names of slots."""
    running = {job.remote_host: job for job in jobs if job.running}
    claimed = (slot for slot in supply.slots if slot.claimed)
    known: dict[tuple[tuple[str, int], ...], Amounts] = {}
    for slot in sorted(claimed, key=lambda each: str(each.name)):
        amounts = whole({**slot.left(), WEIGHT: supply.weight(slot) * PARTS})
        amounts.update(models.of(slot, amounts.get(GPUS, 0)) or {})
        # Of 500,000 claims a few thousand are different.
        shared = known.setdefault(tuple(amounts.items()), amounts)
        yield _claim(slot, running.get(slot.name), membership.group_of(slot.customer), shared)


def _claim(slot: Slot, job: Job | None, group: str, amounts: Amounts) -> GroupClaim:
    if job is None:
        return GroupClaim(
            group=group,
            submitter=slot.customer,
            schedd=_text(slot.remote_schedd),
            job="",
            slot=str(slot.name),
            machine=_text(slot.machine),
            amounts=amounts,
            protected=_protected_slot(slot),
        )
    started = as_number(job.started_at)
    return GroupClaim(
        group=group,
        submitter=slot.customer,
        schedd=_text(job.schedd) or _text(slot.remote_schedd),
        job=job.id,
        slot=str(slot.name),
        machine=_text(slot.machine),
        amounts=amounts,
        started=None if started is None else float(started),
        prio=int(as_number(job.prio) or 0),
        checkpoints=job.checkpoints,
        vacated=int(as_number(job.vacates) or 0),
        protected=_protected_job(job) or _protected_slot(slot),
        cost=_cost(job),
        asks_protection=job.protected is True,
        retirement=_retirement(slot, job),
    )


def _cost(job: Job) -> float:
    """Return HtcqVacateCost of a job, or 1."""
    cost = as_number(job.frame.value("HtcqVacateCost"))
    if cost is None or not 0 <= cost < math.inf:
        return 1.0
    return float(cost)


def _retirement(slot: Slot, job: Job) -> float:
    """Return how many seconds of retirement a job has in a slot.

    The job can only shorten what the slot allows
    (src/condor_startd.V6/Resource.cpp:evalMaxVacateTime and retirementExpired, 25.14).
    """
    if not slot.frame.text("MaxJobRetirementTime"):
        return 0.0
    allowed = as_number(_OF_SLOT.evaluate(slot.ad(), job.ad()))
    own = as_number(_OF_SLOT.evaluate(job.ad(), slot.ad()))
    if allowed is None:
        return 0.0
    if own is not None:
        allowed = min(allowed, own)
    return max(0.0, float(allowed))


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    return ""


def _protected_job(job: Job) -> str:
    """Return why a job keeps its slot; empty where it may lose it."""
    universe = job.universe
    if universe in _UNIVERSES:
        return f"a job of the {_UNIVERSES[universe]} universe"
    if universe == _PARALLEL:
        return "a job of the parallel universe, which dies with any of its slots"
    return ""


def _protected_slot(slot: Slot) -> str:
    """Return why a slot is left alone: its claim is ending already; empty where it is not."""
    if slot.state == "Preempting" or slot.activity == "Vacating":
        return "its job is being evicted already"
    if slot.activity == "Retiring":
        return "its job is in retirement"
    if is_draining(slot):
        return "its machine is draining"
    return ""
