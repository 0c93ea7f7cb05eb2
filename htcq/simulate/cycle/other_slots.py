"""What a startd knows of its other slots when it is asked for a claim.

A backfill slot has what its machine's other slots do not use (publish_static_resources of
src/condor_startd.V6/Resource.h, CpuAttributes::publish_static; cpus and memory alone), and START
may look at the states of other slots, which the startd writes anew before it starts a job
(ResMgr.cpp:compute_and_refresh). HTCondor 23.9 and 25.14.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from htcq.classads import holds, named
from htcq.pool.pool import Pool
from htcq.pool.slot import PARTITIONABLE, Number, Slot
from htcq.pool.slot_state import is_backfill
from htcq.simulate.cycle.queues import Request
from htcq.simulate.cycle.startd_view import StartdView
from htcq.simulate.neighbours import Neighbours
from htcq.simulate.slots import Slots
from htcq.units import CPUS, MEMORY

#: What other slots use of a backfill slot.
SHARED = (CPUS, MEMORY)
_REFUSED = "its START looks at other slots of the machine, which are claimed by then"


class OtherSlots:
    """The slots of each startd, as claims are made in a cycle over ``pool``."""

    def __init__(self, pool: Pool) -> None:
        self._neighbours, self._made = Neighbours(pool), Slots()
        self._of_startd: dict[str, dict[str, Slot]] = {}
        #: What primary slots use since the cycle began, and the views of backfill slots, by startd.
        self._used: dict[str, dict[str, Number]] = {}
        self._views: dict[str, list[StartdView]] = {}

    def begin(self, slots: Sequence[Slot]) -> None:
        """Begin a cycle with these slots."""
        self._of_startd.clear()
        self._used.clear()
        self._views.clear()
        frames = {id(slot.frame): slot for slot in slots}
        shared = {key for key, slot in frames.items() if is_backfill(slot)}
        if not (shared or self._neighbours.any):
            return
        startds = {slot.startd for slot in slots if id(slot.frame) in shared}
        for slot in slots:
            if self._neighbours.any or slot.startd in startds:
                self._of_startd.setdefault(slot.startd, {})[str(slot.name)] = slot

    def viewed(self, slot: Slot, view: StartdView) -> None:
        """Note the view of a slot at its startd, less what others use of a backfill slot."""
        if slot.startd in self._of_startd and is_backfill(slot):
            view.add({name: -used for name, used in self._used.get(slot.startd, {}).items()})
            self._views.setdefault(slot.startd, []).append(view)

    def refuses(self, slot: Slot, request: Request, left: Mapping[str, Number]) -> str:
        """Return why the startd refuses ``request`` for a ``slot`` that matched; empty if not."""
        own = self._of_startd.get(slot.startd)
        if own is None:
            return ""
        shown = self._neighbours.written(slot, self._neighbours.crossed(own.values()))
        if shown is slot:
            return ""
        has = dict(left) if slot.type == PARTITIONABLE else {}
        suits = named("MY.Requirements").evaluate(shown.ad(has), request.first.ad())
        return "" if holds(suits) else _REFUSED

    def claimed(self, slot: Slot, request: Request, amounts: Mapping[str, Number]) -> None:
        """Note a claim on a slot."""
        own = self._of_startd.get(slot.startd)
        if own is None:
            return
        if slot.type != PARTITIONABLE:
            own[str(slot.name)] = self._made.claimed(slot, request.first.submitter, "")
        if is_backfill(slot):
            return
        taken = amounts or {name: more or 0 for name, more in slot.left().items()}
        used = self._used.setdefault(slot.startd, dict.fromkeys(SHARED, 0))
        for name in SHARED:
            used[name] += taken.get(name, 0)
        for view in self._views.get(slot.startd, ()):
            view.add({name: -taken.get(name, 0) for name in SHARED})


def in_use(slots: Iterable[tuple[Slot, Mapping[str, Number]]]) -> dict[str, Number]:
    """Return what claims on primary ``slots`` use of the backfill slots beside them."""
    used: dict[str, Number] = dict.fromkeys(SHARED, 0)
    for slot, amounts in slots:
        if not is_backfill(slot):
            for name in SHARED:
                used[name] += amounts.get(name, 0)
    return used
