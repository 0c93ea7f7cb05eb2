"""Expressions about a slot and a job, evaluated once for all slots that look equal to them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from htcq.classads import Ad, Expr, Value, literal
from htcq.negotiate.cycle.queues import Request
from htcq.pool.frame import Frame
from htcq.pool.slot import PLACES, Number, Slot

#: Can put any name together.
_ANY_NAME = "eval"
Amounts = Mapping[str, Number]


class Links:
    """Which words the expressions of ads lead to."""

    def __init__(self) -> None:
        self._known: dict[int, dict[str, tuple[str, ...]]] = {}

    def reached(self, words: Iterable[str], *frames: Frame) -> set[str]:
        """Return every word that an evaluation may come upon that starts from ``words``, through all ``frames``."""
        links = [self._of(frame) for frame in frames]
        found: set[str] = set()
        waiting = list(words)
        while waiting:
            word = waiting.pop()
            if word in found:
                continue
            found.add(word)
            if word == _ANY_NAME:
                waiting += PLACES
                for frame in frames:
                    waiting += frame.texts
            for link in links:
                waiting += link.get(word, ())
        return found

    def _of(self, frame: Frame) -> dict[str, tuple[str, ...]]:
        found = self._known.get(id(frame))
        if found is None:
            found = self._known[id(frame)] = {}
            for name, text in frame.texts.items():
                expression = frame.expression(name) if literal(text) is None else None
                if expression is not None:
                    found[name] = tuple(dict.fromkeys(expression.words()))
        return found


class Look:
    """One expression in the ad of a slot with a job as its target, or ``in_job`` the other way round.

    ``names`` are all that it may come upon; only those that differ between slots of one frame tell slots apart.
    ``changed`` are attributes of the job while it is compared with a slot.
    """

    __slots__ = ("_assets", "_changed", "_expression", "_in_job", "_known", "_places", "_request")

    def __init__(
        self,
        expression: Expr,
        names: set[str],
        assets: Sequence[str],
        request: Request | None = None,
        in_job: bool = False,
        changed: Mapping[str, Value] | None = None,
    ) -> None:
        self._expression, self._request, self._in_job, self._changed = expression, request, in_job, changed
        self._assets = tuple(asset for asset in assets if asset in names)
        self._places = tuple(PLACES[name] for name in sorted(names) if name in PLACES and name not in self._assets)
        self._known: dict[tuple[object, ...], Value] = {}

    @property
    def constant(self) -> bool:
        """Whether it is the same for all slots of the frame."""
        return not self._assets and not self._places

    def of(self, slot: Slot, amounts: Amounts) -> Value:
        """Return its value for a slot with ``amounts`` left."""
        key: tuple[object, ...] = tuple([amounts[asset] for asset in self._assets])
        if self._places:
            own = [slot[place] for place in self._places]
            # 1, 1.0 and true are equal keys, and different to an expression; amounts are whole where they can be.
            key = (key, *own, *map(type, own))
        if key not in self._known:
            self._known[key] = self._evaluated(slot, amounts)
        return self._known[key]

    def _evaluated(self, slot: Slot, amounts: Amounts) -> Value:
        ad = slot.ad(dict(amounts))
        if self._request is None:
            return self._expression.evaluate(ad)
        job = job_ad(self._request, self._changed)
        return self._expression.evaluate(job, ad) if self._in_job else self._expression.evaluate(ad, job)


def job_ad(request: Request, changed: Mapping[str, Value] | None = None) -> Ad:
    """Return the ad of the first job of ``request``; valid until the next call for a job of the same frame."""
    return request.frame.ad([*request.first.own(), *(changed or {}).items()])
