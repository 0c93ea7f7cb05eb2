"""Parts of the capacity, each with the cause for which it stands, and their sums."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from htcq.balance.amounts import NOTHING, Amounts
from htcq.balance.causes import CAUSES
from htcq.why.match_failure import WALLS


class Part(NamedTuple):
    """A part of one slot of a kind of node.

    ``detail`` tells parts of one cause apart, ``since`` is in seconds since 1970, None: not known.
    """

    cause: str
    amounts: Amounts
    kind: str
    slots: tuple[str, ...] = ()
    detail: str = ""
    since: float | None = None
    machine: str = ""


@dataclass(frozen=True)
class CauseAmount:
    """Capacity that stands for one cause.

    ``slots`` is how many slots have a part of it, ``examples`` names some, ``machines`` are all of
    theirs where the cause is one of machines. ``since`` is when the first of them began, in seconds
    since 1970. ``wanted`` is what waiting jobs, ``jobs`` of them, would use of it if this cause
    alone were lifted: all of it where the cause is that jobs do not get it. ``details`` has the
    weight by what tells parts apart, the greatest first.
    """

    cause: str
    amounts: Amounts
    slots: int
    examples: tuple[str, ...] = ()
    machines: tuple[str, ...] = ()
    since: float | None = None
    wanted: Amounts = NOTHING
    jobs: int = 0
    details: tuple[tuple[str, Amounts], ...] = ()


_EXAMPLES = 3
_ORDER = {cause: place for place, cause in enumerate((*CAUSES, *WALLS))}


@dataclass
class _Sum:
    amounts: Amounts = NOTHING
    slots: dict[str, None] = field(default_factory=dict)
    machines: dict[str, None] = field(default_factory=dict)
    since: float | None = None
    details: dict[str, Amounts] = field(default_factory=dict)


def standings_of(
    parts: Iterable[Part], wanted: Mapping[str, tuple[Amounts, int]]
) -> tuple[CauseAmount, ...]:
    """Return ``parts`` by cause, in the order in which a slot is looked at.

    ``wanted`` has amounts and numbers of jobs by cause.
    """
    sums: dict[str, _Sum] = {}
    for part in parts:
        one = sums.setdefault(part.cause, _Sum())
        one.amounts = one.amounts.plus(part.amounts)
        one.slots.update(dict.fromkeys(part.slots))
        if part.machine:
            one.machines[part.machine] = None
        if part.since is not None and (one.since is None or part.since < one.since):
            one.since = part.since
        if part.detail:
            before = one.details.get(part.detail, NOTHING)
            one.details[part.detail] = before.plus(part.amounts)
    found = []
    for cause in sorted(sums, key=_ORDER.__getitem__):
        one = sums[cause]
        amounts, jobs = wanted.get(cause, (NOTHING, 0))
        details = sorted(one.details.items(), key=lambda each: (-each[1].weight, each[0]))
        found.append(
            CauseAmount(
                cause, one.amounts, len(one.slots), tuple(one.slots)[:_EXAMPLES],
                tuple(one.machines), one.since, amounts, jobs, tuple(details),
            )
        )  # fmt: skip
    return tuple(found)
