"""The ways in which a startd serves a request whose slot's Requirements are asked again.

The startd asks them of the request as it changed it before it makes the dynamic slot, and the
dynamic slot asks them of that request and, when the job starts, of the job's own
(src/condor_startd.V6/command.cpp: request_claim, activate_claim, HTCondor 25.14).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from htcq.classads import UNDEFINED, Ad, Expr, Value, holds
from htcq.policy.carved import Amounts, Way
from htcq.policy.claim import JobSide, Startd, consumed, overridden, ways
from htcq.pool.slot import Number
from htcq.pool.slot_class import SlotClass

NO_DYNAMIC_SLOT = "Requirements of the slot do not hold any more"
DYNAMIC_REFUSES = "its Requirements do not hold on the dynamic slot"


class Conditions(NamedTuple):
    """Parts of a slot's Requirements.

    ``again`` are asked again by the dynamic slot, ``before`` of a request that the startd changed
    before it makes a dynamic slot.
    """

    again: tuple[Expr, ...]
    before: tuple[Expr, ...]


def asked_ways(
    kind: SlotClass,
    job: JobSide,
    left: Amounts,
    startd: Startd,
    machine_disk_kb: Number,
    conditions: Conditions,
) -> Iterator[Way]:
    """Yield what the startd tries, in turn, with the reasons of ``conditions`` against it."""
    for way in ways(kind, job, left, startd, machine_disk_kb):
        if not _hold(conditions.before, kind.ad(left), job.ad(way.changed)):
            yield replace(way, impossible=NO_DYNAMIC_SLOT)
        elif way.impossible or way.refusal or _takes(kind, job, way, conditions.again):
            yield way
        else:
            yield replace(way, refusal=DYNAMIC_REFUSES)


def _takes(kind: SlotClass, jobs: JobSide, way: Way, requirements: tuple[Expr, ...]) -> bool:
    """Return whether ``requirements`` of the dynamic slot hold for the job that it was made for.

    START may look at what the slot has, or has not yet (command.cpp: request_claim).
    """
    dynamic = kind.dynamic_ad(way.got)
    if "Requirements" not in dynamic or not requirements:
        return True
    # When it is claimed it sees the request as the startd has changed it, when the job starts there
    # the job's own.
    seen: list[Mapping[str, Value]] = [{}]
    if way.changed:
        seen.append(way.changed)
    for changed in seen:
        asking = jobs.ad(changed)
        if kind.supports_policy:
            taken = consumed(dynamic, asking, kind.assets)
            asking = jobs.ad({**changed, **overridden(asking, taken)})
        with dynamic.changed("NumDynamicSlots", UNDEFINED):
            if not _hold(requirements, dynamic, asking):
                return False
    return True


def _hold(conditions: Iterable[Expr], slot: Ad, job: Ad) -> bool:
    return all(holds(each.evaluate(slot, job)) for each in conditions)
