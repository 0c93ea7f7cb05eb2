"""Faults made in a pool, one at a time: each is a cause that hides slots which jobs could have."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from random import Random

from htcq.pool.pool import Pool
from htcq.pool.slot import DYNAMIC
from htcq.pool.slot_state import DRAINED, OFFLINE, OWNER, START_FALSE, closed_by, used_as
from htcq.why.match_failure import SLOT_CONSTRAINT
from tests.balance.lifts import with_knobs, with_slots

Fault = Callable[[Pool, Random], Pool]


def _chosen(pool: Pool, dice: Random) -> frozenset[str]:
    """Return the machines' slots that get the fault: some that jobs could have."""
    free = [
        str(slot.name)
        for slot in pool.slots or ()
        if slot.type != DYNAMIC and not used_as(slot) and not closed_by(slot)
    ]
    return frozenset(name for name in free if dice.random() < 0.5)


def drained(pool: Pool, dice: Random) -> Pool:
    """Drain some machines: what a startd of 25.14.1 advertises then."""
    texts = {"Requirements": "false", "Draining": "true", "DrainReason": '"by ada"'}
    return with_slots(pool, _chosen(pool, dice), texts, "Drained")


def offline(pool: Pool, dice: Random) -> Pool:
    """Let some machines be offline, as a machine that hibernates is in the collector."""
    return with_slots(pool, _chosen(pool, dice), {"Offline": "true"})


def shut(pool: Pool, dice: Random) -> Pool:
    """Set START = False on some machines."""
    return with_slots(pool, _chosen(pool, dice), {"Start": "false"}, "Owner")


def owned(pool: Pool, dice: Random) -> Pool:
    """Let some machines be their owners' by IS_OWNER: 25.14.1 advertises the state alone."""
    return with_slots(pool, _chosen(pool, dice), {}, "Owner")


def hidden(pool: Pool, dice: Random) -> Pool:
    """Hide some slots by the negotiator's constraint."""
    names = ", ".join(f'"{name}"' for name in sorted(_chosen(pool, dice)))
    assert pool.central is not None
    text = f"!member(Name, {{{names}}})"
    return replace(pool, central=with_knobs(pool.central, NEGOTIATOR_SLOT_CONSTRAINT=text))


#: Each cause that a fault makes, with the fault.
FAULTS: Mapping[str, Fault] = {
    DRAINED: drained, OFFLINE: offline, START_FALSE: shut, OWNER: owned, SLOT_CONSTRAINT: hidden,
}  # fmt: skip
