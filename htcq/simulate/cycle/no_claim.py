"""Slots that are matched without their claim, or whose startds refuse it: no job starts there.

Follows matchmakingProtocol of src/condor_negotiator.V6/matchmaker.cpp, messageReceived of
src/condor_schedd.V6/schedd_negotiate.cpp, command_request_claim of src/condor_startd.V6/command.cpp
and eval_policy of ResState.cpp, HTCondor 23.9 and 25.14.
"""

from __future__ import annotations

from htcq.classads import UNDEFINED, Value, as_number, holds, literal
from htcq.pool.slot import Slot
from htcq.pool.slot_state import refusing_state
from htcq.simulate.cycle.trace import ENDING, GONE, NOT_CLAIMED, OFFLINE, OWNED

_OF_STATES = {"Owner": OWNED, "Preempting": ENDING}


def why_no_claim(slot: Slot) -> str:
    """Return why the negotiator keeps the claim of a matched slot; empty where it sends it.

    Such a match is charged to the submitter until the next cycle, and its job stays idle.
    """
    if holds(_flag(slot, "Offline")):
        return OFFLINE
    if as_number(_flag(slot, "WantClaiming")) == 0:
        return NOT_CLAIMED
    return ""


def why_refused(slot: Slot) -> str:
    """Return why the startd refuses the claim of a matched slot for its state; empty if not.

    The negotiator sends the claim, and matches the slot again in each cycle.
    """
    state = refusing_state(slot)
    return _OF_STATES.get(state, GONE) if state else ""


def _flag(slot: Slot, name: str) -> Value:
    """Return the value of an attribute; it may be an expression about the slot itself."""
    if name not in slot.frame:
        return UNDEFINED
    found = literal(slot.frame.text(name))
    if found is None:
        found = slot.ad().value(name)
    return found
