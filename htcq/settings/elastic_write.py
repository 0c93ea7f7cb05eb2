"""Settings of the quota writer: ``[elastic.write]`` beside the elastic quotas themselves.

The defaults are careful: the writer does not act on uncertain data.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from htcq.errors import InputError
from htcq.settings.durations import parse_duration
from htcq.settings.tables import check_keys, number_in

WRITE_TABLE = "elastic.write"


@dataclass(frozen=True)
class WriteSettings:
    """Places, gates and pace of the quota writer; times in seconds, parts from 0 to 1.

    The negotiator reads ``directory`` (LOCAL_CONFIG_DIR); ``file`` is a name there that sorts
    after all others that set quotas. ``offer_step`` is the part of the pool that a group must gain
    before quotas are written that no min and no max needs. After ``max_failures`` failed writes in
    a row, a person has to begin again. ``central_managers`` are the machines of which one has the
    negotiator that serves, each with a writer of its own.
    """

    directory: str = "/etc/condor/config.d"
    file: str = "60-htcq-elastic.config"
    journal: str = "/var/lib/htcq-elastic/journal"
    interval: int = 0
    plan_age: int = 600
    ad_age: int = 900
    cycle_age: int = 1200
    skew: int = 60
    min_seen: float = 0.9
    capacity_drop: float = 0.2
    offer_step: float = 0.02
    verify_within: int = 1500
    max_failures: int = 3
    central_managers: tuple[str, ...] = ()


WRITE_KEYS = tuple(each.name for each in fields(WriteSettings))
_TIMES = ("interval", "plan_age", "ad_age", "cycle_age", "skew", "verify_within")
#: FULL_HOSTNAME of a machine.
_MACHINE = re.compile(r"[A-Za-z0-9._:-]+\Z")
_PARTS = ("min_seen", "capacity_drop", "offer_step")
_TEXTS = ("directory", "file", "journal")


def write_settings_from(
    table: Mapping[str, Any], file: str, where: str = WRITE_TABLE
) -> WriteSettings:
    """Return the settings of the table ``[elastic.write]`` of ``file``.

    Raises:
        InputError: an unknown key (with the near one), or a value of the wrong kind.
    """
    check_keys(f"{where}.", table, WRITE_KEYS, file)
    given: dict[str, Any] = {}
    for key, value in table.items():
        place = f"{file}: {where}.{key}"
        if key in _TEXTS:
            given[key] = _text(place, value)
        elif key in _TIMES:
            given[key] = parse_duration(place, value, zero=True)
        elif key == "central_managers":
            given[key] = _machines(place, value)
        elif key in _PARTS:
            given[key] = float(number_in(place, value, 0, 1, "it must be a number from 0 to 1"))
        else:
            given[key] = int(
                number_in(place, value, 0, 1000, "it must be a whole number", whole=True)
            )
    return WriteSettings(**given)


def _text(place: str, value: Any) -> str:
    if not isinstance(value, str) or not value or not value.isprintable():
        raise InputError(
            f"{place} is {value!r}", "it must be the name of a file or directory, in quotes"
        )
    return value


def _machines(place: str, value: Any) -> tuple[str, ...]:
    names = value if isinstance(value, list) else []
    texts = [name for name in names if isinstance(name, str) and _MACHINE.match(name)]
    if len(texts) < len(names) or len({text.lower() for text in texts}) < 2:
        raise InputError(
            f"{place} is {value!r}",
            'it must be a list of two machines or more: ["cm1.example", "cm2.example"]',
        )
    return tuple(texts)
