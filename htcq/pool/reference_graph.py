"""Which words the expressions of ads lead to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from htcq.classads import Expr, literal, parsed
from htcq.pool.shared_attributes import SharedAttributes
from htcq.pool.slot import PLACES

#: Can put any name together.
ANY_NAME = "eval"
_Graph = Mapping[str, tuple[str, ...]]


class ReferenceGraph:
    """Which words the expressions of ads lead to.

    ``words`` are all that anything evaluated in a cycle contains.
    """

    def __init__(self, words: Iterable[str] = ()) -> None:
        self.words = frozenset(words)
        self._graphs: dict[SharedAttributes, _Graph] = {}
        self._known: dict[tuple[object, ...], _Graph] = {}
        self._reached: dict[tuple[object, ...], frozenset[str]] = {}
        self._parsed: dict[str, Expr | None] = {}
        self._alike: dict[tuple[object, ...], SharedAttributes] = {}
        self._first_like: dict[SharedAttributes, SharedAttributes] = {}

    def parsed(self, text: str) -> Expr | None:
        """Return ``text`` parsed, once; None where it is no expression."""
        if text not in self._parsed:
            self._parsed[text] = parsed(text)
        return self._parsed[text]

    def like(self, frame: SharedAttributes) -> SharedAttributes:
        """Return the first frame that equals ``frame`` in all that the cycle evaluates."""
        known = self._first_like.get(frame)
        if known is None:
            known = self._first_like[frame] = self._found_like(frame)
        return known

    def _found_like(self, frame: SharedAttributes) -> SharedAttributes:
        policy = [name for name in frame.texts if name.startswith("consumption")]
        names = self.reached((*self.words, *policy), frame) & frame.texts.keys()
        return self._alike.setdefault(
            tuple((name, frame.texts[name]) for name in sorted(names)), frame
        )

    def reached(self, words: Iterable[str], *frames: SharedAttributes) -> frozenset[str]:
        """Return every word that an evaluation from ``words`` can reach through all ``frames``."""
        graphs = [self.graph(frame) for frame in frames]
        key = (*words, *map(id, graphs))
        if key not in self._reached:
            self._reached[key] = frozenset(_followed(words, graphs, frames))
        return self._reached[key]

    def graph(self, frame: SharedAttributes) -> _Graph:
        """Return the words of each expression of ``frame``.

        Frames with the same expressions and names share it.
        """
        found = self._graphs.get(frame)
        if found is None:
            texts = tuple(
                (name, text) for name, text in frame.texts.items() if literal(text) is None
            )
            # What can put any name together reaches all names.
            key = (texts, frozenset(frame.texts))
            found = self._known.get(key)
            if found is None:
                expressions = ((name, frame.expression(name)) for name, _ in texts)
                found = {
                    name: tuple(dict.fromkeys(each.words()))
                    for name, each in expressions
                    if each is not None
                }
                self._known[key] = found
            self._graphs[frame] = found
        return found


def _followed(
    words: Iterable[str], graphs: Sequence[_Graph], frames: Sequence[SharedAttributes]
) -> set[str]:
    found: set[str] = set()
    waiting = list(words)
    while waiting:
        word = waiting.pop()
        if word in found:
            continue
        found.add(word)
        if word == ANY_NAME:
            waiting += PLACES
            for frame in frames:
                waiting += frame.texts
        for graph in graphs:
            waiting += graph.get(word, ())
    return found
