"""What the ads of slots say of parts that are closed to all jobs, and of claims that end."""

from __future__ import annotations

from htcq.balance.amounts import Amounts
from htcq.balance.causes import OTHER_NEGOTIATOR
from htcq.balance.pieces import Piece, Pieces
from htcq.balance.standing import Part
from htcq.classads import Value, as_number
from htcq.pool.slot import Slot
from htcq.pool.slot_causes import STALE
from htcq.pool.slot_state import (
    DRAINED,
    HIBERNATING,
    OFFLINE,
    OWNER,
    OWNER_ACTIVE,
    drain_of,
    is_owned_and_open,
    machine_of,
    utc,
    vacating_until,
)
from htcq.why.match_failure import SLOT_CONSTRAINT

#: Slots that are closed for these say themselves which jobs START would take.
_OPEN_START = frozenset((STALE, OFFLINE, HIBERNATING, SLOT_CONSTRAINT, OTHER_NEGOTIATOR))
_OWNED = frozenset((OWNER, OWNER_ACTIVE))


def says_start(pieces: Pieces) -> bool:
    """Return whether START of closed slots says itself which jobs it would take."""
    if is_owned_and_open(pieces.parts[0].slot):
        return (_OPEN_START | _OWNED).issuperset(pieces.closings)
    return _OPEN_START.issuperset(pieces.closings)


def closed_part(piece: Piece, amounts: Amounts, hiding_cure: str) -> Part:
    """Return what is closed of a slot, with the reason of a drain and what gives hidden slots."""
    slot, detail, cure = piece.slot, "", None
    if piece.closed == SLOT_CONSTRAINT and hiding_cure:
        cure = hiding_cure
    if piece.closed == DRAINED:
        detail = drain_of(slot).why or "no reason given"
    return Part(
        piece.closed, amounts, piece.kind, (str(slot.name),), detail,
        moment(slot.last_heard if piece.closed == STALE else slot.state_since), machine_of(slot),
        cure=cure,
    )  # fmt: skip


def moment(seconds: Value) -> float | None:
    """Return a time of an ad in seconds since 1970; None where it says none."""
    known = as_number(seconds)
    return None if known is None or known <= 0 else float(known)


def until_text(slot: Slot) -> str:
    """Return until when a job that is being vacated may go on; empty where none is."""
    until = vacating_until(slot)
    return "" if until is None else f"until {utc(until)} at most"
