"""Slots that share their expressions, a row each: a request is compared with all at once.

A table lives from cycle to cycle: slots that come take rows, slots that go leave them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Optional

from htcq.classads import UNDEFINED, Ad, Value
from htcq.pool.shared_attributes import SharedAttributes
from htcq.pool.slot import PARTITIONABLE, PLACES, Number, Slot
from htcq.simulate.cycle.holders import Holders
from htcq.simulate.cycle.job_table import JobTable, TableContext
from htcq.simulate.cycle.kept_answers import KeptAnswers
from htcq.simulate.cycle.kept_ranks import Changed, KeptRanks
from htcq.simulate.cycle.occupants import NOTHING
from htcq.simulate.cycle.rows import Evaluating, HasAmounts, Rows, SlotAnswer, TableKind

if TYPE_CHECKING:
    from htcq.columns.column import Column
    from htcq.columns.table import Table

Array = Any
#: A slot of a startd that says nothing else has one claim to give.
ONE_CLAIM = 1
_SUMMED_UP = "PslotRollupInformation"
Cells = Sequence[Optional[Value]]


class Offer:
    """One slot; ``claims`` is how many matches it can still take, ``index`` its place among all.

    ``seen`` is the slot as all expressions of the cycle see it, with the attributes ``added`` by
    the negotiator.
    """

    __slots__ = (
        "added", "all_claims", "at_first", "claimer", "claims", "current", "customer", "index",
        "missing", "name", "occupant", "origin", "preempts", "row", "seen", "slot", "table",
    )  # fmt: skip

    def __init__(self, index: int, slot: Slot, seen: Slot) -> None:
        self.index, self.slot, self.seen = index, slot, seen
        #: What it had when the cycle began; 0 of what it has no amount, which is ``missing``.
        self.at_first: dict[str, Number] = {}
        self.missing: tuple[str, ...] = ()
        for asset, amount in slot.left().items():
            self.at_first[asset] = amount or 0
            if amount is None:
                self.missing += (asset,)
        self.name = str(slot.name)
        #: Who has it claimed; empty where nobody has.
        self.customer = slot.customer
        #: Whom a match would preempt; empty where nobody has it.
        self.occupant = slot.occupant
        self.added: Mapping[str, Value] = NOTHING
        #: The slot as it is offered, where this is what it becomes when ``preempts`` are preempted.
        self.origin, self.preempts = self, list[Slot]()
        #: The only schedd whose jobs may have this claimed partitionable slot; empty where any may
        #: have it.
        schedd = slot.remote_schedd
        self.claimer = schedd if isinstance(schedd, str) and slot.type == PARTITIONABLE else ""
        self.all_claims = self.claims = ONE_CLAIM
        #: Its row in a table, and what it is to the request that is matched now.
        self.table: SlotTable | None = None
        self.row = 0
        self.current: HasAmounts | None = None

    def begin(self) -> None:
        """Begin a cycle with nothing matched."""
        self.claims, self.current = self.all_claims, None

    @property
    def supports_policy(self) -> bool:
        """Whether HTCondor matches by consumption policy."""
        return self.in_table.policy

    @property
    def is_summed_up(self) -> bool:
        """Whether it is a dynamic slot of which its partitionable slot tells."""
        frame = self.slot.frame
        return frame.value("DynamicSlot") is True and frame.value(_SUMMED_UP) is True

    @property
    def in_table(self) -> SlotTable:
        """The table of a slot that is offered."""
        assert self.table is not None
        return self.table

    @property
    def amounts(self) -> Mapping[str, Number]:
        """What it has left of each asset."""
        if self.current is not None:
            return self.current.amounts()
        if self.table is None:
            return self.at_first
        return self.table.whole().amounts(self.row)

    def ad(self, added: Mapping[str, Value] = NOTHING) -> Ad:
        """Return its ad with what it has left, and attributes ``added`` to it besides.

        Valid until the next call for a slot of the same frame.
        """
        return self.slot.ad(dict(self.amounts), {**self.added, **added})


class SlotTable:
    """Slots of one kind, a row each; ``missing`` are assets of which they have no amount."""

    def __init__(self, context: TableContext, kind: TableKind) -> None:
        self.context, self.engine = context, context.engine
        self.policy, self.missing, self._assets = kind.policy, kind.missing, kind.assets
        self._schema, self._kind = kind.schema, Evaluating(context, kind)
        self._attributes = self._kind.attributes
        self.arrays = self.engine.arrays
        #: What each row has, with rows that no slot has (None), and what was written there last.
        self.offers: list[Offer | None] = []
        self._seen: list[Slot] = []
        self._added: list[Mapping[str, Value]] = []
        self._cells: list[Cells] = []
        #: The columns besides those of assets: the places in a slot of its own attributes.
        self._places: dict[str, int | None] = {}
        self._frames: dict[int, SharedAttributes] = {}
        self._table: Table | None = None
        self.ranked_by_job = False
        #: Rows whose amounts have changed, in order, and those that are offered no more.
        self.changed: list[int] = []
        self._removed: list[int] = []
        self._begun_at = 0
        self._whole: Rows | None = None
        #: The weights of all rows, where they are known.
        self._weight: Column | None = None
        self._ranks = KeptRanks(self.arrays)
        self._answers = KeptAnswers(self.arrays)

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return len(self.offers)

    # From cycle to cycle
    # ----------------------------------------------------------------------------------------------

    def begin(
        self, gone: Sequence[Offer], come: Sequence[Offer], renewed: Sequence[Offer] = ()
    ) -> None:
        """Begin a cycle with nothing matched; some slots are gone and others have come.

        Of those that are ``renewed`` the negotiator writes something else.
        """
        touched = {*self.changed[self._begun_at :], *self._removed}
        touched.update(offer.row for offer in renewed)
        left = {}
        for offer in gone:
            self.offers[offer.row] = None
            left[offer.name] = offer.row
        for row in touched:
            touched_offer = self.offers[row]
            if touched_offer is not None:
                touched_offer.begin()
        is_wider = False
        for offer in (*come, *renewed):
            is_wider = self._knows_more(offer.seen.frame, offer.added) or is_wider
        free: Sequence[int] = ()
        if come:
            free = [row for row, offer in enumerate(self.offers) if offer is None]
        if self._table is None or is_wider or len(free) < len(come):
            self._build([*filter(None, self.offers), *come])
        else:
            self._put(come, left, free)
            written = sorted(touched.union(offer.row for offer in come))
            if written:
                self._write([row for row in written if self.offers[row] is not None])
        if len(self.changed) > 4 * self.rows:
            self._forget()
        if gone or come:
            self._occupy()
        self._begun_at, self._removed = len(self.changed), []
        # A copy.
        self.alive = self._occupied & self._occupied
        self.count = int(self._occupied.sum())

    def number(self) -> None:
        """Note the places of the slots among all."""
        indices = [0 if offer is None else offer.index for offer in self.offers]
        self.items = self.arrays.places(indices)

    def _knows_more(self, frame: SharedAttributes, added: Iterable[str]) -> bool:
        """Note what slots with ``frame`` have; return whether any of it has no column yet."""
        count = len(self._places)
        for name in added:
            self._places.setdefault(name.lower(), PLACES.get(name.lower()))
        if id(frame) in self._frames:
            return len(self._places) > count
        self._frames[id(frame)] = frame
        before = dict(list(self._places.items())[:count])
        for name in self.context.shared(frame)[1]:
            self._places.setdefault(name, None)
        for name in self.context.places(frame, PLACES):
            self._places[name] = PLACES[name]
        for name in self._attributes.values():
            self._places.pop(name, None)
        if not self.ranked_by_job and self.context.ranking.looks_at_job(frame):
            self.ranked_by_job = True
            self._ranks.clear()
        return before != self._places

    def _build(self, offers: Sequence[Offer]) -> None:
        """Make the table anew, with rows for more slots where it grows."""
        spare = 0
        if self._table is not None:
            spare = len(offers) // 4 + 8
        self._seen = [offer.seen for offer in offers]
        self._added = [offer.added for offer in offers]
        self._cells = [self._cells_of(offer) for offer in offers]
        at_first = [offer.at_first for offer in offers]
        lists: tuple[list[Any], ...] = (self._seen, self._added, self._cells, at_first)
        for each in lists:
            each += each[-1:] * spare
        self.offers = [*offers, *[None] * spare]
        for row, offer in enumerate(offers):
            offer.table, offer.row = self, row
        columns = {
            name: self._column([cells[place] for cells in self._cells])
            for place, name in enumerate(self._places)
        }
        for asset, name in self._attributes.items():
            columns[name] = self._column([amounts[asset] for amounts in at_first])
        self._table = self.engine.table_of(self._schema, self.rows, columns, self._ad)
        self._forget()

    def _forget(self) -> None:
        self.changed, self._whole, self._weight = [], None, None
        self._ranks.clear()
        self._answers.clear()

    def _cells_of(self, offer: Offer) -> Cells:
        slot = offer.seen
        plain = self.context.shared(slot.frame)[1]
        added = {name.lower(): value for name, value in offer.added.items()}
        found: list[Value | None] = []
        for name, place in self._places.items():
            value: Any = added.get(name, UNDEFINED)
            if place is not None and value is UNDEFINED:
                value = slot[place]
            if value is UNDEFINED:
                value = plain.get(name)
            found.append(value)
        return found

    def _column(self, cells: list[Value | None]) -> Column:
        first = cells[0]
        if all(cell is first or (cell == first and type(cell) is type(first)) for cell in cells):
            cells = cells[:1]
        return self.engine.column(cells)

    def _put(self, come: Sequence[Offer], left: Mapping[str, int], free: Sequence[int]) -> None:
        """Give each slot a row: that which one of its name has left, where there is one."""
        if not come:
            return
        self._seen, self._added = list(self._seen), list(self._added)
        again = {offer.name: left[offer.name] for offer in come if offer.name in left}
        others = iter(sorted({*free}.difference(again.values())))
        for offer in come:
            row = again.pop(offer.name, None)
            if row is None:
                row = next(others)
            offer.table, offer.row = self, row
            self.offers[row], self._seen[row] = offer, offer.seen
            self._added[row] = offer.added

    def _write(self, rows: Sequence[int]) -> None:
        """Write what the slots of some rows have; columns stay that are the same."""
        columns = self._rewritten(rows)
        for asset, name in self._attributes.items():
            now = [self.offer(row).at_first[asset] for row in rows]
            columns[name] = self.engine.column(now)
        self._fill(rows, columns)

    def _rewritten(self, rows: Sequence[int]) -> dict[str, Column]:
        """Note what slots of some rows have, and return the columns that differ from before."""
        cells, columns = [self._cells_of(self.offer(row)) for row in rows], {}
        self._added = list(self._added)
        for place, name in enumerate(self._places):
            now = [each[place] for each in cells]
            if any(_differ(self._cells[row][place], cell) for row, cell in zip(rows, now)):
                columns[name] = self.engine.column(now)
        for row, each in zip(rows, cells):
            self._cells[row], self._added[row] = each, self.offer(row).added
        return columns

    def renew(self, rows: Sequence[int]) -> None:
        """Write what the negotiator has added to the slots of some rows since."""
        self._fill(rows, self._rewritten(rows))

    def offer(self, row: int) -> Offer:
        """Return the slot of a row that one has."""
        offer = self.offers[row]
        assert offer is not None
        return offer

    def _fill(self, rows: Sequence[int], columns: Mapping[str, Column]) -> None:
        assert self._table is not None
        self._table.fill(rows, columns)
        self.changed += rows
        self._whole = self._weight = None

    def _occupy(self) -> None:
        """Note which rows have slots, and who has claimed these."""
        self._occupied = self.arrays.truths_of([offer is not None for offer in self.offers])
        self.holders = Holders(
            self.arrays,
            ["" if offer is None else offer.occupant for offer in self.offers],
            ["" if offer is None else offer.claimer for offer in self.offers],
            [offer is not None and offer.is_summed_up for offer in self.offers],
        )

    def _ad(self, row: int) -> Ad:
        return self.whole().table.ad(row)

    # In a cycle
    # ----------------------------------------------------------------------------------------------

    def whole(self) -> Rows:
        """Return all rows with what the slots have now."""
        if self._whole is None:
            assert self._table is not None
            left = {}
            for asset, name in self._attributes.items():
                column = self._table.own(name)
                assert column is not None
                left[asset] = column
            self._whole = Rows(
                self._kind, self._seen, self._added, self._table, left, weight=self._weight
            )
        return self._whole

    def with_left(self, amounts_of: Callable[[Offer], Mapping[str, Number]]) -> Rows:
        """Return all rows with what ``amounts_of`` says that their slots have left."""
        amounts = [amounts_of(self.offer(row)) for row in range(self.rows)]
        left = {
            asset: self.engine.column([each[asset] for each in amounts])
            for asset in self._attributes
        }
        return self.whole().with_left(left)

    def answer(self, job: JobTable) -> SlotAnswer | None:
        """Return what all slots answer to ``job``; None where it fits none of them.

        Valid until it is asked again: only rows that have changed since are evaluated.
        """
        if not self.count:
            return None
        answer = self._answers.of(self.whole(), self.changed, job)
        return answer if answer.fits.any() else None

    def ranks(self, job: JobTable) -> tuple[Array, Array]:
        """Return the negotiator's ranks of all slots."""
        if self.ranked_by_job:
            return self.whole().ranks(job)
        return self._ranks.of(self.whole(), self.changed, job)

    def free_for(self, schedd: str) -> Array:
        """Return which slots may still go to jobs of ``schedd``."""
        return self.holders.open_to(schedd, self.alive)

    def rows_of(self, values: Array) -> Sequence[int]:
        """Return the rows that are true."""
        return self.arrays.rows_in(values, self.rows).tolist()  # type: ignore[no-any-return]

    def remove(self, row: int) -> None:
        """Offer a slot no more."""
        if self.alive[row]:
            self.alive[row] = False
            self.count -= 1
            self._removed.append(row)

    def change(self, rows: Sequence[int], level: Changed, places: Array) -> None:
        """Let some rows be as the slots in ``places`` of a level are."""
        columns = {
            self._attributes[asset]: column.at(places) for asset, column in level.rows.left.items()
        }
        weight, before = level.rows.known_weight, None
        if self._whole is not None:
            before = self._whole.known_weight
        changes = len(self.changed)
        self._fill(rows, columns)
        # What is known of them by now need not be worked out again.
        here = self.arrays.places(rows)
        if before is not None and weight is not None:
            self._weight = self.arrays.with_rows(before, self.rows, here, weight.at(places))
        self._ranks.change(here, level, places, changes)


def _differ(one: Value | None, other: Value | None) -> bool:
    return one is not other and (one != other or type(one) is not type(other))
