"""The sentences about slots: what keeps one request from all of them, as walls with amounts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from htcq.pool.slot import Number
from htcq.units import GPUS, amount_name, amount_of, amounts_of, counted
from htcq.why import match_failure as wall
from htcq.why.advice import advice
from htcq.why.blocked import Blocked, number_of, some_of
from htcq.why.evidence import Term, evidence, readable
from htcq.why.match_failure import MatchFailure
from htcq.why.requirements import Clause

#: How a slot is kept from a request: by its consumption policy, by another schedd's claim, even
#: unused, for lack of room or of claims, by a weight that is no number, by earlier matches.
POLICY, CLAIMER, UNUSED, ROOM, CLAIMS, WEIGHT, TAKEN = (
    "policy", "claimer", "unused", "room", "claims", "weight", "taken",
)  # fmt: skip
#: Clauses that HTCondor writes into Requirements by itself, by an attribute that they name:
#: condor_submit for the deferral of a start, the schedd for a job that asks for slots of its
#: dedicated scheduler.
_WRITTEN = {
    "deferraltime": (wall.DEFERRED, "it requests a later start: {}"),
    "dedicatedscheduler": (
        wall.DEDICATED_SCHEDULER,
        "no slot is dedicated to the scheduler of its access point: {}",
    ),
}
#: Most clauses of one kind that become walls.
_MAX_CLAUSES = 5
#: Slots that are kept from a request, in the order of the first slots.
_Found = Sequence[Blocked]


def slot_side(blocked: Iterable[Blocked], slots: int) -> Iterator[MatchFailure]:
    """Yield the walls that ``blocked`` slots make.

    ``slots`` is the number of all, dynamic ones left out.
    """
    found: dict[str, list[Blocked]] = {}
    for each in some_of(blocked):
        found.setdefault(each.how, []).append(each)
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
        yield from _clauses([each for each in never if each.has_room], slots)
    else:
        yield from _clauses(never, slots)
        yield from _no_such_machine(never, slots)


def _by_detail(found: _Found) -> Mapping[str, Sequence[Blocked]]:
    details: dict[str, list[Blocked]] = {}
    for each in found:
        details.setdefault(each.detail, []).append(each)
    return details


def _plain(id_: str, text: str, found: _Found) -> Iterator[MatchFailure]:
    """Yield one wall for each detail; ``text`` has places for the slots and the detail."""
    counts = {detail: number_of(parts) for detail, parts in _by_detail(found).items()}
    for detail, count in Counter(counts).most_common():
        amounts: dict[str, wall.Amount] = {"slots": count}
        if detail:
            amounts["why"] = detail
        yield MatchFailure(id_, text.format(counted(count, "slot"), detail), amounts)


def _weights(found: _Found) -> Iterator[MatchFailure]:
    for detail, parts in _by_detail(found).items():
        why = f"{parts[0].first[1]}: {detail}"
        yield MatchFailure(
            wall.SLOT_WEIGHT,
            f"the negotiator crashes at {why}",
            {"slots": number_of(parts), "why": why},
        )


def _outranked(found: _Found) -> MatchFailure:
    number = number_of(found)
    text = (
        f"{counted(number, 'slot')} could take it when the cycle begins; earlier matches take them"
    )
    return MatchFailure(wall.OUTRANKED, text, {"slots": number})


# Clauses
# --------------------------------------------------------------------------------------------------


def _clauses(found: _Found, slots: int) -> Iterator[MatchFailure]:
    counts = _counts(found)
    for of_job, id_, owner in (
        (True, wall.REQUIREMENTS, "Requirements"),
        (False, wall.START, "START"),
    ):
        own = [(clause, count) for clause, count in counts if clause.of_job is of_job]
        for clause, count in own[:_MAX_CLAUSES]:
            yield _written(clause) or _clause(id_, owner, clause, count, slots, found)


def _clause(
    id_: str, owner: str, clause: Clause, count: int, slots: int, found: _Found
) -> MatchFailure:
    """Return the wall of a clause that is false on ``count`` of ``slots`` slots."""
    now = found[0].failure.now
    shown = readable(clause.text, now)
    what = owner if shown.upper() == owner else f"{owner}: {shown}"
    amounts: dict[str, wall.Amount] = {"clause": shown, "slots": count, "of": slots}
    if clause.is_error:
        text = (
            f"{what} is an error on {_where(count, slots)}: in their configuration it is "
            "not a ClassAd expression"
        )
        return MatchFailure(id_, text, amounts)
    terms = _terms(clause, found)
    sides = evidence(terms, now)
    verb = "excludes" if clause.of_job else "refuses the job on"
    text = f"{what} {verb} {_where(count, slots)}"
    if sides:
        text = f"{text}: {sides}"
    return MatchFailure(id_, text, amounts, advice(terms, clause.of_job))


def _terms(clause: Clause, found: _Found) -> Sequence[Term]:
    """Return the comparisons of a clause with the values that they have on all slots."""
    merged: dict[tuple[str, ...], Term] = {}
    for each in found:
        false = each.failure.clauses.get(clause)
        if false is None or not (each.rows & false).any():
            continue
        for term in each.failure.terms(clause, each.rows & false, each.stand_for):
            key = term.key
            merged[key] = term if key not in merged else merged[key].with_more(term)
    return list(merged.values())


def _counts(found: _Found) -> Sequence[tuple[Clause, int]]:
    """Return the false clauses with their slots: most slots first, then by the first slot."""
    counts, firsts = Counter[Clause](), dict[Clause, int]()
    for each in found:
        for clause, false in each.failure.clauses.items():
            rows = each.rows & false
            if rows.any():
                counts[clause] += each.count(rows)
                place = each.slots.first_of(rows)[0]
                firsts[clause] = min(place, firsts.get(clause, place))
    return sorted(counts.items(), key=lambda each: (-each[1], firsts[each[0]]))


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


def _no_such_machine(found: _Found, slots: int) -> Iterator[MatchFailure]:
    missing = _missing_on_all(found)
    for asset in missing:
        asked, largest = _asked(found, asset), _largest(found, asset)
        text = f"the job asks for {amount_of(asset, asked)}; {_most_of(asset, largest)}"
        yield MatchFailure(
            wall.NO_SUCH_MACHINE,
            text,
            {"asset": asset, "asked": asked, "largest": largest, "of": slots},
        )
    allowed = some_of(each.only(~each.failure.refuses) for each in found)
    if missing or not allowed:
        return
    number = number_of(allowed)
    assets = _missing_on_all(allowed)
    for asset in assets:
        asked, largest = _asked(allowed, asset), _largest(allowed, asset)
        text = (
            f"Requirements and START allow {number} of {counted(slots, 'slot')}; the job asks for "
            f"{amount_of(asset, asked)}, and {_most_of(asset, largest)} of these"
        )
        yield MatchFailure(
            wall.NO_SUCH_MACHINE,
            text,
            {"asset": asset, "asked": asked, "largest": largest, "slots": number, "of": slots},
        )
    if not assets:
        yield _combination(wall.NO_SUCH_MACHINE, "", allowed, number)


def _most_of(asset: str, largest: Number) -> str:
    """Return what the largest slot has."""
    if not largest:
        return "no slot offers one" if asset == GPUS else f"no slot has any {asset}"
    return f"the largest slot has {amount_of(asset, largest)}"


def _no_room(found: _Found) -> Iterator[MatchFailure]:
    number = number_of(found)
    sufficient = some_of(each.only(~each.failure.lacks_any) for each in found)
    if sufficient:
        # A clause that looks at what is left does not hold there now.
        yield from _clauses(sufficient, number)
        return
    missing = _missing_on_all(found)
    for asset in missing:
        asked, largest, free = (
            _asked(found, asset),
            _largest(found, asset),
            _free(found, asset),
        )
        others = {each: _free(found, each) for each in found[0].left if each not in missing}
        left = {each: amount for each, amount in others.items() if amount > 0}
        have = "has" if number == 1 else "have"
        text = (
            f"the job asks for {amount_of(asset, asked)}; {counted(number, 'slot')} that could "
            f"take it when empty {have} {amount_of(asset, free)} free"
        )
        if free:
            text += f", at most {amount_of(asset, largest)} on one"
        if largest >= asked:
            text += "; the matching ones are in use"
        if left:
            text += f" (also free: {amounts_of(left)})"
        amounts = {
            "asset": asset,
            "asked": asked,
            "free": free,
            "largest": largest,
            "slots": number,
        }
        yield MatchFailure(wall.NO_ROOM, text, amounts)
    if not missing:
        yield _combination(wall.NO_ROOM, "free ", found, number)


def _combination(id_: str, state: str, found: _Found, number: int) -> MatchFailure:
    """Return the wall of assets of which some slots are short of one, others of another."""
    assets = _assets(found)
    asked = " and ".join(amount_of(asset, _asked(found, asset)) for asset in assets)
    counts = []
    for asset in assets:
        short = sum(each.count(each.short_of(asset)) for each in found)
        counts.append(f"{short} {'lacks' if short == 1 else 'lack'} {amount_name(asset)}")
    text = (
        f"the job asks for {asked}, which no slot has {state}at once: of {counted(number, 'slot')} "
        f"{', '.join(counts)}"
    )
    return MatchFailure(id_, text, {"assets": ", ".join(assets), "slots": number})


def _assets(found: _Found) -> Sequence[str]:
    """Return the assets of which some of these slots are short, by the first of them."""
    firsts: dict[str, int] = {}
    for each in found:
        for asset in each.failure.lacking:
            rows = each.short_of(asset)
            if rows.any():
                place = each.slots.first_of(rows)[0]
                firsts[asset] = min(place, firsts.get(asset, place))
    return sorted(firsts, key=firsts.__getitem__)


def _missing_on_all(found: _Found) -> Sequence[str]:
    """Return the assets of which every one of these slots is short."""
    return [
        asset
        for asset in _assets(found)
        if not any((each.rows & ~each.short_of(asset)).any() for each in found)
    ]


def _asked(found: _Found, asset: str) -> Number:
    """Return how much is asked of an asset, the least of these slots.

    Several clauses may ask on one slot.
    """
    asked: list[Number] = []
    for each in found:
        parts = [
            (each.rows & short.rows, short.amounts)
            for short in each.failure.short
            if short.asset == asset
        ]
        if parts and each.short_of(asset).any():
            asked.append(each.slots.arrays.least_of_most(parts))
    return min(asked)


def _free(found: _Found, asset: str) -> Number:
    """Return what these slots have of an asset together."""
    free: Number = 0
    for each in found:
        if asset in each.left:
            free += each.slots.arrays.together(each.left[asset], each.slots.counts, each.rows)
    return free


def _largest(found: _Found, asset: str) -> Number:
    """Return the most that one of these slots has of an asset."""
    largest: Number = 0
    for each in found:
        if asset in each.left:
            largest = max(largest, each.slots.arrays.largest(each.left[asset], each.rows))
    return largest
