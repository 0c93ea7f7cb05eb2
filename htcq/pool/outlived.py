"""Dynamic slots of a startd that is no more, beside the ad of the one that began after it.

A startd that crashes takes no ad back: those of its dynamic slots stay in the collector until they
expire (CLASSAD_LIFETIME), and the startd that condor_master starts next has none of these slots
(src/condor_startd.V6/ResMgr.cpp, HTCondor 25.14; seen on 25.14.1).
"""

from __future__ import annotations

from collections.abc import Sequence

from htcq.classads import as_number
from htcq.pool.slot import DYNAMIC, Slot


def outlived_slots(slots: Sequence[Slot]) -> Sequence[Slot]:
    """Return the dynamic slots that sent their last ad before the startd of their parent began.

    By the clock of the machine, which both ads have.
    """
    begun = {str(slot.name): as_number(slot.daemon_start_time) for slot in slots}
    found: list[Slot] = []
    for slot in slots:
        if slot.type != DYNAMIC or slot.parent == str(slot.name):
            continue
        before, after = as_number(slot.daemon_start_time), begun.get(slot.parent)
        sent = as_number(slot.own_time)
        if sent is None:
            sent = as_number(slot.last_heard)
        if None not in (before, after, sent) and before < after and sent < after:  # type: ignore[operator]
            found.append(slot)
    return found


def without_outlived(slots: Sequence[Slot]) -> Sequence[Slot]:
    """Return ``slots`` without those: what had been carved for them is whole again."""
    gone = set(map(id, outlived_slots(slots)))
    return tuple(slot for slot in slots if id(slot) not in gone) if gone else slots
