"""Planned windows: ``[[elastic.window]]`` of the file with the quotas."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from typing import Any

from htcq.errors import InputError
from htcq.quota.elastic.window import GroupChange, Window
from htcq.settings.tables import check_keys, number_in

WINDOW_KEYS = ("name", "from", "until", "days", "capacity", "groups")
WINDOW_GROUP_KEYS = ("min", "max", "weight")
DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
#: The forms of a moment and of a time of day, as JSON Schema has them too.
MOMENT = r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2})?(Z|[+-][0-9]{2}:[0-9]{2})"
TIME = r"([01][0-9]|2[0-3]):[0-5][0-9]"
_MOMENT, _TIME = re.compile(MOMENT), re.compile(TIME)

#: Reads the change of one group: the place in the file, and the table.
ReadChange = Callable[[str, Mapping[str, Any]], GroupChange]


def windows_from(
    given: Any, file: str, where: str, groups: Collection[str], read_change: ReadChange
) -> tuple[Window, ...]:
    """Return the windows of the list ``given``, the value of ``where`` in ``file``.

    ``groups`` are those that are declared.

    Raises:
        InputError: an unknown key or group, or a value of the wrong kind.
    """
    if not isinstance(given, list):
        raise InputError(f"{file}: {where} is no list of tables", f"[[{where}]] begins each window")
    found = []
    for number, table in enumerate(given, 1):
        place = f"{where} {number}"
        if not isinstance(table, Mapping):
            raise InputError(f"{file}: {place} is no table", f"[[{where}]] begins each window")
        check_keys(f"{place}: ", table, WINDOW_KEYS, file)
        found.append(_window(table, f"{file}: {place}", number, groups, read_change))
    return tuple(found)


def _window(
    table: Mapping[str, Any],
    place: str,
    number: int,
    groups: Collection[str],
    read_change: ReadChange,
) -> Window:
    name = table.get("name", f"window {number}")
    if not isinstance(name, str) or not name or not name.isprintable():
        raise InputError(f"{place}: name is {name!r}", "it must be a text of one line")
    days = _days(table.get("days", []), place)
    read = _moment
    if days:
        read = _time_of_day
    begin, end = (
        read(table.get("from"), f"{place}: from"),
        read(table.get("until"), f"{place}: until"),
    )
    if begin == end or (not days and end < begin):
        raise InputError(f"{place}: it ends before it begins", "until must be later than from")
    hint = "it must be the part of the pool that is there, a number from 0 to 1"
    capacity = float(number_in(f"{place}: capacity", table.get("capacity", 1), 0, 1, hint))
    given = table.get("groups", {})
    if not isinstance(given, Mapping):
        raise InputError(f"{place}: groups is {given!r}", "it must be a table of groups")
    changes = {}
    for group, change in given.items():
        if group not in groups:
            raise InputError(f"{place}: there is no group {group}", "declare it in [groups]")
        changes[group] = read_change(f"{place}: groups.{group}", change)
    return Window(name, begin, end, days, capacity, changes)


def _days(given: Any, place: str) -> tuple[int, ...]:
    if not isinstance(given, list) or not all(day in DAYS for day in given):
        raise InputError(f"{place}: days is {given!r}", f"it must be a list of {', '.join(DAYS)}")
    return tuple(sorted({DAYS.index(day) for day in given}))


def _moment(given: Any, place: str) -> float:
    if isinstance(given, str) and _MOMENT.fullmatch(given):
        try:
            return datetime.fromisoformat(given.replace("Z", "+00:00")).timestamp()
        except ValueError:
            pass
    raise InputError(
        f"{place} is {given!r}",
        'it must be a moment with its offset, such as "2027-01-15T08:00+01:00"; with days a time '
        'of day, such as "08:00"',
    )


def _time_of_day(given: Any, place: str) -> float:
    if isinstance(given, str) and _TIME.fullmatch(given):
        hours, minutes = given.split(":")
        return int(hours) * 3600.0 + int(minutes) * 60.0
    raise InputError(f"{place} is {given!r}", 'with days it must be a time in UTC, such as "08:00"')
