"""The sentences about slots: what keeps one request from all of them, as walls with amounts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from htcq.pool.slot import Number
from htcq.units import counted, show_amount
from htcq.why import match_failure as wall
from htcq.why.clauses import Clause, Failure
from htcq.why.match_failure import MatchFailure

#: How a slot is kept from a request: by its consumption policy, by another schedd's claim, even
#: unused, for lack of room or of claims, by a weight that is no number, by earlier matches.
POLICY, CLAIMER, UNUSED, ROOM, CLAIMS, WEIGHT, TAKEN = (
    "policy", "claimer", "unused", "room", "claims", "weight", "taken",
)  # fmt: skip
#: Clauses that HTCondor writes into Requirements by itself, by an attribute that they name:
#: condor_submit for the deferral of a start, the schedd for a job that asks for slots of its
#: dedicated scheduler.
_WRITTEN = {
    "deferraltime": (wall.DEFERRED, "it requests a later start: {} is not true yet"),
    "dedicatedscheduler": (
        wall.DEDICATED_SCHEDULER,
        "no slot is dedicated to the scheduler of its access point: {}",
    ),
}
#: Most clauses of one kind that become walls.
_MAX_CLAUSES = 5


class Left(NamedTuple):
    """What some slots have of an asset: all of them together, and the most that one has."""

    asset: str
    together: Number
    largest: Number


def left_on(slots: Iterable[tuple[Mapping[str, Number], int]]) -> tuple[Left, ...]:
    """Return by asset what slots have, of which so many have such amounts each."""
    together: dict[str, Number] = {}
    largest: dict[str, Number] = {}
    for amounts, count in slots:
        for asset, amount in amounts.items():
            together[asset] = together.get(asset, 0) + amount * count
            if amount > largest.get(asset, 0):
                largest[asset] = amount
    return tuple([Left(asset, amount, largest.get(asset, 0)) for asset, amount in together.items()])


class Blocked(NamedTuple):
    """How some slots are kept from a request.

    ``left`` is what they have of the assets that count here. ``has_room`` tells whether they
    have enough left of all assets, whatever their clauses say.
    """

    how: str
    failure: Failure = Failure()
    left: tuple[Left, ...] = ()
    detail: str = ""
    has_room: bool = False


#: Some slots that are kept from a request, and how many they are.
_Counted = Sequence[tuple[Blocked, int]]


def slot_side(blocked: Iterable[tuple[Blocked, int]], slots: int) -> Iterator[MatchFailure]:
    """Yield the walls that ``blocked`` slots make.

    ``slots`` is the number of all, dynamic ones left out.
    """
    found: dict[str, list[tuple[Blocked, int]]] = {}
    for each, count in blocked:
        found.setdefault(each.how, []).append((each, count))
    yield from _weights(found.get(WEIGHT, ()))
    suits = any(how in found for how in (ROOM, CLAIMS, TAKEN, CLAIMER, WEIGHT))
    if TAKEN in found:
        yield _outranked(found[TAKEN])
    elif ROOM in found:
        yield from _no_room(found[ROOM])
    yield from _plain(
        wall.NO_CLAIMS_LEFT, "no claim is left on {} that could take it", found.get(CLAIMS, ())
    )
    yield from _plain(
        wall.OTHER_ACCESS_POINT,
        "{} that could take it: claimed as a whole by {}",
        found.get(CLAIMER, ()),
    )
    yield from _plain(wall.CONSUMPTION, "consumption policy of {}: {}", found.get(POLICY, ()))
    never = found.get(UNUSED, ())
    if suits:
        yield from _clauses([each for each in never if each[0].has_room], slots)
    else:
        yield from _clauses(never, slots)
        yield from _no_such_machine(never, slots)


def _number(found: _Counted) -> int:
    return sum(count for _, count in found)


def _plain(id_: str, text: str, found: _Counted) -> Iterator[MatchFailure]:
    """Yield one wall for each detail; ``text`` has places for the slots and the detail."""
    details = Counter[str]()
    for each, count in found:
        details[each.detail] += count
    for detail, count in details.most_common():
        amounts: dict[str, wall.Amount] = {"slots": count}
        if detail:
            amounts["why"] = detail
        yield MatchFailure(id_, text.format(counted(count, "slot"), detail), amounts)


def _weights(found: _Counted) -> Iterator[MatchFailure]:
    details = Counter[str]()
    for each, count in found:
        details[each.detail] += count
    for detail, count in details.items():
        yield MatchFailure(
            wall.SLOT_WEIGHT, f"the negotiator crashes at {detail}", {"slots": count, "why": detail}
        )


def _outranked(found: _Counted) -> MatchFailure:
    number = _number(found)
    text = (
        f"{counted(number, 'slot')} could take it when the cycle begins; earlier matches take them"
    )
    return MatchFailure(wall.OUTRANKED, text, {"slots": number})


# Clauses
# --------------------------------------------------------------------------------------------------


def _clauses(found: _Counted, slots: int) -> Iterator[MatchFailure]:
    counts = Counter[Clause]()
    for each, count in found:
        for clause in each.failure.clauses:
            counts[clause] += count
    for of_job, id_, owner in (
        (True, wall.REQUIREMENTS, "Requirements"),
        (False, wall.START, "START"),
    ):
        own = [(clause, count) for clause, count in counts.most_common() if clause.of_job is of_job]
        for clause, count in own[:_MAX_CLAUSES]:
            written = _written(clause)
            if written is not None:
                yield written
                continue
            what = f"{owner}: {clause.text}"
            if clause.text.upper() == owner:
                what = owner
            text = f"{what} is not true on {_where(count, slots)}"
            yield MatchFailure(id_, text, {"clause": clause.text, "slots": count, "of": slots})


def _where(count: int, slots: int) -> str:
    """Return ``count`` of ``slots`` in words."""
    if count != slots:
        return f"{count} of {counted(slots, 'slot')}"
    if slots == 1:
        return "the only slot"
    return f"all {slots} slots"


def _written(clause: Clause) -> MatchFailure | None:
    """Return the wall of a clause that HTCondor wrote; None where it did not."""
    for attribute, (id_, text) in _WRITTEN.items():
        if clause.of_job and attribute in clause.text.lower():
            return MatchFailure(id_, text.format(clause.text), {"clause": clause.text})
    return None


# Assets
# --------------------------------------------------------------------------------------------------


def _no_such_machine(found: _Counted, slots: int) -> Iterator[MatchFailure]:
    missing = _missing_on_all(found)
    largest_of = _free_and_largest(found)[1]
    for asset in missing:
        asked, largest = _asked(found, asset), largest_of.get(asset, 0)
        text = f"no slot has {show_amount(asset, asked)} {asset}: {_most(asset, largest)}"
        yield MatchFailure(
            wall.NO_SUCH_MACHINE,
            text,
            {"asset": asset, "asked": asked, "largest": largest, "of": slots},
        )
    allowed = [each for each in found if not each[0].failure.clauses]
    if missing or not allowed:
        return
    number = _number(allowed)
    assets = _missing_on_all(allowed)
    largest_of = _free_and_largest(allowed)[1]
    for asset in assets:
        asked, largest = _asked(allowed, asset), largest_of.get(asset, 0)
        text = (
            f"Requirements and START allow {number} of {counted(slots, 'slot')}; none of these has "
            f"{show_amount(asset, asked)} {asset}: {_most(asset, largest)}"
        )
        yield MatchFailure(
            wall.NO_SUCH_MACHINE,
            text,
            {"asset": asset, "asked": asked, "largest": largest, "slots": number, "of": slots},
        )
    if not assets:
        yield _combination(wall.NO_SUCH_MACHINE, "no slot has", allowed, number)


def _most(asset: str, largest: Number) -> str:
    if not largest:
        return f"none has any {asset}"
    return f"the largest has {show_amount(asset, largest)}"


def _no_room(found: _Counted) -> Iterator[MatchFailure]:
    number = _number(found)
    short = [each for each in found if each[0].failure.short]
    if len(short) < len(found):
        # Amounts suffice on some of them, but a clause that looks at what is left does not hold
        # now.
        yield from _clauses([each for each in found if not each[0].failure.short], number)
        return
    missing = _missing_on_all(found)
    free_of, largest_of = _free_and_largest(found)
    for asset in missing:
        asked, largest = _asked(found, asset), largest_of.get(asset, 0)
        free = free_of.get(asset, 0)
        every = [each.asset for each in found[0][0].left]
        others = [each for each in every if each not in missing and free_of[each] > 0]
        left = ", ".join(f"{show_amount(each, free_of[each])} {each}" for each in others)
        text = (
            f"{asset}: {show_amount(asset, asked)} requested, {show_amount(asset, free)} free on "
            f"{counted(number, 'slot')} that could take it when empty, at most "
            f"{show_amount(asset, largest)} on one"
        )
        if largest >= asked:
            text += "; the matching ones are in use"
        if left:
            text += f" (also free: {left})"
        amounts = {
            "asset": asset,
            "asked": asked,
            "free": free,
            "largest": largest,
            "slots": number,
        }
        yield MatchFailure(wall.NO_ROOM, text, amounts)
    if not missing:
        yield _combination(wall.NO_ROOM, "no slot has free", found, number)


def _combination(id_: str, what: str, found: _Counted, number: int) -> MatchFailure:
    """Return the wall of assets of which some slots are short of one, others of another."""
    assets = list(dict.fromkeys(bound.asset for each, _ in found for bound in each.failure.short))
    asked = " and ".join(f"{show_amount(asset, _asked(found, asset))} {asset}" for asset in assets)
    counts = []
    for asset in assets:
        short = _number([each for each in found if _is_short(each[0], asset)])
        counts.append(f"{asset} on {short}")
    text = f"{what} {asked} at once; {counted(number, 'slot')} have too little: {', '.join(counts)}"
    return MatchFailure(id_, text, {"assets": ", ".join(assets), "slots": number})


def _is_short(blocked: Blocked, asset: str) -> bool:
    return any(bound.asset == asset for bound in blocked.failure.short)


def _missing_on_all(found: _Counted) -> list[str]:
    """Return the assets of which every one of these slots is short."""
    if not found:
        return []
    missing = list(dict.fromkeys(bound.asset for bound in found[0][0].failure.short))
    for each, _ in found:
        missing = [asset for asset in missing if _is_short(each, asset)]
        if not missing:
            break
    return missing


def _asked(found: _Counted, asset: str) -> Number:
    """Return how much is asked of an asset, the least of these slots.

    Several clauses may ask on one slot.
    """
    asked: list[Number] = []
    for each, _ in found:
        amounts = [short.amount for short in each.failure.short if short.asset == asset]
        if amounts:
            asked.append(max(amounts))
    return min(asked)


def _free_and_largest(found: _Counted) -> tuple[dict[str, Number], dict[str, Number]]:
    """Return by asset what these slots have together, and the most that one of them has."""
    free: dict[str, Number] = {}
    largest: dict[str, Number] = {}
    for each, _ in found:
        for asset, together, most in each.left:
            free[asset] = free.get(asset, 0) + together
            if most > largest.get(asset, 0):
                largest[asset] = most
    return free, largest
