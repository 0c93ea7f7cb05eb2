"""Claims that a startd refuses since its GPUs are not such as RequireGPUs of the job wants.

The negotiator compares them only where Requirements of the job do, as condor_submit writes them; a
transform that sets RequireGPUs alone does not. The startd makes no dynamic slot without such
devices: Resource.cpp (create_dslot) and ResAttributes.cpp (AllocateDevId) of
src/condor_startd.V6, HTCondor 25.14; seen on 25.14.1 ("Failed to build new resource").
"""

from __future__ import annotations

from htcq.classads import Value, as_number, named
from htcq.pool.slot import PARTITIONABLE, Slot
from htcq.simulate.cycle.queues import Request
from htcq.units import shortened

AVAILABLE, REQUIRED = "AvailableGPUs", "RequireGPUs"
_SUITS = f"countMatches(MY.{REQUIRED}, TARGET.{AVAILABLE})"
#: Letters of an expression that a reason repeats.
_LETTERS = 100


def suiting(slot: Slot, request: Request) -> Value:
    """Return how many devices in AvailableGPUs of ``slot`` are such as RequireGPUs asks for."""
    return named(_SUITS).evaluate(request.first.ad(), slot.ad())


def lacks_gpus(slot: Slot, request: Request) -> str:
    """Return why no dynamic slot of ``slot`` has the GPUs of ``request``; empty where one may."""
    if REQUIRED not in request.frame or slot.type != PARTITIONABLE or AVAILABLE not in slot.frame:
        return ""
    asked = as_number(request.first.ad().value("RequestGPUs")) or 0
    found = as_number(suiting(slot, request))
    if found is None or found >= asked:
        return ""
    text = shortened(request.frame.text(REQUIRED), _LETTERS)
    free = f"only {found:g} of its free GPUs" if found else "none of its free GPUs"
    return f"{free} meets {REQUIRED} of the job: {text}"
