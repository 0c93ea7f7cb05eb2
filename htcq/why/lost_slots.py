"""Slots that would take a job but for what they have lost, or never had: one wall a cause.

They are those for which the balance has capacity stand (:mod:`htcq.balance.lost`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from htcq.pool.pool import Pool
from htcq.pool.slot import Slot
from htcq.pool.slot_causes import ASSET_CURES, SLOT_CAUSES
from htcq.pool.slot_shortages import Loss, Losses, shortage_of
from htcq.pool.slot_state import BROKEN, machine_of
from htcq.simulate.cycle.job_table import JobTable
from htcq.simulate.cycle.rows import Rows
from htcq.simulate.cycle.slot_table import Offer
from htcq.units import amount_of, amounts_of, counted
from htcq.why.leftovers import AfterCycle
from htcq.why.match_failure import Amount, MatchFailure
from htcq.why.slot_states import SlotStates

Array = Any


class _Lost(NamedTuple):
    """The slots of one table with a loss of one kind, by row, as they would be without it."""

    slots: SlotStates
    losses: Mapping[int, Loss]
    whole: Rows
    rows: Array


class LostSlots:
    """What the slots of ``tables`` have lost, among ``every`` slot of ``pool``."""

    def __init__(
        self, pool: Pool, tables: Sequence[SlotStates], every: Sequence[Slot], after: AfterCycle
    ) -> None:
        self._pool, self._tables, self._every, self._after = pool, tables, every, after

    @cached_property
    def _lost(self) -> Sequence[_Lost]:
        losses, after = Losses(self._every), self._after
        found: list[_Lost] = []
        for slots in self._tables:
            if slots.fault:
                # The negotiator ends where it looks at one of these.
                continue
            kinds: dict[tuple[str, ...], dict[int, Loss]] = {}
            for row, offer in enumerate(slots.offers):
                left = after.left.get(offer.name, offer.at_first)
                for loss in losses.of(offer.slot, left):
                    kinds.setdefault(_kind(loss), {})[row] = loss
            found += [_lost(slots, rows, after) for rows in kinds.values()]
        return found

    def walls(self, job: JobTable) -> Iterator[MatchFailure]:
        """Yield a wall for each kind of loss without which a slot would take ``job``."""
        found: dict[tuple[str, ...], list[tuple[Slot, Loss]]] = {}
        for slots, losses, whole, rows in self._lost:
            fit = rows & ~slots.held & whole.suits(job)
            for row in slots.table.rows_of(fit & ~slots.first.suits(job)):
                loss = losses[row]
                found.setdefault(_kind(loss), []).append((slots.offers[row].slot, loss))
        yield from (_wall(self._pool, each) for each in found.values())


def _kind(loss: Loss) -> tuple[str, ...]:
    return (loss.cause, *(loss.lost or loss.has))


def _lost(slots: SlotStates, losses: Mapping[int, Loss], after: AfterCycle) -> _Lost:
    numbers = {offer.name: row for row, offer in enumerate(slots.offers)}

    def left(offer: Offer) -> Mapping[str, Any]:
        loss = losses.get(numbers[offer.name])
        return loss.left if loss is not None else after.left.get(offer.name, offer.at_first)

    rows = slots.arrays.truths_of([row in losses for row in range(len(slots.offers))])
    return _Lost(slots, losses, slots.table.with_left(left), rows)


def _wall(pool: Pool, found: Sequence[tuple[Slot, Loss]]) -> MatchFailure:
    """Return the wall of slots with losses of one kind, which would take a job without them."""
    (slot, loss), machines = found[0], list(dict.fromkeys(machine_of(each) for each, _ in found))
    advice = SLOT_CAUSES[loss.cause].lifted_by
    if loss.cause == BROKEN:
        text = f"{machines[0]} has lost {amounts_of(loss.lost)} with broken slots"
    elif loss.lost:
        text = f"{amounts_of(loss.lost)} of {machines[0]} {_are(loss)} offline"
    else:
        has = [amount_of(asset, amount) for asset, amount in loss.has.items()]
        text = f"{slot.name} has {' and '.join(has)}, even with no job on it"
    if len(machines) > 1:
        text += f"; so it is with {counted(len(machines) - 1, 'more machine')} that would take it"
    if loss.cause != BROKEN:
        for asset in loss.lost or loss.has:
            advice = ASSET_CURES.get(shortage_of(pool, slot, asset), advice)
    amounts: dict[str, Amount] = {
        "slots": len(found),
        "machines": len(machines),
        "machine": machines[0],
    }
    return MatchFailure(loss.cause, text, amounts, advice)


def _are(loss: Loss) -> str:
    return "is" if sum(loss.lost.values()) == 1 else "are"
