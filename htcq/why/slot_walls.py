"""The sentences about slots: what keeps one request from all of them, as walls with amounts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from htcq.pool.slot import Number
from htcq.pool.slot_causes import ASSET_CURES, NO_DISK
from htcq.units import DISK, GPUS, amount_name, amount_of, amounts_of, attribute, counted
from htcq.why import match_failure as wall
from htcq.why.blocked import Blocked, largest_of, number_of, some_of
from htcq.why.clause_walls import clause_walls, last_clause, last_wall
from htcq.why.clauses import Shortage
from htcq.why.evidence import readable
from htcq.why.hidden_slots import HIDDEN, with_hidden
from htcq.why.match_failure import MatchFailure
from htcq.why.requirements import Clause

#: How a slot is kept from a request: by its consumption policy, by another schedd's claim, even
#: unused, for lack of room or of claims, by a weight that is no number, by earlier matches, by
#: files on its disk, by a claim on all of it.
POLICY, CLAIMER, UNUSED, ROOM, CLAIMS, WEIGHT, TAKEN, FULL, USED = (
    "policy", "claimer", "unused", "room", "claims", "weight", "taken", "full", "used",
)  # fmt: skip
#: Slots that are kept from a request, in the order of the first slots.
_Found = Sequence[Blocked]


class _RequestedAmount(NamedTuple):
    """How much is asked of an asset: by the request, or by a clause where one is given."""

    asset: str
    amount: Number
    clause: Clause | None = None
    more: bool = False
    now: str = ""
    requested: Number | None = None

    @property
    def text(self) -> str:
        """Who asks for how much."""
        amount = amount_of(self.asset, self.amount)
        if self.requested is not None:
            return f"the consumption policy takes {amount} for it"
        if self.clause is None:
            return f"the job asks for {amount}"
        more = "more than " if self.more else ""
        return f"{self._owner}: {readable(self.clause.text, self.now)} asks for {more}{amount}"

    @property
    def _owner(self) -> str:
        assert self.clause is not None
        return "Requirements" if self.clause.of_job else self.clause.attribute or "START"

    @property
    def amounts(self) -> dict[str, wall.Amount]:
        """The numbers of a reason."""
        found: dict[str, wall.Amount] = {"asset": self.asset, "asked": self.amount}
        if self.clause is not None:
            found["clause"] = readable(self.clause.text, self.now)
            found["attribute"] = self._owner
        return found

    @property
    def advice(self) -> str:
        """What resolves it where a smaller request does not."""
        if self.requested is not None:
            return f"Consumption{attribute(self.asset)} of the execution points"
        if self.clause is None:
            return ""
        change = f"{self._owner} of the execution points"
        if self.clause.of_job:
            change = "condor_qedit of Requirements"
        return f"{change}; a larger machine"


def overcharge(short: Shortage, arrays: Any) -> str:
    """Return of what a policy takes more than a slot has, and how much of it is requested."""
    taken = arrays.least_of_most([(short.rows, short.amounts)])
    asked = amount_of(short.asset, short.requested or 0)
    return f"it takes {amount_of(short.asset, taken)} for a request of {asked}"


def slot_side(
    blocked: Iterable[Blocked], slots: int, others_suit: bool = False
) -> Iterator[MatchFailure]:
    """Yield the walls that ``blocked`` slots make.

    ``slots`` is the number of all, dynamic ones left out; ``others_suit``: there are slots beside
    the blocked ones that would take the job.
    """
    found: dict[str, list[Blocked]] = {}
    for each in some_of(blocked):
        found.setdefault(each.how, []).append(each)
    yield from _weights(found.get(WEIGHT, ()))
    for lacks, parts in _by_detail(found.get(FULL, ())).items():
        yield _full_disk(parts, lacks)
    suits = others_suit or any(
        how in found for how in (ROOM, CLAIMS, TAKEN, CLAIMER, WEIGHT, FULL, USED)
    )
    if TAKEN in found:
        yield _outranked(found[TAKEN])
    elif ROOM in found:
        yield from _no_room(found[ROOM])
    elif USED in found:
        yield _in_use(number_of(found[USED]))
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
        roomy = [each for each in never if each.has_room]
        yield from clause_walls(roomy, slots, with_room=True)
    else:
        yield from _none_suits(never, slots, found.get(HIDDEN, ()))


def _none_suits(found: _Found, slots: int, hidden: _Found) -> Iterator[MatchFailure]:
    """Yield why no slot suits, first what keeps the job from the last ones."""
    last, of_size = last_clause(found), list(_no_such_machine(found, slots))
    if last is None:
        walls = [*of_size, *clause_walls(found, slots)]
    else:
        walls = [last_wall(last, slots), *clause_walls(found, slots, last.clause), *of_size]
    return with_hidden(walls, hidden, last is not None and last.clause.of_job)


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


# Assets
# --------------------------------------------------------------------------------------------------


def _no_such_machine(found: _Found, slots: int) -> Iterator[MatchFailure]:
    missing = _missing_on_all(found)
    for asset in missing:
        asked, largest = _asked(found, asset), largest_of(found, asset)
        text = f"{asked.text}; {_most_of(asset, largest)}"
        amounts = {**asked.amounts, "largest": largest, "of": slots}
        is_charged = asked.requested is not None and asked.requested <= largest
        id_ = wall.CONSUMPTION if is_charged else wall.NO_SUCH_MACHINE
        yield MatchFailure(id_, text, amounts, asked.advice)
    allowed, who = some_of(each.only(~each.failure.refuses) for each in found), ""
    if not allowed:
        met = some_of(each.only(~each.failure.excluded) for each in found)
        # What START refuses beside large ones is no reason.
        is_small = not some_of(each.only(~each.failure.lacks_any) for each in met)
        allowed, who = (met, "Requirements allow") if is_small else ([], "")
    if missing or not allowed:
        return
    number, who = number_of(allowed), who or "Requirements and START allow"
    assets = _missing_on_all(allowed)
    for asset in assets:
        asked, largest = _asked(allowed, asset), largest_of(allowed, asset)
        text = (
            f"{who} {number} of {counted(slots, 'slot')}; {asked.text}, "
            f"and {_most_of(asset, largest)} of these"
        )
        amounts = {**asked.amounts, "largest": largest, "slots": number, "of": slots}
        yield MatchFailure(wall.NO_SUCH_MACHINE, text, amounts, asked.advice)
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
        yield from clause_walls(sufficient, number)
        return
    missing = _missing_on_all(found)
    if not missing:
        yield _combination(wall.NO_ROOM, "free ", found, number)
        return
    asked = [_asked(found, asset) for asset in missing]
    others = {each: _free(found, each) for each in found[0].left if each not in missing}
    left = {each: amount for each, amount in others.items() if amount > 0}
    free = " and ".join(_free_of(found, each) for each in asked)
    large = "slots" if number > 1 else "slot"
    text = (
        f"{_all_asked(asked)}; the {number} {large} large enough "
        f"{'have' if number > 1 else 'has'} {free} free"
    )
    first, largest = asked[0], largest_of(found, missing[0])
    if largest >= first.amount:
        text += "; the matching ones are in use"
    if left:
        text += f" (also free: {amounts_of(left)})"
    amounts = {
        **first.amounts,
        "free": _free(found, first.asset),
        "largest": largest,
        "slots": number,
    }
    if len(missing) > 1:
        amounts["assets"] = ", ".join(missing)
    yield MatchFailure(wall.NO_ROOM, text, amounts, first.advice)


def _free_of(found: _Found, asked: _RequestedAmount) -> str:
    """Return what slots together have free of an asset, and the most of one slot."""
    free, largest = _free(found, asked.asset), largest_of(found, asked.asset)
    if not free:
        return f"no {amount_name(asked.asset)}"
    text = amount_of(asked.asset, free)
    if largest == free:
        return text
    return f"{text} (at most {amount_of(asked.asset, largest)} on one)"


def _all_asked(asked: Sequence[_RequestedAmount]) -> str:
    """Return who asks for how much of all these assets."""
    plain = [each for each in asked if each.clause is None and each.requested is None]
    requests = [amount_of(each.asset, each.amount) for each in plain]
    texts = [each.text for each in asked if each not in plain]
    if requests:
        texts.insert(0, f"the job asks for {' and '.join(requests)}")
    return "; ".join(texts)


def _in_use(number: int) -> MatchFailure:
    """Return the wall of slots that jobs have whole."""
    text = f"{counted(number, 'slot')} that could take it {'is' if number == 1 else 'are'} in use"
    return MatchFailure(wall.NO_ROOM, text, {"in_use": number})


def _full_disk(found: _Found, lacks: str) -> MatchFailure:
    """Return the wall of slots whose disk has files of others, and nothing else is short.

    Or their ads have no number of it.
    """
    number, asked, largest = number_of(found), _asked(found, DISK).amount, largest_of(found, DISK)
    has = f"{counted(number, 'slot')} that could take it {'has' if number == 1 else 'have'}"
    why = f"at most {amount_of(DISK, largest)} free, since other files fill the disk"
    if lacks == NO_DISK:
        why = "no number of it in the ad"
    text = f"the job asks for {amount_of(DISK, asked)}; {has} {why}"
    amounts = {"asset": DISK, "asked": asked, "largest": largest, "slots": number}
    return MatchFailure(wall.ASSET_MISSING, text, amounts, ASSET_CURES[lacks])


def _combination(id_: str, state: str, found: _Found, number: int) -> MatchFailure:
    """Return the wall of assets of which some slots are short of one, others of another."""
    assets = _assets(found)
    asked = _all_asked([_asked(found, asset) for asset in assets])
    counts = []
    for asset in assets:
        short = sum(each.count(each.short_of(asset)) for each in found)
        counts.append(f"{short} {'lacks' if short == 1 else 'lack'} {amount_name(asset)}")
    text = (
        f"{asked}, which no slot has {state}at once: of {counted(number, 'slot')} "
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


def _asked(found: _Found, asset: str) -> _RequestedAmount:
    """Return how much is asked of an asset, the least of these slots.

    Several clauses may ask on one slot, of which the one that asks for most counts.
    """
    asked: list[_RequestedAmount] = []
    for each in found:
        parts = [
            short._replace(rows=each.rows & short.rows)
            for short in each.failure.short
            if short.asset == asset
        ]
        if parts and each.short_of(asset).any():
            asked.append(_most_asked(each, asset, parts))
    return min(asked, key=lambda each: each.amount)


def _most_asked(blocked: Blocked, asset: str, parts: Sequence[Shortage]) -> _RequestedAmount:
    least_of_most = blocked.slots.arrays.least_of_most
    amount: Number = least_of_most([(each.rows, each.amounts) for each in parts])
    some = [each for each in parts if each.rows.any()]
    amounts = [least_of_most([(each.rows, each.amounts)]) for each in some]
    by = max(zip(amounts, some), key=lambda each: (each[0], each[1].more))[1]
    now = blocked.failure.now
    return _RequestedAmount(asset, amount, by.clause, by.more, now, by.requested)


def _free(found: _Found, asset: str) -> Number:
    """Return what these slots have of an asset together; one that is below 0 has nothing."""
    free: Number = 0
    for each in found:
        if asset in each.left:
            arrays, left = each.slots.arrays, each.left[asset]
            rows = each.rows & arrays.at_least_zero(left)
            free += arrays.together(left, each.slots.counts, rows)
    return free
