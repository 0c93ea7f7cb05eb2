"""What equal ads have in common, kept once: a pool of 500,000 slots has a few hundred frames.

A frame holds the shared attributes of its ads as text and, on demand, as one ClassAd in which
they can be evaluated.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping
from copy import copy
from typing import NamedTuple, Protocol

from htcq.classads import ERROR, UNDEFINED, Ad, Expr, Missing, References, Value, literal
from htcq.errors import PolicyError
from htcq.growth import MAX_CHARACTERS, growth, is_endless
from htcq.growth import references as marks_in
from htcq.pool.adtext import Lines
from htcq.pool.secrets import scrub

#: An attribute whose evaluation would look up more than this is not evaluated: it could take for
#: ever.
MAX_LOOKUPS = 100_000
#: Nor one whose functions stand so deep in each other, through all attributes: at some 30,000 the
#: library's recursion overflows the stack of the process (25.14).
MAX_DEPTH = 5_000
_BRACKET = re.compile(r"[][(){}]")
#: Attributes to set on a frame's ad before an evaluation; None stands for absent.
Own = Iterable[tuple[str, Value]]


class Holder(Protocol):
    """What has attributes of its own: a slot, a job."""

    def own(self) -> Own:
        """Return them; the same at each call."""


class Expressions:
    """Every distinct expression text of a pool, parsed once.

    A text that does not parse counts as an error.
    """

    def __init__(self) -> None:
        self._known: dict[str, Expr | None] = {}
        self.broken: dict[str, str] = {}
        self.refused: set[str] = set()

    def parsed(self, text: str) -> Expr | None:
        """Return ``text`` parsed; None where it is no ClassAd expression."""
        if text not in self._known:
            try:
                self._known[text] = Expr(text)
            except PolicyError as error:
                self._known[text] = None
                self.broken[text] = str(error)
                if is_endless(text):
                    self.refused.add(text)
        return self._known[text]


class SharedAttributes:
    """The shared attributes of equal ads; names are looked up whatever their case."""

    __slots__ = (
        "_ad", "_base", "_changed", "_expressions", "_one", "_set", "_shared", "_twin", "_values",
        "endless", "lines", "names", "texts",
    )  # fmt: skip

    def __init__(self, lines: Lines, expressions: Expressions) -> None:
        self.lines = lines
        self.texts: dict[str, str] = {}
        self.names: dict[str, str] = {}
        for raw_name, raw_text in lines:
            name = raw_name.decode("utf-8", "replace")
            self.names[name.lower()] = name
            # What is not kept cannot be told: somebody's snapshot may hold claim ids and tokens.
            self.texts[name.lower()] = scrub(raw_text.strip().decode("utf-8", "replace"))
        self._expressions = expressions
        self._ad: Ad | None = None
        self._twin: SharedAttributes | None = None
        self._set: dict[str, Value] = {}
        self._one: Holder | None = None
        self._base: dict[str, Value] = {}
        self._changed: tuple[str, ...] = ()
        self._values: dict[str, Value] = {}
        self._shared: dict[str, int | float | bool | str | Expr] = {}
        self.endless: tuple[str, ...] = ()

    def changed(self, texts: Mapping[str, str], expressions: Expressions) -> SharedAttributes:
        """Return a frame with other texts for some attributes.

        ``expressions`` parses the new ones.
        """
        names = {name.lower() for name in texts}
        kept = [
            line for line in self.lines if line[0].decode("utf-8", "replace").lower() not in names
        ]
        return SharedAttributes(
            (*kept, *((name.encode(), text.encode()) for name, text in texts.items())), expressions
        )

    @property
    def twin(self) -> SharedAttributes:
        """The same attributes with an ad of their own.

        Two ads that are needed in turn are then not changed into each other.
        """
        if self._twin is None:
            if self._ad is None:
                self._ad = self._built()
            twin = copy(self)
            twin._ad, twin._one, twin._changed = self._filled(), None, ()
            twin._set, twin._base, twin._values = {}, {}, {}
            self._twin = twin
        return self._twin

    def __contains__(self, name: str) -> bool:
        return name.lower() in self.texts

    def text(self, name: str) -> str:
        """Return the expression text of ``name``; empty where it is absent."""
        return self.texts.get(name.lower(), "")

    def expression(self, name: str) -> Expr | None:
        """Return the expression of ``name``; None where it is absent or no ClassAd expression."""
        text = self.text(name)
        return self._expressions.parsed(text) if text else None

    def value(self, name: str) -> Value:
        """Return what ``name`` is in the frame alone; UNDEFINED where it is absent."""
        if name not in self._values:
            text = self.text(name)
            found = literal(text) if text else UNDEFINED
            self._values[name] = found if found is not None else self.ad(()).value(name)
        return self._values[name]

    def references(self) -> References:
        """Return every attribute that an expression of the frame names."""
        own: set[str] = set()
        target: set[str] = set()
        for text in self.texts.values():
            expression = self._expressions.parsed(text) if literal(text) is None else None
            if expression is not None:
                found = expression.references()
                own |= found.own
                target |= found.target
        return References(frozenset(own), frozenset(target))

    def refused(self) -> list[str]:
        """Return the attributes whose own text is too much to be evaluated."""
        if not self._expressions.refused:
            return []
        return [
            self.names[key] for key, text in self.texts.items() if text in self._expressions.refused
        ]

    def words(self) -> set[str]:
        """Return every word of its expressions, in lower case.

        Words of plain values are not among them.
        """
        found: set[str] = set()
        for text in self.texts.values():
            expression = self._expressions.parsed(text) if literal(text) is None else None
            if expression is not None:
                found.update(expression.words())
        return found

    def ad(self, own: Own, names: Container[str] | None = None) -> Ad:
        """Return the ad of these attributes and ``own``.

        The same object is changed at each call.

        Where only ``names``, in lower case, will be looked at, the others may be as they were
        for another ad.
        """
        if self._ad is None:
            self._ad = self._built()
        self._one = None
        ad, before, now = self._ad, self._set, dict(own)
        for name in [
            name for name in before if name not in now and (names is None or name.lower() in names)
        ]:
            self._cover(ad, name, UNDEFINED)
            del before[name]
        for name, value in now.items():
            self._put(ad, name, value)
        return ad

    def ad_of(self, one: Holder, changed: Mapping[str, Value]) -> Ad:
        """Return the ad of ``one`` with some attributes changed; the same object as of :meth:`ad`.

        As long as the same one is asked for, only what is ``changed`` is looked at.
        """
        if self._ad is None or self._one is not one:
            base = dict(one.own())
            ad = self.ad({**base, **changed}.items())
            self._one, self._base = one, base
        else:
            ad = self._ad
            for name in self._changed:
                if name not in changed:
                    self._restore(ad, name)
            for name, value in changed.items():
                self._put(ad, name, value)
        self._changed = tuple(changed)
        return ad

    def _restore(self, ad: Ad, name: str) -> None:
        """Give one attribute back what it is without a change."""
        if name in self._base:
            self._put(ad, name, self._base[name])
        elif name in self._set:
            self._cover(ad, name, UNDEFINED)
            del self._set[name]

    def _put(self, ad: Ad, name: str, value: Value) -> None:
        """Set one attribute; setting is what costs, so that an equal value stays as it is."""
        before = self._set[name] if name in self._set else self._shared.get(name.lower())
        if before != value or type(before) is not type(value):
            self._cover(ad, name, value)
            self._set[name] = value

    def _cover(self, ad: Ad, name: str, value: Value) -> None:
        """Set one attribute over the shared ones; UNDEFINED uncovers it."""
        if value is ERROR:
            ad[name] = Expr("error")
        elif not isinstance(value, Missing):
            ad[name] = value
        elif name.lower() in self.texts:
            ad[name] = self._shared[name.lower()]
        elif name in ad:
            del ad[name]

    def _built(self) -> Ad:
        costs = _Lookups(self.texts, self._expressions.parsed)
        endless = []
        for key, text in self.texts.items():
            value = literal(text)
            expression = self._expressions.parsed(text)
            if expression is None:
                self._shared[key] = Expr("error")
            elif value is None and costs.endless(key):
                self._shared[key] = Expr("error")
                endless.append(self.names[key])
            else:
                self._shared[key] = (
                    expression if isinstance(value, (Missing, type(None))) else value
                )
        self.endless = tuple(endless)
        return self._filled()

    def _filled(self) -> Ad:
        return Ad({self.names[key]: value for key, value in self._shared.items()})


class _Work(NamedTuple):
    """What the evaluation of one attribute takes at most, through all that it refers to.

    ``lookups`` of attributes, ``depth`` of brackets in brackets, ``size`` of its text with all
    references filled in, as functions make it grow; and of that text: ``elements`` of lists,
    ``marks`` for parts of a match.
    """

    lookups: int = 1
    depth: int = 0
    size: int = 0
    elements: int = 0
    marks: int = 0


class _Lookups:
    """How much work the evaluation of each attribute is at most."""

    def __init__(self, texts: Mapping[str, str], parsed: Callable[[str], Expr | None]) -> None:
        self._texts, self._parsed = texts, parsed
        self._known: dict[str, _Work] = {}

    def endless(self, name: str) -> bool:
        """Tell whether ``name`` is not evaluated.

        It could take for ever, or more stack or memory than a process has.
        """
        if name not in self._known:
            self._count(name)
        work = self._known[name]
        return work.lookups > MAX_LOOKUPS or work.depth > MAX_DEPTH or work.size > MAX_CHARACTERS

    def _count(self, start: str) -> None:
        """Count for ``start`` and all below it.

        There is no recursion: a chain may be as long as an ad.
        """
        words = self._words(start)
        path = [(start, words, iter(words))]
        under_way = {start}
        while path:
            name, words, rest = path[-1]
            # A circle ends at its second visit, as it does in HTCondor.
            below = next(
                (word for word in rest if word not in self._known and word not in under_way), None
            )
            if below is not None:
                under_way.add(below)
                words = self._words(below)
                path.append((below, words, iter(words)))
                continue
            path.pop()
            under_way.discard(name)
            self._known[name] = self._work(self._texts[name], words)

    def _work(self, text: str, words: Counter[str]) -> _Work:
        known = [(times, self._known.get(word, _Work())) for word, times in words.items()]
        elements = text.count(",") + sum(times * work.elements for times, work in known)
        marks = marks_in(text) + sum(times * work.marks for times, work in known)
        grown = growth(text, elements, marks)
        lookups = grown.times * (1 + sum(times * work.lookups for times, work in known))
        size = grown.characters * (len(text) + sum(times * work.size for times, work in known))
        depth = _depth(text) + max((work.depth for _, work in known), default=0)
        return _Work(
            min(lookups, MAX_LOOKUPS + 1),
            min(depth, MAX_DEPTH + 1),
            min(size, MAX_CHARACTERS + 1),
            min(elements, MAX_CHARACTERS),
            min(marks, MAX_CHARACTERS),
        )

    def _words(self, name: str) -> Counter[str]:
        text = self._texts[name]
        expression = None if literal(text) is not None else self._parsed(text)
        words = expression.words() if expression is not None else []
        # eval() can put any name together.
        return Counter(
            word
            for word in [*words, *(self._texts if "eval" in words else ())]
            if word in self._texts
        )


def _depth(text: str) -> int:
    """Return how deep brackets stand in brackets, and 1 for the expression itself."""
    deepest = depth = 0
    for bracket in _BRACKET.findall(text):
        depth += 1 if bracket in "([{" else -1
        deepest = max(deepest, depth)
    return deepest + 1
