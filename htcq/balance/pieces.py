"""What slots have free once the next cycle is over, alike pieces together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from htcq.balance.causes import LATER, START_IS_FULL
from htcq.balance.wanting import Answers, Table, Waiting
from htcq.classads import as_number
from htcq.pool.slot import Number, Slot
from htcq.simulate.cycle.slot_table import Offer
from htcq.why.match_failure import NO_CLAIMS_LEFT, OTHER_ACCESS_POINT, OUTRANKED
from htcq.why.verdict import Verdicts


class Piece(NamedTuple):
    """What one slot has left; ``closings`` are the causes for which no job gets it at all."""

    slot: Slot
    kind: str
    left: Mapping[str, Number]
    closings: tuple[str, ...]
    is_matched: bool

    @property
    def closed(self) -> str:
        """The first of the causes for which no job gets it; empty where there is none."""
        return self.closings[0] if self.closings else ""


@dataclass
class Pieces:
    """Pieces that are alike to all waiting jobs, by the numbers of the classes of these.

    ``fits`` take a piece, ``wants`` would if START let them, ``whole`` if the slot were empty,
    ``charged`` if its consumption policy took no more than they request.
    ``kept_by`` is the cause for which jobs that fit do not get a piece in the next cycle, empty
    where they would. ``table`` and ``row`` are the place of the first. ``claims`` is how many it
    has to give, None where that does not count, and ``ends_by`` why no more; ``has_policy`` tells
    of a consumption policy.
    """

    left: Mapping[str, Number]
    closings: tuple[str, ...]
    kept_by: str = ""
    fits: Sequence[int] = ()
    wants: Sequence[int] = ()
    whole: Sequence[int] = ()
    charged: Sequence[int] = ()
    table: Table | None = None
    row: int = 0
    claims: int | None = None
    ends_by: str = ""
    has_policy: bool = False
    parts: list[Piece] = field(default_factory=list)

    @property
    def closed(self) -> str:
        """The first of the causes for which no job gets them; empty where there is none."""
        return self.closings[0] if self.closings else ""

    def serves(self, verdicts: Verdicts, number: int, waiting: Sequence[Waiting]) -> bool:
        """Return whether a piece, if its slot were empty, would take jobs of a class.

        Or smaller ones of the pool, which ask for the same assets.
        """
        if number in self.whole:
            return True
        asked = waiting[number].assets
        if any(asked <= waiting[each].assets for each in self.whole):
            return True
        return self.table is not None and self.table.takes_like(verdicts, self.row, asked)

    def open_to(self, one: Waiting) -> bool:
        """Return whether START takes jobs of a class, whatever else keeps them."""
        return self.table is None or self.table.start_takes(self.row, one)


def alike(
    verdicts: Verdicts,
    tables: Iterable[Table],
    pieces: Mapping[str, Piece],
    waiting: Sequence[Waiting],
) -> Iterator[Pieces]:
    """Yield ``pieces``, which are known by the names of their slots, those that are alike at once.

    A slot that is in no table has a piece of its own, which no job fits.
    """
    rest = dict(pieces)
    for table in tables:
        offers = table.slots.offers
        if not any(offer.name in rest for offer in offers):
            continue
        yield from _of_table(verdicts, table, rest, waiting)
    for piece in rest.values():
        yield Pieces(piece.left, piece.closings, parts=[piece])


def _of_table(
    verdicts: Verdicts, table: Table, rest: dict[str, Piece], waiting: Sequence[Waiting]
) -> Iterator[Pieces]:
    answers = [table.answers(verdicts, one) for one in waiting]
    rows = table.slots.table.rows
    masks = [mask for each in answers for mask in each]
    signatures = table.slots.arrays.signatures(masks, rows)
    found: dict[tuple[object, ...], Pieces] = {}
    for row, offer in enumerate(table.slots.offers):
        piece = rest.pop(offer.name, None)
        if piece is None:
            continue
        kept_by = ""
        if not verdicts.of_cycle:
            kept_by = _kept_by(piece, offer, verdicts.wasted.get(offer.name, ""))
        if table.slots.is_withheld and not piece.closed:
            # The negotiator offers it to nobody: a schedd has it as a whole, as the reasons say.
            kept_by = OTHER_ACCESS_POINT
        left = tuple(piece.left.values())
        claims, ends_by = None, ""
        if offer.supports_policy and (piece.closed or not kept_by):
            claims, ends_by = offer.claims, LATER
            number = as_number(piece.slot.frame.value("NumClaims"))
            if (piece.closed or verdicts.of_cycle) and number is not None:
                # The cycle has not looked at it, or its matches are given back, or none comes.
                claims = int(number)
        has = table.dynamic_slots(row)
        key = (id(piece.slot.frame), signatures[row], left, piece.closings, kept_by, claims, has)
        known = found.get(key)
        if known is None:
            fits, wants, whole, charged = (_those(answers, place, row) for place in range(4))
            more = table.more_claims(row, waiting[(fits or wants)[0]]) if fits or wants else None
            if more is not None and (claims is None or more < claims):
                claims, ends_by = more, START_IS_FULL
            known = found[key] = Pieces(
                piece.left,
                piece.closings,
                kept_by,
                fits,
                wants,
                whole,
                charged,
                table,
                row,
                claims,
                ends_by,
                offer.supports_policy,
            )
        known.parts.append(piece)
    yield from found.values()


def _those(answers: Sequence[Answers], place: int, row: int) -> Sequence[int]:
    """Return the classes of jobs of whose answers one holds in a row."""
    return [number for number, each in enumerate(answers) if each[place][row]]


def _kept_by(piece: Piece, offer: Offer, wasted: str) -> str:
    """Return why no job gets what a slot has left, though it fits; empty where one would.

    ``wasted`` is why a match with the slot in this cycle led to no start.
    """
    if wasted:
        return LATER if wasted == OUTRANKED else wasted
    if offer.supports_policy and offer.claims <= 0 and not piece.closed:
        return LATER if offer.all_claims > 0 else NO_CLAIMS_LEFT
    if piece.is_matched and not offer.supports_policy:
        # The negotiator has matched it whole; the rest comes with the next ad.
        return LATER
    return ""
