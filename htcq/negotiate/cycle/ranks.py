"""How much a match is wanted: the negotiator's two ranks and the job's own, evaluated once for all that looks equal.

Follows calculateRanks and EvalNegotiatorMatchRank of src/condor_negotiator.V6/matchmaker.cpp, HTCondor 25.14. More is
better.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence

from htcq.classads import as_number, literal, named, parsed
from htcq.negotiate.cycle.matchlist import Ranks
from htcq.negotiate.cycle.offers import Offer
from htcq.negotiate.cycle.queues import Request
from htcq.pool.frame import Frame
from htcq.pool.slot import PLACES
from htcq.pool.weights import reached
from htcq.units import attribute

#: What a rank of the negotiator is that yields no number, and what a job's is.
_WORST, _NO_RANK = -1.7976931348623157e308, 0.0


def as_float(value: float) -> float:
    """Return ``value`` as a C++ float holds it."""
    try:
        rounded: float = struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")
    return rounded


class NegotiatorRank:
    """One of the negotiator's ranks: an expression in the ad of a slot, with a job as its target."""

    def __init__(self, text: str, names_of_jobs: frozenset[str]) -> None:
        self._expression = parsed(text)
        self._words = tuple(self._expression.words()) if self._expression is not None else ()
        self._names_of_jobs = names_of_jobs
        self._known: dict[tuple[object, ...], float] = {}
        self._looks: dict[int, tuple[tuple[int, ...], bool, bool]] = {}

    def of(self, offer: Offer, request: Request) -> float:
        """Return the rank of ``offer`` for ``request``."""
        slot, state = offer.slot, offer.state
        own, of_amounts, of_job = self._looked_at(slot.frame, state.kind.assets)
        key = (
            id(slot.frame),
            state.number if of_amounts else 0,
            id(request) if of_job else 0,
            *[slot[place] for place in own],
        )
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._evaluated(offer, request)
        return found

    def _looked_at(self, frame: Frame, assets: Sequence[str]) -> tuple[tuple[int, ...], bool, bool]:
        """Return which own attributes of a slot it looks at, and whether at amounts and at the job."""
        found = self._looks.get(id(frame))
        if found is None:
            words = reached(frame, self._words)
            names = {attribute(asset).lower() for asset in assets}
            own = {PLACES[word] for word in words - names if word in PLACES and word not in frame.texts}
            of_job = "target" in words or any(word in self._names_of_jobs and word not in frame.texts for word in words)
            found = self._looks[id(frame)] = (tuple(sorted(own)), bool(words & names), of_job)
        return found

    def _evaluated(self, offer: Offer, request: Request) -> float:
        if self._expression is None:
            return _WORST
        value = as_number(self._expression.evaluate(offer.ad(), request.first.ad()))
        return _WORST if value is None else as_float(value)


class JobRank:
    """The Rank of jobs, in their own ad with a slot as its target."""

    def __init__(self) -> None:
        self._known: dict[tuple[object, ...], float] = {}
        self._looks: dict[int, tuple[str, ...] | None] = {}

    def of(self, offer: Offer, request: Request) -> float:
        """Return how ``request`` ranks ``offer``."""
        words = self._words(request.frame)
        if words is None:
            return as_number(request.frame.value("Rank")) or _NO_RANK
        slot = offer.slot
        own = [slot[PLACES[word]] for word in words if word in PLACES]
        key = (id(request), id(slot.frame), offer.state.number, *own, *map(type, own))
        found = self._known.get(key)
        if found is None:
            value = as_number(named("Rank").evaluate(request.first.ad(), offer.ad()))
            found = self._known[key] = _NO_RANK if value is None else float(value)
        return found

    def _words(self, frame: Frame) -> tuple[str, ...] | None:
        """Return every word that Rank may look at; None where it is a number and looks at nothing."""
        if id(frame) not in self._looks:
            constant = literal(frame.text("Rank") or "0") is not None
            every = frozenset(word for text in frame.texts for word in _words_of(frame, text))
            self._looks[id(frame)] = None if constant else tuple(sorted(every | set(PLACES)))
        return self._looks[id(frame)]


def _words_of(frame: Frame, name: str) -> Iterable[str]:
    expression = frame.expression(name) if literal(frame.text(name)) is None else None
    return expression.words() if expression is not None else ()


class Ranker:
    """All three ranks of a match."""

    def __init__(self, pre: str, post: str, names_of_jobs: frozenset[str]) -> None:
        self._pre, self._post = NegotiatorRank(pre, names_of_jobs), NegotiatorRank(post, names_of_jobs)
        self._job = JobRank()

    def of(self, offer: Offer, request: Request) -> Ranks:
        """Return the ranks of ``offer`` for ``request``, in the order in which they count."""
        return (self._pre.of(offer, request), self._job.of(offer, request), self._post.of(offer, request))
