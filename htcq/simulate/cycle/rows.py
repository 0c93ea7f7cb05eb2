"""Some slots with what they have left: what they answer to a request, and how they rank.

Follows matchmakingAlgorithm, SubmitterLimitPermits and calculateRanks of
src/condor_negotiator.V6/matchmaker.cpp, and src/condor_utils/consumption_policy.cpp, HTCondor
25.14.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from htcq.classads import UNDEFINED, Ad, Expr, Value, named, parsed
from htcq.pool.slot import Number, Slot
from htcq.simulate.cycle.job_table import JobTable, TableContext
from htcq.units import attribute

if TYPE_CHECKING:
    from htcq.columns.column import Column
    from htcq.columns.table import Schema, Table

Array = Any
#: The scope is said: what an ad lacks would be looked up in the other one.
_REQUIREMENTS, _RANK = "MY.Requirements", "MY.Rank"
#: What a rank of the negotiator is that yields no number, and what a job's is.
WORST, _NO_RANK = -1.7976931348623157e308, 0.0
_NAN = float("nan")


class Weighing:
    """How the negotiator weighs a slot.

    By its own SlotWeight or by the central manager's ``text``.
    """

    def __init__(self, text: str = "", weighted: bool = True) -> None:
        self.expression = named("SlotWeight")
        if text:
            # A text that is no expression is no number on any slot.
            self.expression = parsed(text) or Expr("error")
        self.weighted = weighted


class TableKind(NamedTuple):
    """What slots of one table have in common; ``missing`` are assets without an amount."""

    schema: Schema
    assets: tuple[str, ...]
    policy: bool
    weighing: Weighing
    missing: tuple[str, ...]


class Evaluating:
    """What evaluates expressions of slots of one kind; ``attributes`` are lower-case, by asset."""

    def __init__(self, context: TableContext, kind: TableKind) -> None:
        self.engine, self.ranks = context.engine, context.ranking.expressions
        self.policy, self.weighing = kind.policy, kind.weighing
        self.attributes = {asset: attribute(asset).lower() for asset in kind.assets}
        self.consumption = {asset: named(f"Consumption{attribute(asset)}") for asset in kind.assets}


class HasAmounts(Protocol):
    """A slot while it is matched."""

    def amounts(self) -> Mapping[str, Number]:
        """Return what it has left of each asset."""


class SlotAnswer(NamedTuple):
    """What slots answer to a request, by row: where it fits, and what a match costs.

    ``crashes`` are those where the negotiator finds no weight; None: nowhere. ``by_weight`` tells
    that the cost is the difference of two weights wherever it fits.
    """

    fits: Array
    cost: Column
    crashes: Array | None
    by_weight: bool = False


def _amounts(kind: Evaluating, left: Mapping[str, Column], row: int) -> dict[str, Number]:
    value = kind.engine.value
    return {asset: value(column, row) for asset, column in left.items()}  # type: ignore[misc]


def _ads(
    kind: Evaluating,
    seen: Sequence[Slot],
    added: Sequence[Mapping[str, Value]],
    left: Mapping[str, Column],
    places: Array | None,
) -> Callable[[int], Ad]:
    """Return what returns the ad of a row; valid until the next call for one of the same frame.

    It does not refer to the rows themselves: no circle of references keeps what is not used.
    """

    def ad_of(row: int) -> Ad:
        place = row if places is None else int(places[row])
        return seen[place].ad(_amounts(kind, left, row), added[place])

    return ad_of


class Rows:
    """Some slots of a table, with so much left of each asset.

    ``added`` is what the negotiator writes into their ads.
    """

    __slots__ = (
        "_added",
        "_after",
        "_kind",
        "_places",
        "_seen",
        "_weight",
        "arrays",
        "left",
        "rows",
        "table",
    )

    def __init__(
        self,
        kind: Evaluating,
        seen: Sequence[Slot],
        added: Sequence[Mapping[str, Value]],
        table: Table,
        left: Mapping[str, Column],
        places: Array | None = None,
        weight: Column | None = None,
    ) -> None:
        self._kind, self._seen, self._added = kind, seen, added
        self.arrays = kind.engine.arrays
        self.left, self.rows, self._places = left, table.rows, places
        columns = {kind.attributes[asset]: column for asset, column in left.items()}
        self.table = table.replaced(columns, _ads(kind, seen, added, left, places))
        self._weight = weight
        #: The same slots after a match each, with this job.
        self._after: tuple[JobTable, Rows] | None = None

    def amounts(self, row: int) -> dict[str, Number]:
        """Return what the slot of a row has left."""
        return _amounts(self._kind, self.left, row)

    def at(self, rows: Array) -> Rows:
        """Return some of the rows."""
        left = {asset: column.at(rows) for asset, column in self.left.items()}
        places = rows if self._places is None else self._places[rows]
        weight = self._weight
        if weight is not None:
            weight = weight.at(rows)
        return Rows(self._kind, self._seen, self._added, self.table.at(rows), left, places, weight)

    def with_added(self, added: Sequence[Mapping[str, Value]]) -> Rows:
        """Return the same slots with other attributes that the negotiator writes, by row."""
        places: Sequence[int] = range(self.rows)
        if self._places is not None:
            places = [int(place) for place in self._places]
        merged = [{**self._added[place], **each} for place, each in zip(places, added)]
        names = sorted({name for each in added for name in each})
        columns = {
            name.lower(): self._kind.engine.column([each.get(name, UNDEFINED) for each in merged])
            for name in names
        }
        seen = [self._seen[place] for place in places]
        table = self.table.replaced(columns)
        return Rows(self._kind, seen, merged, table, self.left)

    @property
    def takes_all(self) -> bool:
        """Whether a match takes a slot whole."""
        return not self._kind.policy

    def after(self, job: JobTable) -> Rows:
        """Return the slots after a match with ``job`` each."""
        if self._after is None or self._after[0] is not job:
            self._after = job, self.less(self.taken(job))
        return self._after[1]

    def less(self, taken: Mapping[str, Column]) -> Rows:
        """Return the same slots without what is taken."""
        left = {
            asset: self.arrays.less(column, taken[asset]) for asset, column in self.left.items()
        }
        return self.with_left(left)

    def with_left(self, left: Mapping[str, Column]) -> Rows:
        """Return the same slots with so much left of each asset."""
        return Rows(self._kind, self._seen, self._added, self.table, left, self._places)

    def weight(self) -> Column:
        """Return the weight of each slot; absent where it is no number."""
        if self._weight is None:
            expression = self._kind.weighing.expression
            self._weight = self._kind.engine.evaluate(expression, self.table).amounts()
        return self._weight

    @property
    def known_weight(self) -> Column | None:
        """The weights, where they have been asked for."""
        return self._weight

    def weigh_less(self, before: Column, cost: Column) -> None:
        """Note the weights of slots that weighed more ``before``, by what matches cost."""
        if self._weight is None and self.arrays.are_whole(before) and self.arrays.are_whole(cost):
            self._weight = self.arrays.difference(before, cost)

    def lacks_weight(self) -> bool:
        """Return whether the weight of any slot is absent."""
        return bool(self.arrays.is_absent(self.weight()).any())

    def answer(self, job: JobTable) -> SlotAnswer:
        """Return what the slots answer to ``job``."""
        if not self._kind.policy:
            fits = self.agree(job.table)
            cost: Column = self._accounted() if fits.any() else self.arrays.all_one()
            return SlotAnswer(fits, cost, None)
        taken = self.taken(job)
        fits = self._suits(job, taken)
        if not fits.any():
            return SlotAnswer(fits, self.arrays.all_one(), None)
        after = self.after(job)
        cost = self.arrays.difference(self.weight(), after.weight())
        crashes = fits & self.arrays.is_absent(cost)
        return SlotAnswer(fits, cost, crashes if crashes.any() else None, by_weight=True)

    def suits(self, job: JobTable) -> Array:
        """Return where there is enough for ``job`` and both Requirements hold, at any cost."""
        return self._suits(job, self.taken(job))

    def _suits(self, job: JobTable, taken: Mapping[str, Column]) -> Array:
        fits = self._suffices(taken)
        if fits.any():
            fits = fits & self.agree(self.asking(job, taken))
        return fits

    def asking(self, job: JobTable, taken: Mapping[str, Column]) -> Table:
        """Return ``job`` as it is compared with the slots, of which it takes so much."""
        return job.overridden(taken, self.rows) if taken else job.table

    def taken(self, job: JobTable) -> Mapping[str, Column]:
        """Return what ``job`` consumes of each asset; absent where it is no number.

        Nothing without a consumption policy.
        """
        if self.takes_all:
            return {}
        known = job.taken.get(self._kind)
        if known is not None:
            return known
        taken, of_slot, engine = {}, False, self._kind.engine
        before = engine.fell_back
        for asset, consumption in self._kind.consumption.items():
            asking = job.consuming(asset)
            taken[asset] = engine.evaluate(consumption, self.table, asking).amounts()
            of_slot = of_slot or engine.looks_at_my(consumption, self.table, asking)
        # What the library evaluates may look at anything.
        if not of_slot and engine.fell_back == before:
            job.taken[self._kind] = taken
        return taken

    def _suffices(self, taken: Mapping[str, Column]) -> Array:
        """Return where a slot has enough, and anything is taken (cp_sufficient_assets)."""
        fits = self.consumes(taken)
        for asset, amount in taken.items():
            fits = fits & self.arrays.at_least(self.left[asset], amount)
        return fits

    def consumes(self, taken: Mapping[str, Column]) -> Array:
        """Return where what is taken is valid: something, and of no asset less than nothing."""
        arrays = self.arrays
        valid, something = arrays.truths(1), arrays.truths(1, not taken)
        for amount in taken.values():
            valid = valid & arrays.at_least_zero(amount)
            something = something | arrays.is_something(amount)
        return arrays.truths(self.rows) & valid & something

    def agree(self, asking: Table) -> Array:
        """Return where the Requirements of both sides hold."""
        wanted = self._wanted(asking)
        if not wanted.any():
            return self.arrays.truths(self.rows, False)
        return wanted & self._kind.engine.evaluate(named(_REQUIREMENTS), self.table, asking).hold()

    def wanted_by(self, job: JobTable) -> Array:
        """Return where ``job`` would go if the slots took it.

        Its own Requirements hold there, and it takes no more than there is.
        """
        taken = self.taken(job)
        wanted = self._wanted(self.asking(job, taken))
        if taken:
            wanted = wanted & self._suffices(taken)
        return wanted & self.arrays.truths(self.rows)

    def charged(self, job: JobTable, asked: Mapping[str, Column]) -> Array:
        """Return where there is what ``job`` has ``asked`` for, and a policy does not give it.

        It takes more of an asset than there is, or nothing that is valid. START is not looked at.
        """
        if self.takes_all:
            return self.arrays.truths(self.rows, False)
        found = self._wanted(job.table) & ~self._suffices(self.taken(job))
        for asset, amount in asked.items():
            found = found & self.arrays.at_least(self.left[asset], amount)
        return found

    def _wanted(self, asking: Table) -> Array:
        return self._kind.engine.evaluate(named(_REQUIREMENTS), asking, self.table).hold()

    def _accounted(self) -> Column:
        """Return what the accountant charges for the whole slot: 1 where weights are off."""
        if not self._kind.weighing.weighted:
            ones: Column = self.arrays.all_one()
            return ones
        weights: Column = self.arrays.or_one(self.weight())
        return weights

    def hold(self, condition: Expr, job: JobTable) -> Array:
        """Return where ``condition`` holds for the slot with ``job`` as target."""
        return self._kind.engine.evaluate(condition, self.table, job.table).hold()

    def job_rank(self, job: JobTable) -> Array:
        """Return the job's own Rank of each slot."""
        return self._kind.engine.evaluate(named(_RANK), job.table, self.table).numbers(_NO_RANK)

    def ranks(self, job: JobTable) -> tuple[Array, Array]:
        """Return the negotiator's ranks of each slot, before and after the job's."""
        found = []
        for expression in self._kind.ranks:
            if expression is None:
                found.append(self.arrays.full(self.rows, WORST))
            else:
                found.append(self.rank(expression, job))
        return found[0], found[1]

    def rank(self, expression: Expr, job: JobTable) -> Array:
        """Return one of the negotiator's ranks of each slot."""
        numbers = self._kind.engine.evaluate(expression, self.table, job.table).numbers(_NAN)
        return self.arrays.single_precision(numbers, WORST)
