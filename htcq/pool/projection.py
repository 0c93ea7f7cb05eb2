"""A slot as a query with a projection returns it: without the attributes not asked for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from htcq.classads import UNDEFINED, Value
from htcq.pool.shared_attributes import SharedAttributes
from htcq.pool.slot import OWN, PLACES, Slot

#: Of so many frames the projected ones are kept.
_MAX_FRAMES = 20_000
#: The names of a slot's fields, in the order of :data:`OWN`.
_FIELDS = dict(zip((name.lower() for name in OWN), Slot._fields[1:]))


class _Projected(NamedTuple):
    """A frame with the attributes that are returned, and the slot's own fields that are not."""

    frame: SharedAttributes
    hidden: dict[str, Value]


class Projection:
    """The attributes ``names``, and all that their expressions refer to, as the collector sends.

    Follows putClassAd of src/condor_utils/classad_oldnew.cpp, HTCondor 25.13; seen on 23.9.6 and
    25.14.1.
    """

    def __init__(self, names: str) -> None:
        self._names = tuple(names.lower().split())
        self._of_frame: dict[SharedAttributes, _Projected] = {}

    def of(self, slot: Slot) -> Slot:
        """Return ``slot`` with the attributes of the projection alone."""
        known = self._of_frame.get(slot.frame)
        if known is None:
            if len(self._of_frame) >= _MAX_FRAMES:
                self._of_frame.clear()
            known = self._of_frame[slot.frame] = self._projected(slot.frame)
        return slot._replace(frame=known.frame, **known.hidden)

    def _projected(self, frame: SharedAttributes) -> _Projected:
        returned = reached(self._names, frame)
        hidden: dict[str, Value] = {}
        for name in PLACES:
            if name not in returned:
                hidden[_FIELDS[name]] = UNDEFINED
        return _Projected(frame.only(returned), hidden)


def reached(roots: Iterable[str], frame: SharedAttributes) -> set[str]:
    """Return ``roots`` and all that their expressions name in the same ad."""
    found: set[str] = set()
    waiting = list(roots)
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found.add(name)
        expression = frame.expression(name)
        if expression is not None:
            waiting += expression.references().own
    return found
