"""SlotWeight of every slot, evaluated once for each set of values that it looks at."""

from __future__ import annotations

from htcq.classads import Expr, Value, literal
from htcq.pool.frame import Frame
from htcq.pool.slot import OWN, Slot

_OWN = {name.lower(): place for place, name in enumerate(OWN, 1)}


class Weights:
    """The weights of slots; 500,000 slots have a few hundred different ones."""

    def __init__(self) -> None:
        self._known: dict[tuple[object, ...], Value] = {}
        self._looked_at: dict[int, tuple[int, ...]] = {}
        self._weight = Expr("SlotWeight")

    def of(self, slot: Slot) -> Value:
        """Return SlotWeight as the ad says it: a number, UNDEFINED, ERROR or something that is no number."""
        frame = slot.frame
        places = self._looked_at.get(id(frame))
        if places is None:
            places = self._looked_at[id(frame)] = tuple(sorted(_places(frame, "slotweight", set())))
        key = (id(frame), *[slot[place] for place in places])
        if key not in self._known:
            self._known[key] = self._weight.evaluate(slot.ad())
        return self._known[key]


def _places(frame: Frame, name: str, seen: set[str]) -> set[int]:
    """Return which own attributes the evaluation of ``name`` can look at, through all that it refers to."""
    if name in _OWN and name not in frame.texts:
        return {_OWN[name]}
    if name in seen or literal(frame.text(name) or "0") is not None:
        return set()
    seen.add(name)
    expression = frame.expression(name)
    words = expression.words() if expression is not None else []
    found: set[int] = set()
    for word in words:
        found |= _places(frame, word, seen)
    return found
