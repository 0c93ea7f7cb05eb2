"""Attributes that equal ads share, kept once: 500,000 slots have a few hundred sets of them.

Such a set, a frame, holds the attributes as text and, on demand, as one ClassAd in which they can
be evaluated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping
from copy import copy
from operator import itemgetter
from typing import Any, NamedTuple, Protocol

from htcq.classad.clock import CLOCK_WORDS, CURRENT_TIME, at_time
from htcq.classad.growth import MAX_CHARACTERS, growth, is_endless
from htcq.classad.growth import depth as depth_of
from htcq.classad.growth import references as marks_in
from htcq.classads import ERROR, UNDEFINED, Ad, Expr, Missing, References, Value, literal
from htcq.errors import PolicyError
from htcq.pool.ad_lines import Lines
from htcq.pool.secrets import scrub
from htcq.pool.values import bytes_of, text_of

#: An attribute that needs more lookups is not evaluated: it could take forever.
MAX_LOOKUPS = 100_000
#: Nor is one whose functions are nested deeper, through all attributes: at some 30,000 the
#: library's recursion overflows the stack of the process (25.14).
MAX_DEPTH = 5_000
#: Attributes to set on a frame's ad before an evaluation; None stands for absent.
Own = Iterable[tuple[str, Value]]


class Holder(Protocol):
    """An object with attributes of its own: a slot, a job."""

    def own(self) -> Own:
        """Return them; the same at each call."""


class Expressions:
    """Every distinct expression text of a pool, parsed once.

    A text that does not parse counts as an error. What is evaluated sees the time ``moment`` of
    the capture, in seconds since 1970; None: the time of the reader.
    """

    def __init__(self, moment: float | None = None) -> None:
        self.moment = moment
        self._known: dict[str, Expr | None] = {}
        #: One set of words for all frames whose expressions have the same.
        self.words: dict[frozenset[str], frozenset[str]] = {}
        self.broken: dict[str, str] = {}
        self.refused: set[str] = set()

    def parsed(self, text: str) -> Expr | None:
        """Return ``text`` parsed; None where it is no ClassAd expression."""
        if text not in self._known:
            self._known[text] = self._parsed(text)
        return self._known[text]

    def _parsed(self, text: str) -> Expr | None:
        try:
            return Expr(text, whole=False)
        except PolicyError as error:
            self.broken[text] = str(error)
            if is_endless(text):
                self.refused.add(text)
            return None

    def timed(self, text: str, own: bool) -> Expr | None:
        """Return ``text`` parsed at the time of the capture; ``own``: its ad has CurrentTime."""
        moment = self.moment
        return self.parsed(text if moment is None else at_time(text, str(int(moment)), own))

    def unless_literal(self, text: str) -> Expr | None:
        """Return ``text`` parsed; None where it is a plain value or no ClassAd expression."""
        if literal(text) is not None:
            return None
        return self.parsed(text)


class SharedAttributes:
    """The shared attributes of equal ads; names are looked up whatever their case."""

    __slots__ = (
        "_ad", "_base", "_changed", "_expressions", "_one", "_set", "_shared", "_twin", "_values",
        "_words", "endless", "lines", "names", "texts",
    )  # fmt: skip

    def __init__(self, lines: Lines, expressions: Expressions) -> None:
        self.lines = lines
        self.texts: dict[str, str] = {}
        self.names: dict[str, str] = {}
        for raw_name, raw_text in lines:
            name = text_of(raw_name)
            self.names[name.lower()] = name
            # What is not kept cannot be disclosed: a snapshot may hold claim ids and tokens.
            self.texts[name.lower()] = scrub(text_of(raw_text.strip()))
        self._expressions = expressions
        self._ad: Ad | None = None
        self._twin: SharedAttributes | None = None
        self._set: dict[str, Value] = {}
        self._one: Holder | None = None
        self._base: dict[str, Value] = {}
        self._changed: tuple[str, ...] = ()
        self._values: dict[str, Value] = {}
        self._words: frozenset[str] | None = None
        self._shared: dict[str, int | float | bool | str | Expr] = {}
        self.endless: tuple[str, ...] = ()

    def changed(self, texts: Mapping[str, str], expressions: Expressions) -> SharedAttributes:
        """Return a frame with other texts for some attributes.

        ``expressions`` parses the new ones.
        """
        replaced = {name.lower() for name in texts}
        kept = []
        for name, text in self.lines:
            if text_of(name).lower() not in replaced:
                kept.append((name, text))
        new = [(bytes_of(name), bytes_of(text)) for name, text in texts.items()]
        return SharedAttributes((*kept, *new), expressions)

    def joined(self, other: SharedAttributes | None, expressions: Expressions) -> SharedAttributes:
        """Return a frame with the attributes of both; those of ``other`` count where both have one.

        ``expressions`` parses them.
        """
        lines = self.lines
        if other is not None:
            own = {name for name, _ in other.lines}
            lines = (*(line for line in lines if line[0] not in own), *other.lines)
        return SharedAttributes(lines, expressions)

    def only(self, names: Container[str]) -> SharedAttributes:
        """Return a frame with the attributes ``names``, in lower case, alone."""
        kept = []
        for name, text in self.lines:
            if text_of(name).lower() in names:
                kept.append((name, text))
        return SharedAttributes(tuple(kept), self._expressions)

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
        if not text:
            return None
        return self._expressions.parsed(text)

    def value(self, name: str) -> Value:
        """Return the value of ``name`` in the frame alone; UNDEFINED where it is absent."""
        if name not in self._values:
            self._values[name] = self._value(name)
        return self._values[name]

    def _value(self, name: str) -> Value:
        text = self.text(name)
        if not text:
            return UNDEFINED
        found = literal(text)
        if found is None:
            found = self.ad(()).value(name)
        return found

    def references(self) -> References:
        """Return every attribute that an expression of the frame names."""
        own: set[str] = set()
        target: set[str] = set()
        for text in self.texts.values():
            expression = self._expressions.unless_literal(text)
            if expression is not None:
                found = expression.references()
                own |= found.own
                target |= found.target
        return References(frozenset(own), frozenset(target))

    def refused(self) -> list[str]:
        """Return the attributes whose own text is too much to be evaluated."""
        refused = self._expressions.refused
        if not refused:
            return []
        return [self.names[key] for key, text in self.texts.items() if text in refused]

    def words(self) -> frozenset[str]:
        """Return every word of its expressions but of plain values, in lower case."""
        if self._words is None:
            found: set[str] = set()
            for text in self.texts.values():
                expression = self._expressions.unless_literal(text)
                if expression is not None:
                    found.update(expression.words())
            words = frozenset(found)
            self._words = self._expressions.words.setdefault(words, words)
        return self._words

    def ad(self, own: Own, names: Container[str] | None = None) -> Ad:
        """Return the ad of these attributes and ``own``.

        The same object is changed at each call. Where only ``names``, in lower case, will be
        evaluated, the others may be as they were for another ad.
        """
        if self._ad is None:
            self._ad = self._built()
        self._one = None
        ad, before, now = self._ad, self._set, dict(own)
        gone = [name for name in before if name not in now]
        for name in gone:
            if names is None or name.lower() in names:
                self._cover(ad, name, UNDEFINED)
                del before[name]
        for name, value in now.items():
            self._put(ad, name, value)
        return ad

    def ad_of(self, one: Holder, changed: Mapping[str, Value]) -> Ad:
        """Return the ad of ``one`` with some attributes changed; the same object as of :meth:`ad`.

        As long as ``one`` is the same, only the attributes in ``changed`` are compared.
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
        """Set one attribute back to its value without a change."""
        if name in self._base:
            self._put(ad, name, self._base[name])
        elif name in self._set:
            self._cover(ad, name, UNDEFINED)
            del self._set[name]

    def _put(self, ad: Ad, name: str, value: Value) -> None:
        """Set one attribute unless it has that value: setting is what takes time."""
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
        costs = _Lookups(self.texts, self._expressions)
        endless = []
        for key, text in self.texts.items():
            value = literal(text)
            expression = self._expressions.timed(text, CURRENT_TIME in self.texts)
            if expression is None:
                self._shared[key] = Expr("error")
            elif value is None and costs.endless(key):
                self._shared[key] = Expr("error")
                endless.append(self.names[key])
            elif value is None or isinstance(value, Missing):
                self._shared[key] = expression
            else:
                self._shared[key] = value
        self.endless = tuple(endless)
        return self._filled()

    def renew(self) -> None:
        """Forget what was evaluated before the time of the capture was known."""
        if self._ad is not None and not CLOCK_WORDS.isdisjoint(self.words()):
            self._ad = self._twin = self._one = None
            self._changed = ()
            self._set, self._base, self._values, self._shared = {}, {}, {}, {}

    def _filled(self) -> Ad:
        return Ad({self.names[key]: value for key, value in self._shared.items()})


def frames_of(ads: Iterable[tuple[Any, ...]]) -> set[SharedAttributes]:
    """Return what slots or jobs share, each once: it is the first field of each."""
    return set(map(itemgetter(0), ads))


class _Work(NamedTuple):
    """Upper bounds of the work to evaluate one attribute, through all that it refers to.

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
    """Upper bounds of the work to evaluate each attribute."""

    def __init__(self, texts: Mapping[str, str], expressions: Expressions) -> None:
        self._texts, self._expressions = texts, expressions
        self._known: dict[str, _Work] = {}

    def endless(self, name: str) -> bool:
        """Return whether ``name`` is not evaluated.

        It could take forever, or more stack or memory than a process has.
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
            for below in rest:
                if below not in self._known and below not in under_way:
                    under_way.add(below)
                    words = self._words(below)
                    path.append((below, words, iter(words)))
                    break
            else:
                path.pop()
                under_way.discard(name)
                self._known[name] = self._work(self._texts[name], words)

    def _work(self, text: str, words: Counter[str]) -> _Work:
        lookups, size, depth = 1, len(text), 0
        elements, marks = text.count(","), marks_in(text)
        for word, times in words.items():
            work = self._known.get(word, _Work())
            lookups += times * work.lookups
            size += times * work.size
            elements += times * work.elements
            marks += times * work.marks
            depth = max(depth, work.depth)
        grown = growth(text, elements, marks)
        return _Work(
            min(lookups * grown.times, MAX_LOOKUPS + 1),
            min(depth + depth_of(text), MAX_DEPTH + 1),
            min(size * grown.characters, MAX_CHARACTERS + 1),
            min(elements, MAX_CHARACTERS),
            min(marks, MAX_CHARACTERS),
        )

    def _words(self, name: str) -> Counter[str]:
        expression = self._expressions.unless_literal(self._texts[name])
        if expression is None:
            return Counter()
        words = expression.words()
        if "eval" in words:
            # It can put any name together.
            words += self._texts
        return Counter(word for word in words if word in self._texts)
