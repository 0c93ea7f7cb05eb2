"""Parts of the capacity, each with the cause for which it stands, and their sums."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from htcq.balance.amounts import NOTHING, Amounts
from htcq.balance.causes import CAUSES, WEIGHT_CHANGES, cause_type
from htcq.balance.lifting import NO_GAIN, Gain
from htcq.pool.slot import Number
from htcq.why.match_failure import WALLS


class Part(NamedTuple):
    """A part of one slot of a kind of node.

    ``detail`` tells parts of one cause apart, ``since`` is in seconds since 1970, None: not known.
    ``group`` is the one whose claim it is or whose jobs it waits for; empty where it is nobody's.
    ``cure`` is what somebody must do about the cause in this case: empty where it is the same in
    all cases, None where nobody has to.
    """

    cause: str
    amounts: Amounts
    kind: str
    slots: tuple[str, ...] = ()
    detail: str = ""
    since: float | None = None
    machine: str = ""
    group: str = ""
    cure: str | None = None


@dataclass(frozen=True)
class Capacity:
    """All capacity: ``total`` is what the slots had when nothing was carved from them.

    ``parts`` add up to it. ``gains`` has by group and cause what its waiting jobs would use if
    that cause alone were lifted, where any would. ``doubtful`` are slots that have, with all of
    their dynamic slots, not what they had at first.
    """

    total: Amounts
    by_kind: Mapping[str, Amounts]
    parts: tuple[Part, ...]
    gains: Mapping[str, Mapping[str, Gain]]
    doubtful: tuple[str, ...] = ()


@dataclass(frozen=True)
class CauseAmount:
    """Capacity that stands for one cause.

    ``slots`` is how many slots have a part of it, ``examples`` names some, ``machines`` are all of
    theirs where the cause is one of machines. ``since`` is when the first of them began, in seconds
    since 1970. ``gain`` is what waiting jobs would use of it if this cause alone were lifted.
    ``details`` has the weight by what tells parts apart, the greatest first. Somebody must lift a
    cause that ``is_fault``; ``cures`` do so in these cases, the one of most weight first.
    """

    cause: str
    amounts: Amounts
    slots: int
    examples: tuple[str, ...] = ()
    machines: tuple[str, ...] = ()
    since: float | None = None
    gain: Gain = NO_GAIN
    details: tuple[tuple[str, Amounts], ...] = ()
    is_fault: bool = False
    cures: tuple[str, ...] = ()

    @property
    def lifted_by(self) -> str:
        """What lifts it here, as far as the cases tell, or in general."""
        more = len(self.cures) - _CURES
        told = "; ".join(self.cures[:_CURES]) or cause_type(self.cause).lifted_by
        return f"{told}; and {more} more" if more > 0 else told

    @property
    def wanted(self) -> Amounts:
        """What waiting jobs would use of it as cycles go on."""
        return self.gain.wanted

    @property
    def jobs(self) -> int:
        """How many jobs would use it."""
        return self.gain.jobs

    @property
    def behind(self) -> int:
        """How many jobs it keeps, whatever else keeps them as well."""
        return max(self.gain.behind, self.gain.jobs)


_EXAMPLES = 3
#: How many cures of one cause are named.
_CURES = 3
_ORDER = {cause: place for place, cause in enumerate((*CAUSES, *WALLS))}


@dataclass
class _Sum:
    amounts: Amounts = NOTHING
    slots: dict[str, None] = field(default_factory=dict)
    machines: dict[str, None] = field(default_factory=dict)
    since: float | None = None
    details: dict[str, Amounts] = field(default_factory=dict)
    cures: dict[str, Number] = field(default_factory=dict)
    is_fault: bool = False


def standings_of(parts: Iterable[Part], gains: Mapping[str, Gain]) -> tuple[CauseAmount, ...]:
    """Return ``parts`` by cause, in the order in which a slot is looked at.

    ``gains`` are those of some causes.
    """
    sums: dict[str, _Sum] = {}
    for part in parts:
        one = sums.setdefault(part.cause, _Sum())
        one.amounts = one.amounts.plus(part.amounts)
        one.slots.update(dict.fromkeys(part.slots))
        one.is_fault = one.is_fault or part.cure is not None
        if part.machine:
            one.machines[part.machine] = None
        if part.since is not None and (one.since is None or part.since < one.since):
            one.since = part.since
        if part.detail:
            before = one.details.get(part.detail, NOTHING)
            one.details[part.detail] = before.plus(part.amounts)
        if part.cure:
            one.cures[part.cure] = one.cures.get(part.cure, 0) + part.amounts.weight
    found = []
    for cause in gains:
        # Of what is closed no part is a group's.
        sums.setdefault(cause, _Sum())
    for cause in sorted(sums, key=_ORDER.__getitem__):
        one = sums[cause]
        details = sorted(one.details.items(), key=lambda each: (-each[1].weight, each[0]))
        found.append(
            CauseAmount(
                cause, one.amounts, len(one.slots), tuple(one.slots)[:_EXAMPLES],
                tuple(one.machines), one.since, gains.get(cause, NO_GAIN), tuple(details),
                one.is_fault or (cause in CAUSES and CAUSES[cause].needs_somebody),
                tuple(sorted(one.cures, key=lambda cure: -one.cures[cure])),
            )
        )  # fmt: skip
    return tuple(found)


def as_split(total: Amounts, by: Sequence[CauseAmount]) -> tuple[Amounts, Sequence[CauseAmount]]:
    """Return the capacity and its causes with the weight that slots have as they are split now.

    So the accountant counts it. Weight that slots gain as they fill up is a part of both then, and
    no cause of its own.
    """
    gained = [each for each in by if each.cause == WEIGHT_CHANGES and each.amounts.weight < 0]
    for each in gained:
        total = total.minus(each.amounts)
    return total, [each for each in by if each not in gained]
