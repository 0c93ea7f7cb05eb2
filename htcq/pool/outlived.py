"""Dynamic slots that are no more, of which the collector still has an ad.

A startd that crashes takes no ad back: those of its dynamic slots stay in the collector until they
expire (CLASSAD_LIFETIME), and the startd that condor_master starts next has none of these slots
(src/condor_startd.V6/ResMgr.cpp, HTCondor 25.14; seen on 25.14.1). Nor has a partitionable slot
that said later that it has no dynamic slot at all. All by the clock of the machine, which both ads
have.
"""

from __future__ import annotations

from collections.abc import Sequence

from htcq.classads import as_number
from htcq.pool.slot import DYNAMIC, Slot


def of_startds_before(slots: Sequence[Slot]) -> Sequence[Slot]:
    """Return the dynamic slots that sent their last ad before the startd of their parent began."""
    parents = _parents(slots)
    return [slot for slot in slots if slot.type == DYNAMIC and _is_of_before(slot, parents)]


def without_outlived(slots: Sequence[Slot]) -> Sequence[Slot]:
    """Return ``slots`` without those that are no more: their parent has what they had."""
    parents = _parents(slots)
    gone = {
        id(slot)
        for slot in slots
        if slot.type == DYNAMIC and (_is_of_before(slot, parents) or _is_given_back(slot, parents))
    }
    return tuple(slot for slot in slots if id(slot) not in gone) if gone else slots


def _parents(slots: Sequence[Slot]) -> dict[str, Slot]:
    return {str(slot.name): slot for slot in slots if slot.type != DYNAMIC}


def _is_of_before(slot: Slot, parents: dict[str, Slot]) -> bool:
    parent = parents.get(slot.parent)
    if parent is None:
        return False
    before, after = as_number(slot.daemon_start_time), as_number(parent.daemon_start_time)
    sent = as_number(slot.own_time)
    if sent is None:
        sent = as_number(slot.last_heard)
    if before is None or after is None or sent is None:
        return False
    return before < after and sent < after


def _is_given_back(slot: Slot, parents: dict[str, Slot]) -> bool:
    parent = parents.get(slot.parent)
    if parent is None or as_number(parent.dynamic_slots) != 0:
        return False
    sent, after = as_number(slot.own_time), as_number(parent.own_time)
    return sent is not None and after is not None and sent < after
