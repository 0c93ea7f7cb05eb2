"""The Requirements of jobs and slots taken apart into clauses, with the texts that owners wrote.

What is the same for all jobs and slots with the same expressions is found once; the rest is left to
be evaluated. Follows matchmakingAlgorithm of src/condor_negotiator.V6/matchmaker.cpp, HTCondor
25.14.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Union

from htcq.classad.clauses import choice, comparison, conjuncts, disjuncts
from htcq.classad.names import reference, words
from htcq.classad.tree import TARGET
from htcq.classads import literal
from htcq.policy.claim import request_of
from htcq.pool.job import PLACES as JOB_PLACES
from htcq.pool.reference_graph import ReferenceGraph
from htcq.pool.slot import PLACES, Slot
from htcq.pool.slot_state import LIMITS, missing_consumption
from htcq.simulate.cycle.queues import Request

REQUIREMENTS, REQUEST = "Requirements", "request"
_LIMITS = LIMITS.lower()
#: The scope is said: what an ad lacks would be looked up in the other one.
WHOLE = "MY.Requirements"


class Clause(NamedTuple):
    """One condition as it is written, of the job's Requirements or of the slot's."""

    text: str
    of_job: bool
    #: Whether it is an attribute whose expression did not parse: a startd then advertises an error.
    is_error: bool = False
    #: The attribute of the slot that has the clause, where it is not START.
    attribute: str = ""
    #: What of a consumption policy it compares, and the slot's ad lacks.
    lacks: tuple[str, ...] = ()


class Part(NamedTuple):
    """A text of one side that is taken apart.

    ``path`` are the attributes that lead to it, ``clause`` is what it is a part of, which was
    found at ``depth``.
    """

    text: str
    of_job: bool
    path: frozenset[str] = frozenset()
    clause: Clause | None = None
    depth: int = -1


class Least(NamedTuple):
    """A condition that slots have as much of ``asset`` as ``text`` comes to, or ``more`` of it.

    ``asset`` is empty where there is no such condition. ``of_request``: ``text`` is a request.
    """

    asset: str = ""
    text: str = ""
    more: bool = False
    of_request: bool = False


class Leaf(NamedTuple):
    """A text that is evaluated.

    ``least`` is the amount of an asset that it asks for, ``lacking`` an asset that it asks for and
    that the slots do not have; both are empty where there is none.
    """

    text: str
    clause: Clause
    is_constant: bool
    least: Least
    lacking: str


class Branches(NamedTuple):
    """What counts where a condition is true, where it is false, and where it is neither."""

    condition: str
    then: Sequence[Part]
    otherwise: Sequence[Part]
    neither: Leaf


Node = Union[Leaf, Branches, Sequence[Part]]


class TakenApart:
    """What takes the Requirements of jobs like ``request`` and of slots like ``slot`` apart."""

    def __init__(
        self,
        slot: Slot,
        assets: Sequence[str],
        policy: bool,
        request: Request,
        links: ReferenceGraph,
    ) -> None:
        self._frames = (slot.frame, request.frame)
        self._links, self._assets = links, assets
        self._missing = missing_consumption(slot)
        self._varying = PLACES.keys() | set(assets)
        changed = {request_of(asset).lower() for asset in assets} if policy else set[str]()
        #: Attributes that are no expressions shared by all such jobs, or by all such slots.
        self._own = (PLACES.keys() | set(assets), JOB_PLACES.keys() | changed)
        requested = (name for name in request.frame.texts if name.startswith(REQUEST))
        self._lacking = sorted({name[len(REQUEST) :] for name in requested}.difference(assets))
        self._known: dict[Part, Node] = {}

    def whole(self, of_job: bool) -> Node:
        """Return the Requirements of one side."""
        frame = self._frames[of_job]
        # An ad without Requirements matches nothing.
        text = frame.text(REQUIREMENTS) or "undefined"
        if frame.endless:
            text = REQUIREMENTS
        elif literal(text) is None:
            return (Part(REQUIREMENTS, of_job),)
        return Leaf(WHOLE, Clause(text, of_job), False, Least(), "")

    def of(self, part: Part) -> Node:
        """Return what ``part`` consists of."""
        found = self._known.get(part)
        if found is None:
            found = self._known[part] = self._apart(part)
        return found

    def _apart(self, part: Part) -> Node:
        # What is known of an attribute or of several clauses at once would hide which of them is
        # false.
        inner, name = self._attribute(part), part.text.lower()
        if name == _LIMITS and not part.of_job and self._missing:
            clause = Clause(inner, False, False, LIMITS, self._missing)
            return Leaf(LIMITS, clause, True, Least(), "")
        if inner and name not in part.path:
            return self._all(inner, part._replace(path=part.path | {name}))
        texts = self._conjuncts(part.text)
        if len(texts) > 1:
            return self._all(part.text, part)
        if part.clause is None or len(part.path) > part.depth:
            attribute = LIMITS if _LIMITS in part.path and not part.of_job else ""
            clause = Clause(part.text, part.of_job, self._is_error(part), attribute)
            part = part._replace(clause=clause, depth=len(part.path))
        return self._branches(part) or self._leaf(part.text, part)

    def _all(self, text: str, part: Part) -> Sequence[Part]:
        return [part._replace(text=each) for each in self._conjuncts(text)]

    def _conjuncts(self, text: str) -> Sequence[str]:
        parts = conjuncts(text)
        if any(self._links.parsed(part) is None for part in parts):
            return (text,)
        return parts

    def _attribute(self, part: Part) -> str:
        """Return the expression of the attribute of the ad itself that a text names."""
        found = reference(part.text)
        if found is None or found.scope == TARGET:
            return ""
        frame, name = self._frames[part.of_job], found.name
        if name in self._own[part.of_job] or frame.expression(name) is None:
            return ""
        text = frame.text(name)
        return "" if literal(text) is not None else text

    def _is_error(self, part: Part) -> bool:
        frame, name = self._frames[part.of_job], part.text.lower()
        return not part.of_job and name in frame and frame.text(name).strip().lower() == "error"

    def _branches(self, part: Part) -> Branches | None:
        """Return what a condition that is the same for all like slots leaves to hold."""
        chosen, parts = choice(part.text), disjuncts(part.text)
        if chosen is not None and self._is_constant(chosen[0]):
            condition, then, otherwise = chosen[0], self._all(chosen[1], part), chosen[2]
        elif len(parts) > 1 and self._is_constant(parts[0]):
            rest = " || ".join(f"({each})" for each in parts[1:])
            condition, then, otherwise = parts[0], (), rest
        else:
            return None
        return Branches(condition, then, self._all(otherwise, part), self._leaf(part.text, part))

    def _leaf(self, text: str, part: Part) -> Leaf:
        clause = part.clause or Clause(text, part.of_job)
        expression, words = self._links.parsed(text), set[str]()
        if expression is not None:
            words.update(expression.words())
        lacking = [asset for asset in self._lacking if f"{REQUEST}{asset}" in words]
        least = self._least(text, part.of_job)
        return Leaf(text, clause, self._is_constant(text), least, "".join(lacking[:1]))

    def _least(self, text: str, of_job: bool) -> Least:
        found = comparison(text)
        if found is None:
            return Least()
        large, small = found.left, found.right
        if found.operator.startswith("<"):
            large, small = small, large
        asset = self._asset(large, of_job)
        if not asset or not self._is_constant(small):
            return Least()
        of_request = request_of(asset).lower() in words(small)
        return Least(asset, small, len(found.operator) == 1, of_request)

    def _asset(self, text: str, of_job: bool) -> str:
        """Return the asset of the slots that a text stands for; empty where it is anything else."""
        found = reference(text)
        if found is None or found.name not in self._assets:
            return ""
        scope, name = found.scope, found.name
        if not of_job:
            return "" if scope == TARGET else name
        # What the job lacks is looked up in the slot.
        is_lacking = name not in JOB_PLACES and name not in self._frames[True]
        return name if scope == TARGET or (not scope and is_lacking) else ""

    def _is_constant(self, text: str) -> bool:
        """Return whether a text looks at nothing that is a slot's own."""
        expression = self._links.parsed(text)
        if expression is None:
            return False
        return self._varying.isdisjoint(self._links.reached(expression.words(), *self._frames))
