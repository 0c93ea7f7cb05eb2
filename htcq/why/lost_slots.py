"""Slots that would take a job but for what they have lost, or never had: one wall a cause.

They are those for which the balance has capacity stand (:mod:`htcq.balance.lost`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from htcq.pool.slot import Slot
from htcq.pool.slot_causes import ASSET_CURES, SLOT_CAUSES
from htcq.pool.slot_shortages import Loss, Losses
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
    """What the slots of ``tables`` have lost, among ``every`` slot of the pool."""

    def __init__(
        self, tables: Iterable[SlotStates], every: Iterable[Slot], after: AfterCycle
    ) -> None:
        losses = Losses(every)
        self._lost: list[_Lost] = []
        for slots in tables:
            kinds: dict[tuple[str, ...], dict[int, Loss]] = {}
            for row, offer in enumerate(slots.offers):
                left = after.left.get(offer.name, offer.at_first)
                for loss in losses.of(offer.slot, left):
                    kinds.setdefault((loss.cause, *(loss.lost or loss.has)), {})[row] = loss
            self._lost += [_lost(slots, rows, after) for rows in kinds.values()]

    def walls(self, job: JobTable) -> Iterator[MatchFailure]:
        """Yield a wall for each kind of loss without which a slot would take ``job``."""
        found: dict[tuple[str, ...], list[tuple[Slot, Loss]]] = {}
        for slots, losses, whole, rows in self._lost:
            fit = rows & ~slots.held & whole.suits(job)
            for row in slots.table.rows_of(fit & ~slots.first.suits(job)):
                loss = losses[row]
                key = (loss.cause, *(loss.lost or loss.has))
                found.setdefault(key, []).append((slots.offers[row].slot, loss))
        yield from map(_wall, found.values())


def _lost(slots: SlotStates, losses: Mapping[int, Loss], after: AfterCycle) -> _Lost:
    numbers = {offer.name: row for row, offer in enumerate(slots.offers)}

    def left(offer: Offer) -> Mapping[str, Any]:
        loss = losses.get(numbers[offer.name])
        return loss.left if loss is not None else after.left.get(offer.name, offer.at_first)

    rows = slots.arrays.truths_of([row in losses for row in range(len(slots.offers))])
    return _Lost(slots, losses, slots.table.with_left(left), rows)


def _wall(found: Sequence[tuple[Slot, Loss]]) -> MatchFailure:
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
    for asset in loss.lost if loss.cause != BROKEN else ():
        advice = ASSET_CURES.get(asset, advice)
    for asset in loss.has:
        advice = ASSET_CURES.get(asset, advice)
    amounts: dict[str, Amount] = {
        "slots": len(found),
        "machines": len(machines),
        "machine": machines[0],
    }
    return MatchFailure(loss.cause, text, amounts, advice)


def _are(loss: Loss) -> str:
    return "is" if sum(loss.lost.values()) == 1 else "are"
