"""Where the axes of a plot have their marks: round numbers, and round moments of a time zone."""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import datetime, timedelta, tzinfo
from typing import NamedTuple

from htcq.report.moments import local

_MINUTE, _HOUR, _DAY = 60, 3600, 86400
#: How far marks may be apart, in seconds; from a month on they are at the beginnings of months.
_STEPS = (
    *(_MINUTE * each for each in (1, 5, 10, 15, 30)),
    *(_HOUR * each for each in (1, 2, 3, 6, 12)),
    *(_DAY * each for each in (1, 2, 4, 7, 14)),
)
_MONTH = 31 * _DAY
_MONTHS = (1, 2, 3, 6, 12, 24, 60, 120)
#: How far marks of a length of time may be apart, and the unit of their words. From a day on, marks
#: are round numbers of days.
_SPANS = (
    *((each, 1, "s") for each in (1, 2, 5, 10, 15, 20, 30)),
    *((each * _MINUTE, _MINUTE, "min") for each in (1, 2, 5, 10, 15, 20, 30)),
    *((each * _HOUR, _HOUR, "h") for each in (1, 2, 3, 6, 12)),
)


class Tick(NamedTuple):
    """A mark at ``moment``, in seconds since 1970, and what is written there."""

    moment: float
    text: str


def amounts(most: float, marks: int = 4) -> list[float]:
    """Return evenly spaced round numbers from 0 up to ``most`` or a little more.

    There are at most ``marks`` of them beside 0.
    """
    if not 0 < most < math.inf:
        return [0.0, 1.0]
    size = 10.0 ** math.floor(math.log10(most / marks))
    step = next(
        factor * size for factor in (1, 2, 2.5, 5, 10) if factor * size * marks >= most * (1 - 1e-9)
    )
    return [step * number for number in range(math.ceil(most / step - 1e-9) + 1)]


def spans(until: float, marks: int = 3) -> list[Tick]:
    """Return round times within ``until`` seconds from 0 on, no more than ``marks`` beside 0."""
    for step, unit, word in _SPANS:
        if until / step <= marks:
            return [
                Tick(each * step, f"{each * step // unit} {word}")
                for each in range(int(until / step) + 1)
            ]
    return [
        Tick(each * _DAY, f"{each:g} d")
        for each in amounts(until / _DAY, marks)
        if each * _DAY <= until
    ]


def moments(since: float, until: float, marks: int = 5, zone: tzinfo | None = None) -> list[Tick]:
    """Return round moments within ``since`` and ``until``, no more than ``marks``."""
    for step in _STEPS:
        if (until - since) / step <= marks:
            found = _within(since, until, _even(since, until, step, zone))
            if len(found) <= marks:
                return [Tick(each.timestamp(), _text(each, step)) for each in found]
    for months in _MONTHS:
        found = _within(since, until, _months(since, until, months, zone))
        if len(found) <= marks:
            break
    return [Tick(each.timestamp(), _text(each, _MONTH)) for each in found[:marks]]


def _within(since: float, until: float, found: Iterator[datetime]) -> list[datetime]:
    return [moment for moment in found if since <= moment.timestamp() <= until]


def _even(since: float, until: float, step: int, zone: tzinfo | None) -> Iterator[datetime]:
    """Yield moments that are ``step`` seconds apart by the local clock, from a midnight on."""
    midnight = local(since, zone).replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None)
    if step > _DAY:
        # Steps of several days go on over the end of a month, and weeks begin on a Monday, as time
        # itself does.
        midnight -= timedelta(days=(midnight.toordinal() - 1) % (step // _DAY))
    number = 0
    while True:
        wall = midnight + timedelta(seconds=step * number)
        each = _at(wall, zone)
        if each.timestamp() > until:
            return
        yield each
        number += 1


def _months(since: float, until: float, step: int, zone: tzinfo | None) -> Iterator[datetime]:
    first = local(since, zone)
    number = (first.year * 12 + first.month - 1) // step * step
    while True:
        wall = datetime(number // 12, number % 12 + 1, 1)  # noqa: DTZ001 (the zone is set below)
        each = _at(wall, zone)
        if each.timestamp() > until:
            return
        yield each
        number += step


def _at(wall: datetime, zone: tzinfo | None) -> datetime:
    """Return the moment at which the clocks of ``zone`` show ``wall``."""
    if zone is None:
        return wall.astimezone()
    return wall.replace(tzinfo=zone)


def _text(moment: datetime, step: int) -> str:
    if step >= _MONTH:
        return f"{moment:%b %Y}"
    if step >= _DAY or (moment.hour, moment.minute) == (0, 0):
        return f"{moment.day} {moment:%b}"
    return f"{moment:%H:%M}"
