"""Limits of ``htcq elastic reclaim``: ``[elastic.reclaim]`` of the file with the quotas."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from htcq.errors import InputError
from htcq.settings.durations import parse_duration
from htcq.settings.pool_share import PoolLimit, PoolShare, limit_from
from htcq.settings.tables import check_keys, number_in

_ATTRIBUTE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
RECLAIM_TABLE = "elastic.reclaim"
_ABOVE_ZERO = math.nextafter(0.0, 1.0)
_JOURNAL = "/var/lib/htcq-elastic/reclaim"
#: Among those who may protect jobs.
EVERYBODY = "*"
#: What lost work can count for at most.
MOST_COST = 1000
_PROTECTED_JOBS = PoolShare(100)
_GROUP_JOBS = PoolShare(50, least=20)
_USER_JOBS = PoolShare(25, least=10)
_DAY_JOBS = PoolShare(100, least=200)
_DAY_HOURS = PoolShare(50, least=1000)
_GROUP_HOURS = PoolShare(25, least=200)
_USER_HOURS = PoolShare(25, least=50)


@dataclass(frozen=True)
class GroupLimits:
    """What differs for the jobs of one group; ``hours`` may be lost in 24 hours."""

    min_runtime: int
    grace: int
    hours: PoolLimit


@dataclass(frozen=True)
class ReclaimLimits:
    """Limits on the number of jobs to take back, on their groups, and on the time.

    Times are in seconds, counts in jobs. ``over_for`` is how long a group must be over its
    runtime, ``need_for`` how long another must be below its own with idle jobs that find no room;
    where that is below its min, ``need_for`` will do for both.
    ``max_gap`` is the longest time between two runs that they can judge; after a longer one both
    times start again. After jobs were taken back nothing is done until one in need has a slot of
    theirs, or for ``settle_time``.

    A job is left alone below ``min_runtime``, within ``grace`` of the end that its attribute
    ``wall_time`` (seconds that it may run) sets, and once it was taken back ``vacates`` times.
    ``pool_percent`` of the pool's claims (one at least) are taken back first, twice as many after
    each run whose slots were taken by those in need. ``group_jobs`` and ``user_jobs`` limit one
    run, ``day_jobs`` all runs of 24 hours; a share is one of the pool's claims. ``day_hours``,
    ``group_hours`` and ``user_hours`` limit the work that is lost in 24 hours, in slot weight times
    hours: in all, of one group, and of one user; a share is one of what the pool weighs times 24
    hours. ``groups`` has what differs for single groups. ``batch`` jobs of a schedd are taken back
    at a time. Ceilings last for ``lease``; they end when a group uses ``release`` of its runtime
    or less, or wants no more than that. ``journal`` is the file with the record of all this.

    ``protectors`` are the groups and the submitters (with an @) that may protect jobs, and
    ``protected_jobs`` of a group may be protected; a share is one of the pool's claims. What a job
    says that its lost work counts for is taken as ``min_cost`` at least, and ``max_cost`` at most.
    """

    journal: str = _JOURNAL
    over_for: int = 600
    need_for: int = 120
    max_gap: int = 660
    settle_time: int = 120
    min_runtime: int = 600
    grace: int = 600
    wall_time: str = "AllowedExecuteDuration"
    vacates: int = 1
    pool_percent: float = 20.0
    group_jobs: PoolLimit = _GROUP_JOBS
    user_jobs: PoolLimit = _USER_JOBS
    day_jobs: PoolLimit = _DAY_JOBS
    day_hours: PoolLimit = _DAY_HOURS
    group_hours: PoolLimit = _GROUP_HOURS
    user_hours: PoolLimit = _USER_HOURS
    batch: int = 10
    lease: int = 1800
    release: float = 0.97
    protectors: tuple[str, ...] = (EVERYBODY,)
    protected_jobs: PoolLimit = _PROTECTED_JOBS
    min_cost: float = 0.1
    max_cost: float = 10.0
    groups: Mapping[str, GroupLimits] = field(default_factory=dict)

    def cost(self, of_job: float) -> float:
        """Return what the lost work of a job counts for, within the bounds of the site."""
        return max(self.min_cost, min(of_job, self.max_cost))

    def of(self, group: str) -> GroupLimits:
        """Return the limits of a group; those of the nearest group above it that has any."""
        name = group
        while name:
            found = self.groups.get(name)
            if found is not None:
                return found
            name = name.rpartition(".")[0]
        return GroupLimits(self.min_runtime, self.grace, self.group_hours)


RECLAIM_KEYS = tuple(each.name for each in fields(ReclaimLimits))
_TIMES = ("over_for", "need_for", "max_gap", "settle_time", "min_runtime", "grace", "lease")
_HOURS = ("day_hours", "group_hours", "user_hours")
_PARTS = {"pool_percent": 100, "release": 1}
GROUP_KEYS = ("min_runtime", "grace", "hours")
_COUNTS = ("vacates", "batch")
_JOBS = ("group_jobs", "user_jobs", "day_jobs", "protected_jobs")
_COSTS = ("min_cost", "max_cost")


def reclaim_limits_from(
    table: Mapping[str, Any], file: str, where: str = RECLAIM_TABLE
) -> ReclaimLimits:
    """Return the limits of the table ``[elastic.reclaim]`` of ``file``.

    Raises:
        InputError: an unknown key (with the near one), a value of the wrong kind, or times that
            contradict each other.
    """
    check_keys(f"{where}.", table, RECLAIM_KEYS, file)
    given: dict[str, Any] = {}
    for key, value in table.items():
        if key != "groups":
            given[key] = _value(f"{file}: {where}.{key}", key, value)
    limits = ReclaimLimits(**given)
    if "groups" in table:
        limits = replace(limits, groups=_groups(table["groups"], limits, file, where))
    _check_times(limits, file, where)
    if limits.min_cost > limits.max_cost:
        raise InputError(
            f"{file}: {where}.min_cost is above {where}.max_cost ({limits.max_cost:g})",
            "what a job's work counts for lies between them",
        )
    return limits


def _value(place: str, key: str, value: Any) -> Any:
    if key in _TIMES:
        return parse_duration(place, value, zero=True)
    if key in _COUNTS:
        return _count(place, key, value)
    if key in _JOBS:
        return limit_from(place, value, "it must be a whole number, 0 or more", whole=True)
    if key in _HOURS:
        return _hours(place, value)
    if key in _PARTS:
        return _part(place, value, _PARTS[key])
    if key in _COSTS:
        hint = f"it must be a number from 0 to {MOST_COST}"
        return float(number_in(place, value, 0, MOST_COST, hint))
    if key == "protectors":
        return _names(place, value)
    if key == "journal":
        return _path(place, value)
    return _attribute(place, value)


def _groups(given: Any, limits: ReclaimLimits, file: str, where: str) -> Mapping[str, GroupLimits]:
    if not isinstance(given, Mapping):
        raise InputError(f"{file}: {where}.groups is {given!r}", "it must be a table of groups")
    found = {}
    for name, table in given.items():
        place = f"{where}.groups.{name}"
        if not isinstance(table, Mapping):
            raise InputError(f"{file}: {place} is {table!r}", "it must be a table of keys")
        check_keys(f"{place}.", table, GROUP_KEYS, file)
        own: dict[str, Any] = {}
        for key in ("min_runtime", "grace"):
            if key in table:
                own[key] = parse_duration(f"{file}: {place}.{key}", table[key], zero=True)
        if "hours" in table:
            own["hours"] = _hours(f"{file}: {place}.hours", table["hours"])
        found[name] = replace(limits.of(""), **own)
    return found


def _hours(place: str, value: Any) -> PoolLimit:
    return limit_from(place, value, "it must be a number of hours, 0 or more")


def _check_times(limits: ReclaimLimits, file: str, where: str) -> None:
    """Refuse times that contradict each other."""
    if limits.max_gap < limits.need_for:
        raise InputError(
            f"{file}: {where}.max_gap is shorter than {where}.need_for ({limits.need_for}s)",
            "no time would ever be long enough",
        )
    if limits.lease < limits.settle_time:
        raise InputError(
            f"{file}: {where}.lease is shorter than {where}.settle_time ({limits.settle_time}s)",
            "a ceiling must outlast the wait after it",
        )


def _names(place: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(each, str) and each for each in value):
        raise InputError(
            f"{place} is {value!r}",
            f'it must be a list of groups and submitters (with an @); ["{EVERYBODY}"]: everybody',
        )
    return tuple(value)


def _part(place: str, value: Any, most: float) -> float:
    hint = f"it must be a number above 0, {most} at most"
    return float(number_in(place, value, _ABOVE_ZERO, most, hint))


def _count(place: str, key: str, value: Any) -> int:
    least = 0
    if key == "batch":
        least = 1
    hint = f"it must be a whole number, {least} or more"
    return int(number_in(place, value, least, math.inf, hint, whole=True))


def _path(place: str, value: Any) -> str:
    if not isinstance(value, str) or not value.startswith("/") or "\0" in value:
        raise InputError(
            f"{place} is {value!r}", f'it must be the full path of a file, such as "{_JOURNAL}"'
        )
    return value


def _attribute(place: str, value: Any) -> str:
    if not isinstance(value, str) or (value and not _ATTRIBUTE.match(value)):
        raise InputError(
            f"{place} is {value!r}",
            'it must be the name of an attribute of jobs that counts seconds, "" for none',
        )
    return value
