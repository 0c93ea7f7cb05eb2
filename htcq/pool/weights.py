"""SlotWeight, or another expression, evaluated once for each set of values that it names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from operator import itemgetter
from typing import NamedTuple

from htcq.classads import Expr, Value, literal
from htcq.pool.shared_attributes import SharedAttributes
from htcq.pool.slot import PLACES, Slot

#: Of so many frames weights are kept.
_MAX_FRAMES = 20_000


class _OfFrame(NamedTuple):
    """The own attributes that the slots of a frame are weighed by, and the weights.

    A weight is known by the values of these attributes and their types.
    """

    values: Callable[[Slot], object]
    weights: dict[object, Value]


class Weights:
    """The weights of slots; 500,000 slots have a few hundred different ones.

    Raises:
        PolicyError: ``text`` is no ClassAd expression.
    """

    def __init__(self, text: str = "SlotWeight") -> None:
        self._of_frame: dict[SharedAttributes, _OfFrame] = {}
        self._weight = Expr(text)
        self._words = tuple(dict.fromkeys(self._weight.words()))

    def of(self, slot: Slot) -> Value:
        """Return the value of the expression in the ad.

        A number, UNDEFINED, ERROR, or a value that is no number.
        """
        frame = slot.frame
        known = self._of_frame.get(frame)
        if known is None:
            if len(self._of_frame) >= _MAX_FRAMES:
                self._of_frame.clear()
            places = sorted(_places(frame, self._words))
            known = self._of_frame[frame] = _OfFrame(_values_at(places), {})
        key = known.values(slot)
        found = known.weights.get(key)
        if found is None:
            found = known.weights[key] = self._weight.evaluate(slot.ad())
        return found


def _values_at(places: Sequence[int]) -> Callable[[Slot], object]:
    """Return what gives the values of a slot at ``places``, with their types.

    1, 1.0 and true are equal keys, and different to a division.
    """
    if not places:
        return lambda slot: None
    if len(places) == 1:
        place = places[0]
        return lambda slot: (type(slot[place]), slot[place])
    values_of = itemgetter(*places)

    def several(slot: Slot) -> object:
        values = values_of(slot)
        return values, tuple(map(type, values))

    return several


def _places(frame: SharedAttributes, names: Iterable[str]) -> set[int]:
    """Return the own attributes that the evaluation of ``names`` can reach by reference."""
    found: set[int] = set()
    seen: set[str] = set()
    waiting = list(names)
    while waiting:
        word = waiting.pop()
        if word in PLACES and word not in frame.texts:
            found.add(PLACES[word])
        elif word == "eval":
            # It can put any name together.
            return set(PLACES.values())
        elif word not in seen:
            seen.add(word)
            if literal(frame.text(word) or "0") is None:
                expression = frame.expression(word)
                if expression is not None:
                    waiting += expression.words()
    return found
