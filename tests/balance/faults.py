"""Faults made in a pool, one at a time: without the fault the pool is the counterfactual of its cause."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from random import Random

from htcq.pool.configuration import Knob
from htcq.pool.pool import Pool
from htcq.pool.shared_attributes import Expressions, SharedAttributes
from htcq.pool.slot import DYNAMIC, Slot
from htcq.pool.slot_state import DRAINED, OFFLINE, START_FALSE, closed_by, used_as
from htcq.why.match_failure import SLOT_CONSTRAINT

Fault = Callable[[Pool, Random], Pool]
CONSTRAINT = "NEGOTIATOR_SLOT_CONSTRAINT"


def _chosen(pool: Pool, dice: Random) -> list[str]:
    """Return the machines' slots that get the fault: some that jobs could have."""
    free = [
        str(slot.name)
        for slot in pool.slots or ()
        if slot.type != DYNAMIC and not used_as(slot) and not closed_by(slot)
    ]
    return [name for name in free if dice.random() < 0.5]


def _with(pool: Pool, names: list[str], texts: Mapping[str, str], state: str = "") -> Pool:
    expressions, frames = Expressions(), dict[int, SharedAttributes]()
    slots = []
    for slot in pool.slots or ():
        if str(slot.name) in names:
            frame = frames.get(id(slot.frame))
            if frame is None:
                frame = frames[id(slot.frame)] = slot.frame.changed(dict(texts), expressions)
            slot = slot._replace(frame=frame)
            if state:
                slot = slot._replace(state=state)
        slots.append(slot)
    kept: tuple[Slot, ...] = tuple(slots)
    return replace(
        pool,
        slots=kept,
        slot_frames=tuple({id(slot.frame): slot.frame for slot in kept}.values()),
    )


def drained(pool: Pool, dice: Random) -> Pool:
    """Drain some machines: what a startd of 25.14.1 advertises then."""
    texts = {"Requirements": "false", "Draining": "true", "DrainReason": '"by ada"'}
    return _with(pool, _chosen(pool, dice), texts, "Drained")


def offline(pool: Pool, dice: Random) -> Pool:
    """Let some machines be offline, as a machine that hibernates is in the collector."""
    return _with(pool, _chosen(pool, dice), {"Offline": "true"})


def shut(pool: Pool, dice: Random) -> Pool:
    """Set START = False on some machines."""
    return _with(pool, _chosen(pool, dice), {"Start": "false"}, "Owner")


def hidden(pool: Pool, dice: Random) -> Pool:
    """Hide some slots by the negotiator's constraint."""
    names = ", ".join(f'"{name}"' for name in _chosen(pool, dice))
    text = f"!member(Name, {{{names}}})"
    assert pool.central is not None
    return replace(pool, central=pool.central.with_knobs({CONSTRAINT: Knob(CONSTRAINT, text)}))


#: Each cause that a fault makes, with the fault.
FAULTS: Mapping[str, Fault] = {
    DRAINED: drained, OFFLINE: offline, START_FALSE: shut, SLOT_CONSTRAINT: hidden,
}  # fmt: skip
