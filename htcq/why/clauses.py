"""The clauses that a job and a slot ask of each other, each with the text that its owner wrote.

The same taking apart as in the simulated cycle, but every clause is kept, also where another is
false already. Follows matchmakingAlgorithm of src/condor_negotiator.V6/matchmaker.cpp, HTCondor
25.14.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from htcq.classads import as_number, holds, literal
from htcq.pool.slot import Number, Slot
from htcq.simulate.cycle.cached_expressions import Amounts, CachedExpression, ReferenceGraph
from htcq.simulate.cycle.clauses import conjuncts
from htcq.simulate.cycle.conditions import COMPARE, Compared, Conditions
from htcq.simulate.cycle.queues import Request
from htcq.units import attribute

_REQUEST = "request"


class Clause(NamedTuple):
    """One condition as it is written, of the job's Requirements or of the slot's."""

    text: str
    of_job: bool


class Shortage(NamedTuple):
    """An asset of which a slot has too little, and how much of it is asked."""

    asset: str
    amount: Number


class _Varying(NamedTuple):
    """A clause that is evaluated slot by slot.

    ``lacking`` is what it asks of an asset that the slots do not have.
    """

    look: CachedExpression
    clause: Clause
    lacking: Shortage | None


class Failure(NamedTuple):
    """What of a match is false on one slot.

    Clauses, and assets of which the slot has too little.
    """

    clauses: tuple[Clause, ...] = ()
    short: tuple[Shortage, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.clauses or self.short)


class Clauses(Conditions):
    """All clauses of a request and the slots of one frame, where the request takes ``taken``.

    ``flaw`` says what is wrong with the consumption policy; empty where nothing is.
    """

    def __init__(
        self,
        slot: Slot,
        request: Request,
        taken: Mapping[str, Number | None],
        links: ReferenceGraph,
    ) -> None:
        self._label: tuple[Clause, int] | None = None
        self._false: dict[Clause, None] = {}
        self._asked: list[tuple[str, str, Number]] = []
        self._lacking: list[Shortage] = []
        self._looks: list[_Varying] = []
        self._requested = {
            name[len(_REQUEST) :] for name in request.frame.texts if name.startswith(_REQUEST)
        }
        self.flaw = _flaw(taken)
        super().__init__(slot, request, taken, links)
        if self.flaw:
            self._never = False
            self._take_apart()

    @property
    def compared(self) -> Sequence[Compared]:
        """What is compared with numbers."""
        return [(asset, COMPARE[operator], number) for asset, operator, number in self._asked]

    @property
    def looks(self) -> Sequence[CachedExpression]:
        """What is evaluated slot by slot."""
        return [varying.look for varying in self._looks]

    def failure(self, slot: Slot, amounts: Amounts) -> Failure:
        """Return what is false on ``slot`` with ``amounts`` left."""
        short = list(self._lacking)
        for asset, operator, number in self._asked:
            if not COMPARE[operator](amounts[asset], number):
                short.append(Shortage(asset, number))
        clauses = dict(self._false)
        for varying in self._looks:
            if holds(varying.look.of(slot, amounts)):
                continue
            if varying.lacking is not None:
                short.append(varying.lacking)
            else:
                clauses[varying.clause] = None
        return Failure(tuple(clauses), tuple(short))

    # Taking apart
    # ----------------------------------------------------------------------------------------------

    def _clause(self, text: str, in_job: bool, path: frozenset[str]) -> None:
        # What is known of an attribute or of several clauses at once would hide which of them is
        # false.
        inner = self._attribute(text, in_job)
        if inner is not None and literal(inner) is None and text.lower() not in path:
            self._all(inner, in_job, path | {text.lower()})
            return
        if len(conjuncts(text)) > 1:
            self._all(text, in_job, path)
            return
        outer = self._label
        if outer is None or len(path) > outer[1] or outer[0].of_job != in_job:
            self._label = Clause(text, in_job), len(path)
        super()._clause(text, in_job, path)
        if self._never:
            self._never = False
            self._is_false(text)
        self._label = outer

    def _is_false(self, text: str) -> None:
        """Note a clause that is false on all slots of the frame."""
        assert self._label is not None
        lacking = self._lacks(text)
        if lacking is not None:
            self._lacking.append(lacking)
        else:
            self._false[self._label[0]] = None

    def _lacks(self, text: str) -> Shortage | None:
        """Return what ``text`` requires of a requested asset that the slots do not have."""
        expression, words = self._links.parsed(text), set[str]()
        if expression is not None:
            words.update(expression.words())
        for asset in sorted(self._requested.difference(self._assets)):
            if f"{_REQUEST}{asset}" in words:
                asked = as_number(self._job_ad.value(f"Request{attribute(asset)}"))
                return Shortage(asset, asked or 0)
        return None

    def _bound(self, asset: str, operator_: str, number: Number) -> None:
        self._asked.append((asset, operator_, number))

    def _look(self, text: str, in_job: bool) -> None:
        super()._look(text, in_job)
        label = Clause(text, in_job)
        if self._label is not None:
            label = self._label[0]
        self._looks.append(_Varying(self._rest.pop(), label, self._lacks(text)))


def _flaw(taken: Mapping[str, Number | None]) -> str:
    for asset, amount in taken.items():
        if amount is None:
            return f"Consumption{attribute(asset)} is not a number"
        if amount < 0:
            return f"Consumption{attribute(asset)} is {amount:g}, which is negative"
    if taken and not any(taken.values()):
        return "it consumes nothing of any asset"
    return ""
