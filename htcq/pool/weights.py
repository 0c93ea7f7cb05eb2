"""SlotWeight, or another expression, evaluated once for each set of values that it names."""

from __future__ import annotations

from collections.abc import Iterable

from htcq.classads import Expr, Value, literal
from htcq.pool.shared_attributes import SharedAttributes
from htcq.pool.slot import PLACES, Slot


class Weights:
    """The weights of slots; 500,000 slots have a few hundred different ones.

    Raises:
        PolicyError: ``text`` is no ClassAd expression.
    """

    def __init__(self, text: str = "SlotWeight") -> None:
        self._known: dict[tuple[object, ...], Value] = {}
        self._looked_at: dict[int, tuple[int, ...]] = {}
        self._weight = Expr(text)
        self._words = tuple(dict.fromkeys(self._weight.words()))

    def of(self, slot: Slot) -> Value:
        """Return the value of the expression in the ad.

        A number, UNDEFINED, ERROR, or a value that is no number.
        """
        frame = slot.frame
        places = self._looked_at.get(id(frame))
        if places is None:
            places = self._looked_at[id(frame)] = tuple(sorted(_places(frame, self._words)))
        values = [slot[place] for place in places]
        # 1, 1.0 and true are equal keys, and different to a division.
        key = (id(frame), *values, *map(type, values))
        if key not in self._known:
            self._known[key] = self._weight.evaluate(slot.ad())
        return self._known[key]


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
