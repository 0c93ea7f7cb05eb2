"""The claimed slots of a pool, each with its job and the reason why it is never taken back.

A slot is claimed if the accountant charges somebody for it (Accountant.cpp:IsClaimed, HTCondor
25.14). Which job it has, of which schedd, and since when, is what its startd says (claim.cpp:
Claim::publish): the owner of a job can write RemoteHost, JobCurrentStartDate and NumVacates into
its ad (they are not immutable by default: qmgmt.cpp), but not the number of the job.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace

from htcq.classads import Expr, Value, as_number
from htcq.elastic.charging import whole
from htcq.elastic.group_membership import GroupMembership
from htcq.elastic.models import Models
from htcq.elastic.reclaim.reclaim_fields import JobKey
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
    supply: Supply,
    jobs: Iterable[Job],
    membership: GroupMembership,
    models: Models,
    silent: Collection[str] = (),
) -> Iterator[GroupClaim]:
    """Yield the claims among the slots that the negotiator sees, by the names of slots.

    ``silent`` are the schedds that did not answer.
    """
    claimed = [slot for slot in supply.slots if slot.claimed]
    running = _running(jobs, claimed)
    known: dict[tuple[tuple[str, int], ...], Amounts] = {}
    for slot in sorted(claimed, key=lambda each: str(each.name)):
        amounts = whole({**slot.left(), WEIGHT: supply.weight(slot) * PARTS})
        amounts.update(models.of(slot, amounts.get(GPUS, 0)) or {})
        # Of 500,000 claims a few thousand are different.
        shared = known.setdefault(tuple(amounts.items()), amounts)
        claim = _claim(slot, membership.group_of(slot.customer), shared, silent)
        job = running.get((claim.schedd, claim.job))
        yield claim if job is None else _with_job(claim, slot, job)


def _running(jobs: Iterable[Job], claimed: Iterable[Slot]) -> dict[JobKey, Job]:
    """Return the jobs of the queues that run in slots, by schedd and number."""
    wanted = {_job_in(slot) for slot in claimed}
    found = {}
    for job in jobs:
        key = (job.access_point, job.id)
        if key in wanted:
            found[key] = job
    return found


def _job_in(slot: Slot) -> JobKey:
    """Return schedd and number of the job in a slot; the number is empty where there is none."""
    return (_text(slot.remote_schedd), _text(slot.job_id))


def _claim(slot: Slot, group: str, amounts: Amounts, silent: Collection[str]) -> GroupClaim:
    schedd, job = _job_in(slot)
    started = as_number(slot.job_start)
    protected = _protected_slot(slot)
    if schedd in silent and job:
        protected = protected or "its access point does not answer"
    return GroupClaim(
        group=group,
        submitter=slot.customer,
        schedd=schedd,
        job=job,
        slot=str(slot.name),
        machine=_text(slot.machine),
        amounts=amounts,
        started=None if started is None else float(started),
        protected=protected,
        queued=False,
        retirement=_retirement(slot, None),
    )


def _with_job(claim: GroupClaim, slot: Slot, job: Job) -> GroupClaim:
    """Return the claim with what the owner of its job says of it."""
    return replace(
        claim,
        prio=int(as_number(job.prio) or 0),
        checkpoints=job.checkpoints,
        protected=_protected_job(job) or claim.protected,
        queued=True,
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


def _retirement(slot: Slot, job: Job | None) -> float:
    """Return how many seconds of retirement a job (None: not known) has in a slot.

    The job can only shorten what the slot allows
    (src/condor_startd.V6/Resource.cpp:evalMaxVacateTime and retirementExpired, 25.14).
    """
    if not slot.frame.text("MaxJobRetirementTime"):
        return 0.0
    of_job = None if job is None else job.ad()
    allowed = as_number(_OF_SLOT.evaluate(slot.ad(), of_job))
    if allowed is None:
        return 0.0
    own = None if of_job is None else as_number(_OF_SLOT.evaluate(of_job, slot.ad()))
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
