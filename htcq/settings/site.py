"""``htcq.toml`` as frozen records, built from a mapping; htcq.toml(5) describes every key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from htcq.capacity.layout import SlotType
from htcq.capacity.shape import Shape
from htcq.errors import InputError
from htcq.settings.amounts import parse_part, parse_shape
from htcq.settings.choices import CHOICE_KEYS, Given
from htcq.settings.drift import DriftSettings, drift_settings_from
from htcq.settings.groups import GroupSettings, group_settings_from
from htcq.settings.rules import AuditSettings, audit_settings_from
from htcq.settings.tables import check_keys, table_of
from htcq.units import BUILT_IN_ASSETS, GPUS

TOP_KEYS = ("capacity", "slot_types", "jobs", "templates", "literal", "audit", "groups", "quotas", "drift")
SLOT_KEYS = (*CHOICE_KEYS, "count", "part", "parts")


@dataclass(frozen=True)
class Settings:
    """What a site file says: slot types with their models, jobs, templates, rules, groups, and where its history is."""

    slot_types: tuple[SlotType, ...] = ()
    jobs: tuple[Shape, ...] = ()
    templates: str = ""
    literal: bool = False
    audit: AuditSettings = field(default_factory=AuditSettings)
    groups: GroupSettings = field(default_factory=GroupSettings)
    drift: DriftSettings = field(default_factory=DriftSettings)


def settings_from(content: Mapping[str, Any], forced: bool = False) -> Settings:
    """Return the settings that the parsed site file holds.

    Raises:
        InputError: an unknown key (with the near one), or a value of the wrong kind.
    """
    check_keys("", content, TOP_KEYS)
    jobs = content.get("jobs", [])
    if not isinstance(jobs, list) or not all(isinstance(job, str) for job in jobs):
        raise InputError("htcq.toml: jobs must be a list of texts", 'such as jobs = ["cpus=1,memory=8GiB"]')
    if "capacity" in content and "slot_types" in content:
        raise InputError("htcq.toml: [capacity] and [slot_types] contradict each other", "give one of them")
    for key, kind in (("templates", str), ("literal", bool)):
        if not isinstance(content.get(key, kind()), kind):
            raise InputError(f"htcq.toml: {key} is {content[key]!r}", f"it must be a {kind.__name__}")
    return Settings(
        slot_types=_slot_types(content, forced),
        jobs=tuple(parse_shape(job) for job in jobs),
        templates=content.get("templates", ""),
        literal=content.get("literal", False),
        audit=audit_settings_from(table_of("audit", content.get("audit", {}))),
        groups=group_settings_from(
            table_of("groups", content.get("groups", {})), table_of("quotas", content.get("quotas", {}))
        ),
        drift=drift_settings_from(table_of("drift", content.get("drift", {}))),
    )


def _slot_types(content: Mapping[str, Any], forced: bool) -> tuple[SlotType, ...]:
    if "capacity" in content:
        table = table_of("capacity", content["capacity"])
        check_keys("capacity.", table, CHOICE_KEYS)
        return (SlotType(Given(table, "htcq.toml: capacity.").choice(forced)),)
    types = []
    for number, value in sorted(table_of("slot_types", content.get("slot_types", {})).items()):
        where = f"slot_types.{number}."
        table = table_of(f"slot_types.{number}", value)
        check_keys(where, table, SLOT_KEYS)
        if not number.isdigit() or not 1 <= int(number) <= 9:
            raise InputError(f"htcq.toml: slot_types.{number}", "slot types are numbered 1 to 9")
        types.append(_slot_type(int(number), table, f"htcq.toml: {where}", forced))
    return tuple(types)


def _slot_type(number: int, table: Mapping[str, Any], where: str, forced: bool) -> SlotType:
    given = {key: value for key, value in table.items() if key in CHOICE_KEYS}
    count = table.get("count", 1)
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise InputError(f"{where}count is {count!r}", "it must be a whole number, 1 or more")
    given_parts = table_of(f"slot_types.{number}.parts", table.get("parts", {}))
    parts = {asset.lower(): parse_part(asset.lower(), part, where) for asset, part in given_parts.items()}
    if "part" in table:
        every = parse_part("part", table["part"], where)
        parts = {**dict.fromkeys((*BUILT_IN_ASSETS, GPUS), every), **parts}
    return SlotType(Given(given, where).choice(forced), number, count, parts)
