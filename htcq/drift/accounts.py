"""Accounts: the ledger summed up over a time, in hours of each dimension, in all and by part.

A booking is spread evenly over its time; the part of it outside does not count, and neither does
time that was not observed. All sums are exact, so that a time divided in two has the same sums.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from htcq.drift.ledger import AMOUNTS, Booking
from htcq.quota.elastic.declaration import ROOT

#: The number of parts that the time is divided into by default.
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
        """The part of the min that the pool could hold."""
        return self.used - self.borrowed + self.lent + self.unused

    @property
    def spare(self) -> Fraction:
        """Of the root: what was borrowed of the part that no group is guaranteed."""
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

    ``observed`` is the share of the time that was observed, from 0 to 1.
    """

    group: str
    dimension: str
    observed: float
    hours: Hours
    parts: tuple[AccountPart, ...]


def accounts(
    bookings: Iterable[Booking], since: int, until: int, most: int = MAX_PARTS
) -> tuple[Account, ...]:
    """Return all accounts by dimension: the root's, then the groups that lent or borrowed most.

    ``since`` to ``until`` is divided into at most ``most`` parts of :func:`part_seconds`.
    """
    span = _Span(since, until, part_seconds(since, until, most))
    sums: dict[tuple[str, str], _Sums] = {}
    for booking in bookings:
        key = (booking.sums.dimension, booking.sums.group)
        sums.setdefault(key, _Sums()).add(booking, span)
    found = []
    for (dimension, group), own in sums.items():
        # The root is observed whenever any group is.
        whole = sums.get((dimension, ROOT), own)
        if own.parts:
            found.append(_account(group, dimension, float(whole.seconds), own.parts, span))
    return tuple(sorted(found, key=_order))


@dataclass(frozen=True)
class _Span:
    """The time from ``since`` to ``until``, in parts of ``width`` seconds."""

    since: int
    until: int
    width: int

    def part(self, number: int) -> tuple[int, int]:
        """Return when the part with this number begins and ends."""
        start = self.since + number * self.width
        return start, min(self.until, start + self.width)

    def numbers(self, begun: int, ended: int) -> range:
        """Return the numbers of the parts from ``begun`` to ``ended``."""
        first = (begun - self.since) // self.width
        last = (ended - self.since - 1) // self.width
        return range(first, last + 1)


def part_seconds(since: int, until: int, most: int = MAX_PARTS) -> int:
    """Return the length of a part in seconds; the last one may be shorter."""
    return max(1, -(-(until - since) // most))


def _order(account: Account) -> tuple[str, bool, Fraction, str]:
    hours = account.hours
    return account.dimension, account.group != ROOT, -(hours.lent + hours.borrowed), account.group


@dataclass
class _Sums:
    """Sums over time by the number of a part; whole numbers while no booking is divided."""

    parts: dict[int, list[int | Fraction]] = field(default_factory=dict)

    def add(self, booking: Booking, span: _Span) -> None:
        """Add what of ``booking`` lies in ``span`` to its parts."""
        begun, ended = max(span.since, booking.since), min(span.until, booking.until)
        if ended <= begun:
            return
        whole = booking.until - booking.since
        amounts = [booking.seconds, *(getattr(booking.sums, name) for name in AMOUNTS)]
        for number in span.numbers(begun, ended):
            start, end = span.part(number)
            shared = min(ended, end) - max(begun, start)
            into = self.parts.setdefault(number, [0] * _SUMS)
            for index, amount in enumerate(amounts):
                if shared == whole:
                    into[index] += amount
                else:
                    into[index] += Fraction(amount * shared, whole)

    @property
    def seconds(self) -> Fraction:
        return sum((Fraction(part[0]) for part in self.parts.values()), Fraction(0))


def _account(
    group: str,
    dimension: str,
    seconds: float,
    parts: Mapping[int, Sequence[int | Fraction]],
    span: _Span,
) -> Account:
    totals = [Fraction(0)] * _SUMS
    found = []
    for number in sorted(parts):
        sums = parts[number]
        totals = [total + amount for total, amount in zip(totals, sums)]
        start, end = span.part(number)
        found.append(AccountPart(start, end, Fraction(sums[0]), _hours(sums)))
    observed = min(1.0, seconds / (span.until - span.since))
    return Account(group, dimension, observed, _hours(totals), tuple(found))


def _hours(sums: Sequence[int | Fraction]) -> Hours:
    return Hours(*(Fraction(amount, _HOUR) for amount in sums[1:]))
