"""What the ledger comes to in a stretch of time: hours of each dimension, in all and part by part.

A booking stands for its time evenly; what of that lies outside does not count, and neither does
what nobody observed. All is exact, so that a time divided in two has the same sums.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from htcq.drift.ledger import AMOUNTS, Booking
from htcq.quota.elastic.declaration import ROOT

#: Into how many parts the time is divided, unless told otherwise.
MAX_PARTS = 24
_HOUR = 3600
#: The seconds that were observed, and every amount.
_SUMS = 1 + len(AMOUNTS)


@dataclass(frozen=True)
class Hours:
    """Units of a dimension times hours."""

    min: Fraction = Fraction(0)
    runtime: Fraction = Fraction(0)
    used: Fraction = Fraction(0)
    lent: Fraction = Fraction(0)
    borrowed: Fraction = Fraction(0)
    unused: Fraction = Fraction(0)

    @property
    def guarantee(self) -> Fraction:
        """What of the min the pool could hold."""
        return self.used - self.borrowed + self.lent + self.unused

    @property
    def spare(self) -> Fraction:
        """Of the root: what was borrowed of what nobody is guaranteed."""
        return self.borrowed - self.lent


@dataclass(frozen=True)
class AccountPart:
    """A part of the time, of which ``seconds`` were observed."""

    since: int
    until: int
    seconds: Fraction
    hours: Hours


@dataclass(frozen=True)
class Account:
    """One group in one dimension: its totals, and the parts of the time with any entries.

    ``observed`` is the share of the time in which somebody looked, from 0 to 1.
    """

    group: str
    dimension: str
    observed: float
    hours: Hours
    parts: tuple[AccountPart, ...]


def accounts(
    bookings: Iterable[Booking], since: int, until: int, most: int = MAX_PARTS
) -> tuple[Account, ...]:
    """Return all accounts by dimension: the root's, then that of whoever lent or borrowed most.

    ``since`` to ``until`` is divided into parts of :func:`part_seconds`, of which there are no
    more than ``most``.
    """
    width = part_seconds(since, until, most)
    sums: dict[tuple[str, str], _Sums] = {}
    for each in bookings:
        sums.setdefault((each.sums.dimension, each.sums.group), _Sums()).add(
            each, since, until, width
        )
    found = []
    for (dimension, group), each_sum in sums.items():
        seconds = sums[dimension, ROOT].seconds if (dimension, ROOT) in sums else each_sum.seconds
        if each_sum.parts:
            found.append(
                _account(group, dimension, float(seconds), each_sum.parts, (since, until, width))
            )
    return tuple(sorted(found, key=_order))


def part_seconds(since: int, until: int, most: int = MAX_PARTS) -> int:
    """Return how many seconds a part has; the last one may have fewer."""
    return max(1, -(-(until - since) // most))


def _order(account: Account) -> tuple[str, bool, Fraction, str]:
    hours = account.hours
    return account.dimension, account.group != ROOT, -(hours.lent + hours.borrowed), account.group


@dataclass
class _Sums:
    """Sums over time by the number of a part; whole numbers while no booking is divided."""

    parts: dict[int, list[int | Fraction]] = field(default_factory=dict)

    def add(self, booking: Booking, since: int, until: int, width: int) -> None:
        begun, ended = max(since, booking.since), min(until, booking.until)
        if ended <= begun:
            return
        whole = booking.until - booking.since
        amounts = [booking.seconds, *(getattr(booking.sums, name) for name in AMOUNTS)]
        for number in range((begun - since) // width, (ended - since - 1) // width + 1):
            start, end = since + number * width, min(until, since + (number + 1) * width)
            shared = min(ended, end) - max(begun, start)
            into = self.parts.setdefault(number, [0] * _SUMS)
            for index, amount in enumerate(amounts):
                into[index] += amount if shared == whole else Fraction(amount * shared, whole)

    @property
    def seconds(self) -> Fraction:
        return sum((Fraction(part[0]) for part in self.parts.values()), Fraction(0))


def _account(
    group: str,
    dimension: str,
    seconds: float,
    parts: Mapping[int, Sequence[int | Fraction]],
    time: tuple[int, int, int],
) -> Account:
    since, until, width = time
    whole = [
        sum((Fraction(part[index]) for part in parts.values()), Fraction(0))
        for index in range(_SUMS)
    ]
    return Account(
        group,
        dimension,
        min(1.0, seconds / (until - since)),
        _hours(whole),
        tuple(
            AccountPart(
                since + number * width,
                min(until, since + (number + 1) * width),
                Fraction(parts[number][0]),
                _hours(parts[number]),
            )
            for number in sorted(parts)
        ),
    )


def _hours(sums: Sequence[int | Fraction]) -> Hours:
    return Hours(*(Fraction(amount, _HOUR) for amount in sums[1:]))
