"""How many waiting jobs what is left of slots would take, and what then is left.

A claim is what the startd makes of the request (:meth:`htcq.simulate.cycle.carving.Startds.share`),
the same for all slots of one frame as long as there is enough.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from htcq.balance.wanting import Waiting
from htcq.pool.shared_attributes import Expressions, SharedAttributes
from htcq.pool.slot import PARTITIONABLE, Number, Slot
from htcq.pool.slot_state import LIMITS, has_no_limits
from htcq.simulate.cycle.carving import Startds

_Share = Mapping[str, Number]


class Taken(NamedTuple):
    """What jobs take of one slot: how many fit, and what is left then."""

    number: int
    left: Mapping[str, Number]


class Filling:
    """What startds make of the requests of waiting jobs, if nothing closed their slots."""

    def __init__(self, startds: Startds) -> None:
        self._startds, self._expressions = startds, Expressions()
        self._open: dict[int, SharedAttributes] = {}
        self._shares: dict[tuple[int, int, str], _Share] = {}

    def most(
        self,
        slot: Slot,
        left: Mapping[str, Number],
        jobs: Waiting,
        number: int,
        is_plain: bool = False,
    ) -> Taken:
        """Return how many of ``number`` jobs fit into what is ``left`` of ``slot``.

        ``is_plain``: each takes what it requests, whatever the startd makes of that.
        """
        if slot.type != PARTITIONABLE:
            return Taken(1, dict.fromkeys(left, 0)) if any(left.values()) else Taken(0, left)
        share: _Share = {}
        if not _short_of(left, jobs.requested):
            share = jobs.requested if is_plain else self._share(slot, left, jobs)
        if not share:
            return Taken(0, left)
        counts = [int(left.get(asset, 0) // each) for asset, each in share.items() if each > 0]
        taken = min([number, *counts])
        rest = {asset: amount - taken * share.get(asset, 0) for asset, amount in left.items()}
        return Taken(taken, rest)

    def lacks(self, slot: Slot, left: Mapping[str, Number], jobs: Waiting) -> frozenset[str]:
        """Return the assets of which ``left`` is too little for one of ``jobs``."""
        short = _short_of(left, jobs.requested)
        if short:
            return short
        whole = slot.whole()
        if slot.type != PARTITIONABLE:
            return _short_of(left, whole)
        return _short_of(left, self._share(slot, whole, jobs))

    def _share(self, slot: Slot, left: Mapping[str, Number], jobs: Waiting) -> _Share:
        """Return what a job gets of a slot with so much left; nothing where that is too little."""
        key = (id(slot.frame), id(jobs.request), jobs.meeting.schedd)
        known = self._shares.get(key)
        if known is not None:
            enough = all(left.get(asset, 0) >= each for asset, each in known.items())
            return known if enough else {}
        frame = self._open.get(id(slot.frame))
        if frame is None:
            # Whether the slot takes the job was asked before.
            opened = {"Requirements": "true"}
            if has_no_limits(slot):
                opened[LIMITS] = "true"
            frame = slot.frame.changed(opened, self._expressions)
            self._open[id(slot.frame)] = frame
        asked = slot._replace(frame=frame)
        share = self._startds.share(asked, jobs.request, jobs.meeting.schedd, left)
        if share:
            self._shares[key] = share
        return share or {}


def _short_of(left: Mapping[str, Number], asked: _Share) -> frozenset[str]:
    """Return the assets of which less is left than is asked, if the slot has such an asset."""
    return frozenset(asset for asset, each in asked.items() if asset in left and each > left[asset])
