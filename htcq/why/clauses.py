"""What is false between a job and slots: a column of truth values for each clause.

Every clause is looked at, also where another is false already. Follows matchmakingAlgorithm of
src/condor_negotiator.V6/matchmaker.cpp and cp_sufficient_assets of
src/condor_utils/consumption_policy.cpp, HTCondor 25.14.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from htcq.classad.clauses import disjuncts
from htcq.classads import UNDEFINED, Value, as_number
from htcq.pool.job import PLACES as JOB_PLACES
from htcq.pool.slot import PLACES, Number
from htcq.simulate.cycle.job_table import JobTable, TableContext
from htcq.simulate.cycle.rows import Rows
from htcq.simulate.cycle.slot_table import SlotTable
from htcq.units import attribute
from htcq.why.evidence import Term, Views, terms_of
from htcq.why.requirements import (
    REQUEST,
    REQUIREMENTS,
    WHOLE,
    Branches,
    Clause,
    Leaf,
    Node,
    TakenApart,
)

if TYPE_CHECKING:
    from htcq.columns.column import Column
    from htcq.columns.engine import Values
    from htcq.columns.table import Table

    #: The ads of slots, and of the job that is compared with them.
    _Ads = tuple[Table, Table]

Array = Any
#: The devices of a slot that no job has.
_AVAILABLE = "availablegpus"


def _explained(leaf: Leaf) -> str:
    """Return the text whose comparisons tell why ``leaf`` is false.

    A clause that holds if one of its parts does is explained with all of them.
    """
    text = leaf.clause.text
    return text if len(disjuncts(text)) > 1 else leaf.text


def _no_terms(clause: Clause, rows: Array, counts: Sequence[int] = ()) -> Sequence[Term]:
    return ()


class Shortage(NamedTuple):
    """An asset of which the slots of some rows have too little, and how much of it is asked.

    ``clause`` asks for it, where that is not the request; ``more``: for more than the amount.
    ``requested``: what the request asks for, where consumption policies take more than that.
    """

    asset: str
    rows: Array
    amounts: Column
    clause: Clause | None = None
    more: bool = False
    requested: Number | None = None


@dataclass(frozen=True, eq=False)
class Failure:
    """What of a match is false on slots: clauses with their rows, and assets that are too small.

    ``nowhere`` has no row.
    """

    nowhere: Array
    clauses: Mapping[Clause, Array] = field(default_factory=dict)
    short: Sequence[Shortage] = ()
    #: Returns the comparisons of a clause of ``clauses`` with their values on some rows.
    terms: Callable[[Clause, Array, Sequence[int]], Sequence[Term]] = field(default=_no_terms)
    #: The moment of the cycle as it stands in clauses; empty where it is not known.
    now: str = ""

    @cached_property
    def lacking(self) -> Mapping[str, Array]:
        """Where each asset is too small."""
        found: dict[str, Array] = {}
        for each in self.short:
            before = found.get(each.asset, self.nowhere)
            found[each.asset] = before | each.rows
        return found

    @cached_property
    def lacks_any(self) -> Array:
        """Where some asset is too small."""
        return any_of(self.lacking.values(), self.nowhere)

    @cached_property
    def refuses(self) -> Array:
        """Where some clause is false."""
        return any_of(self.clauses.values(), self.nowhere)

    @cached_property
    def excluded(self) -> Array:
        """Where some clause of the job's own Requirements is false."""
        own = [rows for clause, rows in self.clauses.items() if clause.of_job]
        return any_of(own, self.nowhere)

    @property
    def of_devices(self) -> Array:
        """Where only the devices decide: AvailableGPUs does not list those that are in use."""
        of_devices, others = self.nowhere, self.lacks_any
        for clause, rows in self.clauses.items():
            if clause.of_job and _AVAILABLE in clause.text.lower():
                of_devices = of_devices | rows
            else:
                others = others | rows
        return of_devices & ~others


def any_of(parts: Iterable[Array], nowhere: Array) -> Array:
    """Return where one of ``parts`` holds."""
    found = nowhere
    for each in parts:
        found = found | each
    return found


class Clauses:
    """What is false between jobs and the slots of tables; ``context`` is that of the tables."""

    def __init__(self, context: TableContext, moment: float | None = None) -> None:
        self._context, self._engine, self._links = context, context.engine, context.links
        self._now = "" if moment is None else str(int(moment))
        self._takers: dict[tuple[object, ...], TakenApart] = {}
        self._requested: dict[JobTable, Mapping[str, Number]] = {}

    def failure(self, slots: SlotTable, rows: Rows, job: JobTable, where: Array) -> Failure:
        """Return what is false on ``slots`` as they are in ``rows``, ``where`` it is asked for."""
        taken = rows.taken(job)
        ads = (rows.table, rows.asking(job, taken))
        false: dict[tuple[bool, Clause], Array] = {}
        texts: dict[Clause, dict[str, None]] = {}
        lacking: dict[bool, list[Shortage]] = {True: [], False: []}
        compared = self.charges(rows, job, where)
        for leaf, failing in self._false(slots, job, ads, where):
            if leaf.least.asset:
                asked = self._compared(leaf, ads, failing, rows)
                compared.append(asked)
                failing = failing & ~asked.rows
            if leaf.lacking:
                amounts = self._engine.column([self.requested(job).get(leaf.lacking, 0)])
                lacking[leaf.is_constant].append(Shortage(leaf.lacking, failing, amounts))
            else:
                key = (leaf.is_constant, leaf.clause)
                false[key] = false[key] | failing if key in false else failing
                texts.setdefault(leaf.clause, {})[_explained(leaf)] = None
        found = _failure(rows, false, [*lacking[True], *compared, *lacking[False]])

        def terms(clause: Clause, where: Array, counts: Sequence[int] = ()) -> Sequence[Term]:
            of = tuple(texts.get(clause, ()))
            return self._terms(of, clause.of_job, slots, job, ads, where, counts)

        return replace(found, terms=terms, now=self._now)

    def _terms(
        self,
        texts: Sequence[str],
        of_job: bool,
        slots: SlotTable,
        job: JobTable,
        ads: _Ads,
        where: Array,
        counts: Sequence[int],
    ) -> Sequence[Term]:
        """Return the comparisons in ``texts`` with their values on the slots ``where`` they are."""
        places = self._engine.arrays.rows_in(where, ads[0].rows)

        def values(text: str) -> Mapping[Value, int]:
            if self._links.parsed(text) is None:
                return {}
            return self._values(text, of_job, ads).counted(places, counts)

        frame, places_of = (job.request.frame, JOB_PLACES) if of_job else (
            slots.offer(0).seen.frame, {*PLACES, *slots.whole().left}
        )  # fmt: skip
        views = Views(of_job, lambda name: name in frame or name in places_of, frame.text, values)
        found: list[Term] = []
        for text in texts:
            found += terms_of(text, views)
        return found

    def _compared(self, leaf: Leaf, ads: _Ads, failing: Array, rows: Rows) -> Shortage:
        """Return where a clause is false that compares what a slot has left with a number."""
        least = leaf.least
        numbers = self._values(least.text, leaf.clause.of_job, ads).amounts()
        known = failing & ~rows.arrays.is_absent(numbers)
        clause = None if least.of_request else leaf.clause
        return Shortage(least.asset, known, numbers, clause, least.more)

    def _false(
        self, slots: SlotTable, job: JobTable, ads: _Ads, where: Array
    ) -> Iterator[tuple[Leaf, Array]]:
        """Yield the texts of both sides that are false, with the rows."""
        taker = self._taker(slots, job)
        for of_job in (True, False):
            # Where the whole holds, each part does.
            failing = where & ~self._values(WHOLE, of_job, ads).hold()
            waiting: list[tuple[Node, Array]] = [(taker.whole(of_job), failing)]
            while waiting:
                node, rows = waiting.pop()
                if not rows.any():
                    continue
                if isinstance(node, Leaf):
                    yield node, rows & ~self._values(node.text, of_job, ads).hold()
                elif isinstance(node, Branches):
                    waiting += self._taken(node, of_job, ads, rows)
                else:
                    waiting += [(taker.of(part), rows) for part in reversed(node)]

    def _taken(
        self, node: Branches, of_job: bool, ads: _Ads, rows: Array
    ) -> Iterator[tuple[Node, Array]]:
        """Yield the branches of a condition, each with the rows that take it."""
        left = rows
        for value, parts in (("true", node.then), ("false", node.otherwise)):
            truth = self._values(f"({node.condition}) =?= {value}", of_job, ads)
            here = rows & truth.hold()
            left = left & ~here
            yield parts, here
            if not left.any():
                return
        yield node.neither, left

    def _values(self, text: str, of_job: bool, ads: _Ads) -> Values:
        slots, job = ads
        # A condition that is a whole expression by itself may be too deep within another.
        expression = self._links.parsed(text) or self._links.parsed("error")
        assert expression is not None
        my, target = (job, slots) if of_job else (slots, job)
        return self._engine.evaluate(expression, my, target)

    def _taker(self, slots: SlotTable, job: JobTable) -> TakenApart:
        frame = job.request.frame
        schema = self._context.shared(frame)[0]
        text = frame.text(REQUIREMENTS)
        key = (slots, schema, frozenset(frame.texts), bool(frame.endless), text)
        found = self._takers.get(key)
        if found is None:
            one, assets = slots.offer(0).seen, tuple(slots.whole().left)
            found = self._takers[key] = TakenApart(
                one, assets, slots.policy, job.request, self._links
            )
        return found

    def requested(self, job: JobTable) -> Mapping[str, Number]:
        """Return what ``job`` asks of each asset, as far as it is a number whatever the slot."""
        known = self._requested.get(job)
        if known is None:
            asked = {}
            for name in job.request.frame.texts:
                amount = as_number(job.value(name)) if name.startswith(REQUEST) else None
                if amount is not None:
                    asked[name[len(REQUEST) :]] = amount
            known = self._requested[job] = asked
        return known

    def charges(self, rows: Rows, job: JobTable, where: Array) -> list[Shortage]:
        """Return the assets of which slots have less than their policies take, with the rows."""
        requested, found = self.requested(job), list[Shortage]()
        for each in too_little(rows, rows.taken(job), where):
            asked = requested.get(each.asset, 0)
            # Where the request alone is too much the policy makes no difference.
            is_enough = rows.arrays.largest(rows.left[each.asset], each.rows) >= asked
            found.append(each._replace(requested=asked) if is_enough else each)
        return found

    def flaws(self, rows: Rows, job: JobTable, where: Array) -> Mapping[str, Array]:
        """Return what is wrong with the consumption policies of slots, with the rows."""
        taken, arrays = rows.taken(job), rows.arrays
        if not taken:
            return {}
        wrong, found = where & ~rows.consumes(taken), dict[str, list[int]]()
        for row in arrays.rows_in(wrong, rows.rows).tolist():
            amounts = {asset: self._engine.value(column, row) for asset, column in taken.items()}
            found.setdefault(_flaw(amounts), []).append(row)
        return {text: arrays.truths_at(rows.rows, places) for text, places in found.items()}


def too_little(rows: Rows, asked: Mapping[str, Column], where: Array) -> list[Shortage]:
    """Return the assets of which slots have less than is asked, with the rows."""
    found = []
    for asset, amounts in asked.items():
        short = where & rows.arrays.is_less(rows.left[asset], amounts)
        if short.any():
            found.append(Shortage(asset, short, amounts))
    return found


def _failure(
    rows: Rows, false: Mapping[tuple[bool, Clause], Array], short: Iterable[Shortage]
) -> Failure:
    """Return what is false; what looks at nothing of the slots' own comes first."""
    clauses: dict[Clause, Array] = {}
    for (_, clause), where in sorted(false.items(), key=lambda each: not each[0][0]):
        clauses[clause] = clauses[clause] | where if clause in clauses else where
    return Failure(
        rows.arrays.truths(rows.rows, False),
        {clause: where for clause, where in clauses.items() if where.any()},
        [each for each in short if each.rows.any()],
    )


def _flaw(taken: Mapping[str, Value | None]) -> str:
    amounts = {
        asset: as_number(UNDEFINED if each is None else each) for asset, each in taken.items()
    }
    for asset, amount in amounts.items():
        if amount is None:
            return f"Consumption{attribute(asset)} is not a number"
        if amount < 0:
            return f"Consumption{attribute(asset)} is {amount:g}, which is negative"
    return "it consumes nothing of any asset"
