"""Who or what holds the capacity that a group is due: for people and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from htcq.poolquota.shortfall import Holder
from htcq.report.column import NONE
from htcq.report.moments import iso_or_none, moment
from htcq.report.printable import one_line
from htcq.units import show_number

#: How many a sentence names.
_NAMED = 3


def holders_text(holders: Sequence[Holder]) -> str:
    """Return the first of ``holders``, each with its amount, since when, and what returns it."""
    named = []
    for each in holders[:_NAMED]:
        since = f" since {moment(each.since)}" if each.since is not None else ""
        back = f", about {moment(each.returns_at)}" if each.returns_at is not None else ""
        what = f"{one_line(each.name)} {show_number(each.amount)}{since}"
        # What lifts a cause is a command, of a group a course of time.
        named.append(f"{what}{',' if each.is_group else ':'} {each.returns}{back}")
    return "; ".join(named) or NONE


def holder_json(each: Holder) -> dict[str, Any]:
    """Return what ``json.dumps`` takes."""
    return {
        "name": each.name,
        "is_group": each.is_group,
        "amount": each.amount,
        "since": iso_or_none(each.since),
        "returns": each.returns,
        "returns_at": iso_or_none(each.returns_at),
    }
