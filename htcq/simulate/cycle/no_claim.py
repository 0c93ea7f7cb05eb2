"""Slots that are matched without their claim: no job starts there.

Follows matchmakingProtocol of src/condor_negotiator.V6/matchmaker.cpp, and messageReceived of
src/condor_schedd.V6/schedd_negotiate.cpp, HTCondor 23.9 and 25.14.
"""

from __future__ import annotations

from htcq.classads import UNDEFINED, Value, as_number, holds, literal
from htcq.pool.slot import Slot
from htcq.simulate.cycle.trace import NOT_CLAIMED, OFFLINE


def why_no_claim(slot: Slot) -> str:
    """Return why the negotiator keeps the claim of a matched slot; empty where it sends it.

    Such a match is charged to the submitter until the next cycle, and its job stays idle.
    """
    if holds(_flag(slot, "Offline")):
        return OFFLINE
    if as_number(_flag(slot, "WantClaiming")) == 0:
        return NOT_CLAIMED
    return ""


def _flag(slot: Slot, name: str) -> Value:
    """Return the value of an attribute; it may be an expression about the slot itself."""
    if name not in slot.frame:
        return UNDEFINED
    found = literal(slot.frame.text(name))
    if found is None:
        found = slot.ad().value(name)
    return found
