"""Expressions about a slot and a job, evaluated once for all slots that look equal to them."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence

from htcq.classads import Ad, Expr, Value, literal, parsed
from htcq.pool.shared_attributes import SharedAttributes
from htcq.pool.slot import OWN, PLACES, Number, Slot
from htcq.simulate.cycle.queues import Request
from htcq.units import attribute

#: Can put any name together.
ANY_NAME = "eval"
Amounts = Mapping[str, Number]
_Graph = Mapping[str, tuple[str, ...]]


class ReferenceGraph:
    """Which words the expressions of ads lead to.

    ``words`` are all that anything evaluated in a cycle contains.
    """

    def __init__(self, words: Iterable[str] = ()) -> None:
        self._words = tuple(words)
        self._graphs: dict[int, _Graph] = {}
        self._known: dict[tuple[tuple[str, str], ...], _Graph] = {}
        self._reached: dict[tuple[object, ...], frozenset[str]] = {}
        self._parsed: dict[str, Expr | None] = {}
        #: Those that jobs have no part in, by text, side and frame of the slot.
        self.looks: dict[tuple[str, bool, int], CachedExpression] = {}
        self._alike: dict[tuple[object, ...], SharedAttributes] = {}

    def parsed(self, text: str) -> Expr | None:
        """Return ``text`` parsed, once; None where it is no expression."""
        if text not in self._parsed:
            self._parsed[text] = parsed(text)
        return self._parsed[text]

    def like(self, frame: SharedAttributes) -> SharedAttributes:
        """Return the first frame that equals ``frame`` in all that the cycle evaluates."""
        policy = [name for name in frame.texts if name.startswith("consumption")]
        names = self.reached((*self._words, *policy), frame) & frame.texts.keys()
        return self._alike.setdefault(
            tuple((name, frame.texts[name]) for name in sorted(names)), frame
        )

    def reached(self, words: Iterable[str], *frames: SharedAttributes) -> frozenset[str]:
        """Return every word that an evaluation from ``words`` can reach through all ``frames``."""
        graphs = [self._graph(frame) for frame in frames]
        key = (*words, *map(id, graphs))
        if key not in self._reached:
            self._reached[key] = frozenset(_followed(words, graphs, frames))
        return self._reached[key]

    def _graph(self, frame: SharedAttributes) -> _Graph:
        """Return the words of each expression of ``frame``.

        Frames with the same expressions share it.
        """
        found = self._graphs.get(id(frame))
        if found is None:
            texts = tuple(
                (name, text) for name, text in frame.texts.items() if literal(text) is None
            )
            found = self._known.get(texts)
            if found is None:
                expressions = ((name, frame.expression(name)) for name, _ in texts)
                found = {
                    name: tuple(dict.fromkeys(each.words()))
                    for name, each in expressions
                    if each is not None
                }
                self._known[texts] = found
            self._graphs[id(frame)] = found
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


class CachedExpression:
    """One expression of a slot's ad with a job as TARGET, or ``in_job`` the reverse.

    ``names`` are all that it may come upon; only those that differ between slots of one frame
    tell slots apart. ``changed`` are attributes of the job while it is compared with a slot.
    """

    __slots__ = (
        "_assets",
        "_expression",
        "_in_job",
        "_job",
        "_known",
        "_names",
        "_own",
        "_request",
    )

    def __init__(
        self,
        expression: Expr,
        names: Container[str],
        assets: Sequence[str],
        request: Request | None = None,
        in_job: bool = False,
        changed: Mapping[str, Value] | None = None,
    ) -> None:
        self._expression, self._names, self._request, self._in_job = (
            expression,
            names,
            request,
            in_job,
        )
        self._assets = tuple((attribute(asset), asset) for asset in assets if asset in names)
        own = ((name, place) for place, name in enumerate(OWN, 1) if name.lower() in names)
        self._own = tuple((name, place) for name, place in own if name.lower() not in assets)
        job = () if request is None else (*request.first.own(), *(changed or {}).items())
        self._job = tuple((name, value) for name, value in job if name.lower() in names)
        self._known: dict[tuple[object, ...], Value] = {}

    @property
    def constant(self) -> bool:
        """Whether it is the same for all slots of the frame."""
        return not self._assets and not self._own

    @property
    def of_amounts(self) -> bool:
        """Whether it looks at what a slot has left."""
        return bool(self._assets)

    def seen(self, slot: Slot, amounts: Amounts) -> tuple[object, ...]:
        """Return all that it looks at of a slot with ``amounts`` left."""
        key: tuple[object, ...] = tuple([amounts[asset] for _, asset in self._assets])
        if self._own:
            key = (key, *self.own(slot))
        return key

    def own(self, slot: Slot) -> tuple[object, ...]:
        """Return all that it looks at of a slot that is its own and no amount."""
        own = [slot[place] for _, place in self._own]
        # 1, 1.0 and true are equal keys, and different to an expression; amounts are whole where
        # they can be.
        return (*own, *map(type, own))

    def of(self, slot: Slot, amounts: Amounts) -> Value:
        """Return its value for a slot with ``amounts`` left."""
        key = self.seen(slot, amounts)
        if key not in self._known:
            self._known[key] = self._evaluated(slot, amounts)
        return self._known[key]

    def _evaluated(self, slot: Slot, amounts: Amounts) -> Value:
        own: dict[str, Value] = {name: slot[place] for name, place in self._own}  # type: ignore[misc]
        own.update({name: amounts[asset] for name, asset in self._assets})
        ad = slot.frame.ad(own.items(), self._names)
        if self._request is None:
            return self._expression.evaluate(ad)
        job = self._request.frame.ad(self._job, self._names)
        return (
            self._expression.evaluate(job, ad)
            if self._in_job
            else self._expression.evaluate(ad, job)
        )


class PairExpression:
    """Expression on pairs of slots and jobs, cached for each two frames that differ."""

    def __init__(
        self,
        expression: Expr,
        links: ReferenceGraph,
        names_of_jobs: frozenset[str],
        in_job: bool = False,
    ) -> None:
        self._expression, self._links, self._names_of_jobs = expression, links, names_of_jobs
        self._in_job = in_job
        self._words = tuple(expression.words())
        self._by_job: dict[int, bool] = {}
        self._looks: dict[tuple[int, int], CachedExpression] = {}

    def by_job(self, frame: SharedAttributes) -> bool:
        """Tell whether its value for slots of ``frame`` depends on the job."""
        found = self._by_job.get(id(frame))
        if found is None:
            words = self._links.reached(self._words, frame)
            named = any(word in self._names_of_jobs and word not in frame.texts for word in words)
            found = self._by_job[id(frame)] = (
                self._in_job or named or "target" in words or ANY_NAME in words
            )
        return found

    def of(self, slot: Slot, amounts: Amounts, request: Request) -> Value:
        """Return its value for a slot with ``amounts`` left and the jobs of ``request``."""
        return self.look(slot, request).of(slot, amounts)

    def look(self, slot: Slot, request: Request) -> CachedExpression:
        """Return how its value is found for slots of the same frame and the jobs of ``request``."""
        key = (id(slot.frame), id(request) if self.by_job(slot.frame) else 0)
        look = self._looks.get(key)
        if look is None:
            frames = (slot.frame, request.frame) if key[1] else (slot.frame,)
            names = self._links.reached(self._words, *frames)
            look = self._looks[key] = CachedExpression(
                self._expression, names, slot.assets, request, self._in_job
            )
        return look


def job_ad(request: Request, changed: Mapping[str, Value] | None = None) -> Ad:
    """Return the ad of the first job of ``request``.

    Valid until the next call for a job of the same frame.
    """
    return request.frame.ad([*request.first.own(), *(changed or {}).items()])
