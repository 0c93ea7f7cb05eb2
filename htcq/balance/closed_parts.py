"""What the ads of slots say of parts that are closed to all jobs, and of claims that end."""

from __future__ import annotations

from htcq.balance.amounts import Amounts
from htcq.balance.pieces import Piece
from htcq.balance.standing import Part
from htcq.classads import Value, as_number
from htcq.pool.slot import Slot
from htcq.pool.slot_causes import STALE
from htcq.pool.slot_state import DRAINED, drain_of, machine_of, utc, vacating_until


def closed_part(piece: Piece, amounts: Amounts) -> Part:
    """Return what is closed of a slot, with the reason of a drain."""
    slot, detail = piece.slot, ""
    if piece.closed == DRAINED:
        detail = drain_of(slot).why or "no reason given"
    return Part(
        piece.closed, amounts, piece.kind, (str(slot.name),), detail,
        moment(slot.last_heard if piece.closed == STALE else slot.state_since), machine_of(slot),
    )  # fmt: skip


def moment(seconds: Value) -> float | None:
    """Return a time of an ad in seconds since 1970; None where it says none."""
    known = as_number(seconds)
    return None if known is None or known <= 0 else float(known)


def until_text(slot: Slot) -> str:
    """Return until when a job that is being vacated may go on; empty where none is."""
    until = vacating_until(slot)
    return "" if until is None else f"until {utc(until)} at most"
