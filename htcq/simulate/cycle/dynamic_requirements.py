"""What of a slot's Requirements is decided anew by the dynamic slot that is made for a job.

A startd asks them again there (src/condor_startd.V6/command.cpp, request_claim, HTCondor 25.14).
What the slot and its dynamic slot see alike held in the match, and holds again. The job names its
schedd only there (src/condor_schedd.V6/schedd.cpp, contactStartd).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from htcq.classad.clauses import conjuncts
from htcq.classad.names import reference
from htcq.classad.parser import parse
from htcq.classad.tree import TARGET, Foreign
from htcq.classads import Ad, Expr, Value, as_number
from htcq.policy.claim import Startd
from htcq.pool.autocluster import Autocluster
from htcq.pool.job import SCHEDD
from htcq.pool.reference_graph import ANY_NAME, ReferenceGraph
from htcq.pool.shared_attributes import SharedAttributes
from htcq.pool.slot import Number, Slot
from htcq.simulate.cycle.queues import Request

#: What a dynamic slot has for itself, besides its amounts.
_OF_DYNAMIC_SLOT = frozenset({"dynamicslot", "partitionableslot", "slottype", "numdynamicslots"})
#: Kept beside the amounts that are left: what of a slot changes with its claims as they do.
DYNAMIC_SLOTS = "numdynamicslots"
#: Compares the request with what the slot has left, which a startd does apart.
_LIMITS = "withinresourcelimits"
_REQUIREMENTS = "Requirements"
#: References that are followed into each other, which keeps circles out.
_MAX_DEPTH = 20


class ClaimingJob:
    """A job as its ``schedd`` shows it to a startd (schedd.cpp, contactStartd)."""

    def __init__(self, request: Request, schedd: str) -> None:
        self._job = Autocluster(request.frame, request.first, Counter(), Counter())
        self._own = {SCHEDD: schedd}

    def ad(self, changed: Mapping[str, Value] | None = None) -> Ad:
        """Return its ad with some attributes changed; valid until the next call."""
        return self._job.ad({**self._own, **(changed or {})})


def asked_again(
    slot: SharedAttributes, job: SharedAttributes, assets: tuple[str, ...], links: ReferenceGraph
) -> tuple[Expr, ...]:
    """Return the parts of Requirements of ``slot`` that are other ones on its dynamic slot.

    All parts must hold. The consumption policy of a slot changes what ``job`` asks of ``assets``.
    """
    changing = _OF_DYNAMIC_SLOT | {ANY_NAME, SCHEDD.lower()}
    for asset in assets:
        changing |= {asset, f"totalslot{asset}", f"request{asset}", f"_cp_orig_request{asset}"}
    found = []
    for text in _parts(_REQUIREMENTS, slot, _MAX_DEPTH):
        expression = links.parsed(text)
        if expression is None:
            continue
        if not changing.isdisjoint(links.reached(expression.words(), slot, job)):
            found.append(expression)
    return tuple(found)


class Before(NamedTuple):
    """Parts of Requirements of a slot, the names that they come upon, and whose they are."""

    conditions: tuple[Expr, ...]
    reached: Collection[str]
    of: tuple[object, ...]


NOTHING_BEFORE = Before((), (), ())


class AskedBefore:
    """What a startd asks of a partitionable slot before it makes a dynamic slot.

    It asks of the request as it has changed it, then as it came
    (src/condor_startd.V6/Resource.cpp, create_dslot, HTCondor 23.9 and 25.14), and knows of claims
    that were made since the ad that the negotiator has.
    """

    def __init__(self, links: ReferenceGraph) -> None:
        self._links = links
        self._known: dict[tuple[object, ...], Before] = {}

    def of(self, slot: Slot, job: SharedAttributes, startd: Startd) -> Before:
        """Return the parts that may hold no more, without WithinResourceLimits."""
        key = (id(slot.frame), slot.assets, id(job), id(startd))
        known = self._known.get(key)
        if known is None:
            conditions = tuple(self._parts(slot, job, startd))
            words = {word for each in conditions for word in each.words()}
            reached = self._links.reached(sorted(words), slot.frame, job)
            # What is known by its id must live.
            known = self._known[key] = Before(conditions, reached, (slot.frame, job, startd))
        return known

    def _parts(self, slot: Slot, job: SharedAttributes, startd: Startd) -> Iterator[Expr]:
        names = {f"request{asset}" for asset in startd.modify} | {*slot.assets, DYNAMIC_SLOTS}
        names.add(SCHEDD.lower())
        for text in _parts(_REQUIREMENTS, slot.frame, _MAX_DEPTH, _LIMITS):
            named = reference(text)
            if named is not None and named.name == _LIMITS:
                continue
            expression = self._links.parsed(text)
            if expression is None:
                continue
            reached = self._links.reached(expression.words(), slot.frame, job)
            if ANY_NAME in reached or not reached.isdisjoint(names):
                yield expression


def with_count(left: Mapping[str, Number], slot: Slot) -> dict[str, Number]:
    """Return what a slot has left, with the number of its dynamic slots where it shows one."""
    count = as_number(slot.dynamic_slots)
    return dict(left) if count is None else {**left, DYNAMIC_SLOTS: count}


def _parts(text: str, slot: SharedAttributes, depth: int, kept: str = "") -> Iterator[str]:
    """Yield what must hold for ``text`` to hold; a reference to ``kept`` as it stands."""
    parts = conjuncts(text)
    if len(parts) > 1:
        for part in parts:
            yield from _parts(part, slot, depth, kept)
        return
    named = reference(text)
    if named is not None and named.scope != TARGET and depth and named.name != kept:
        expression = slot.expression(named.name)
        if expression is not None and not isinstance(parse(expression.text), Foreign):
            yield from _parts(expression.text, slot, depth - 1, kept)
            return
    yield parts[0]
