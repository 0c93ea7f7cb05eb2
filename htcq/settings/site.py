"""``htcq.toml`` as frozen records, built from a mapping; htcq.toml(5) describes every key."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from htcq.capacity.kinds import Chosen, NodeKind, choose
from htcq.capacity.layout import SlotType
from htcq.capacity.shape import Shape
from htcq.classads import parsed
from htcq.errors import InputError
from htcq.node import Node
from htcq.settings.amounts import parse_part, parse_shape
from htcq.settings.choices import CHOICE_KEYS, Given
from htcq.settings.tables import check_keys, table_of
from htcq.units import BUILT_IN_ASSETS, GPUS, whole_number

if TYPE_CHECKING:
    from htcq.settings.drift import DriftSettings
    from htcq.settings.groups import GroupSettings
    from htcq.settings.rules import AuditSettings

TOP_KEYS = (
    "capacity",
    "slot_types",
    "nodes",
    "jobs",
    "templates",
    "literal",
    "audit",
    "groups",
    "quotas",
    "drift",
)
#: Tables that are read, and their modules loaded, only where the file has them or a command asks.
LAZY_KEYS = ("audit", "groups", "quotas", "drift")
SLOT_KEYS = (*CHOICE_KEYS, "count", "part", "parts")
NODE_KEYS = ("match", "slot_types", *CHOICE_KEYS)


@dataclass(frozen=True)
class Settings:
    """The content of a site file: slot types, jobs, templates, rules, groups, and the history.

    The slot types have their models. ``kinds`` are nodes with slot types of their own. ``tables``
    are the tables of :data:`LAZY_KEYS` as they were given.
    """

    slot_types: tuple[SlotType, ...] = ()
    kinds: tuple[NodeKind, ...] = ()
    jobs: tuple[Shape, ...] = ()
    templates: str = ""
    literal: bool = False
    tables: Mapping[str, Any] = field(default_factory=dict)

    @functools.cached_property
    def audit(self) -> AuditSettings:
        """The rules of the audit, as far as the site changes them."""
        from htcq.settings.rules import audit_settings_from

        return audit_settings_from(table_of("audit", self.tables.get("audit", {})))

    @functools.cached_property
    def groups(self) -> GroupSettings:
        """The groups that the site declares, and the knobs of all groups."""
        from htcq.settings.groups import group_settings_from

        groups, quotas = self.tables.get("groups", {}), self.tables.get("quotas", {})
        return group_settings_from(table_of("groups", groups), table_of("quotas", quotas))

    @functools.cached_property
    def drift(self) -> DriftSettings:
        """The settings of the history of drift."""
        from htcq.settings.drift import drift_settings_from

        return drift_settings_from(table_of("drift", self.tables.get("drift", {})))


def settings_from(content: Mapping[str, Any], forced: bool = False) -> Settings:
    """Return the settings of the parsed site file.

    Raises:
        InputError: an unknown key (with the near one), or a value of the wrong kind.
    """
    check_keys("", content, TOP_KEYS)
    jobs = content.get("jobs", [])
    if not isinstance(jobs, list) or not all(isinstance(job, str) for job in jobs):
        raise InputError(
            "htcq.toml: jobs must be a list of texts", 'such as jobs = ["cpus=1,memory=8GiB"]'
        )
    if "capacity" in content and "slot_types" in content:
        raise InputError(
            "htcq.toml: [capacity] and [slot_types] contradict each other", "give one of them"
        )
    for key, kind, name in (
        ("templates", str, "text in quotes"),
        ("literal", bool, "true or false"),
    ):
        if not isinstance(content.get(key, kind()), kind):
            raise InputError(f"htcq.toml: {key} is {content[key]!r}", f"it must be {name}")
    settings = Settings(
        slot_types=_slot_types("", content, forced),
        kinds=_kinds(table_of("nodes", content.get("nodes", {})), forced),
        jobs=tuple(parse_shape(job) for job in jobs),
        templates=content.get("templates", ""),
        literal=content.get("literal", False),
        tables={key: content[key] for key in LAZY_KEYS if key in content},
    )
    # Every command refuses a mistake in a table, also a command that does not use the table.
    for key in settings.tables:
        if key == "quotas":
            # The groups are built from two tables.
            key = "groups"
        getattr(settings, key)
    return settings


def types_for(settings: Settings, node: Node) -> Chosen:
    """Return the kind of ``node`` and its slot types in the site file.

    Raises:
        InputError: the node is of two kinds, or of none and there is no model for all nodes.
    """
    return choose(settings.slot_types, settings.kinds, node)


def _kinds(table: Mapping[str, Any], forced: bool) -> tuple[NodeKind, ...]:
    kinds = []
    for name, value in table.items():
        where = f"nodes.{name}"
        given = table_of(where, value)
        check_keys(f"{where}.", given, NODE_KEYS)
        match = given.get("match")
        if not isinstance(match, str) or parsed(match) is None:
            raise InputError(
                f"htcq.toml: {where}.match is not a ClassAd expression",
                'such as match = "TotalGPUs > 0"',
            )
        own = {key: each for key, each in given.items() if key in CHOICE_KEYS}
        if own and "slot_types" in given:
            raise InputError(
                f"htcq.toml: {where} has a model and slot_types, which contradict each other",
                "give one",
            )
        if "slot_types" in given:
            types = _slot_types(f"{where}.", given, forced)
        else:
            types = (SlotType(Given(own, f"htcq.toml: {where}.").choice(forced)),)
        kinds.append(NodeKind(name, match, types))
    return tuple(kinds)


def _slot_types(within: str, content: Mapping[str, Any], forced: bool) -> tuple[SlotType, ...]:
    if "capacity" in content:
        table = table_of("capacity", content["capacity"])
        check_keys("capacity.", table, CHOICE_KEYS)
        return (SlotType(Given(table, "htcq.toml: capacity.").choice(forced)),)
    types = []
    for number, value in sorted(
        table_of(f"{within}slot_types", content.get("slot_types", {})).items()
    ):
        where = f"{within}slot_types.{number}."
        table = table_of(where.rstrip("."), value)
        check_keys(where, table, SLOT_KEYS)
        if not 1 <= (whole_number(number) or 0) <= 9:
            raise InputError(f"htcq.toml: {where.rstrip('.')}", "slot types are numbered 1 to 9")
        types.append(_slot_type(int(number), table, f"htcq.toml: {where}", forced))
    return tuple(types)


def _slot_type(number: int, table: Mapping[str, Any], where: str, forced: bool) -> SlotType:
    given = {key: value for key, value in table.items() if key in CHOICE_KEYS}
    count = table.get("count", 1)
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise InputError(f"{where}count is {count!r}", "it must be a whole number, 1 or more")
    given_parts = table_of(f"slot_types.{number}.parts", table.get("parts", {}))
    parts = {
        asset.lower(): parse_part(asset.lower(), part, where) for asset, part in given_parts.items()
    }
    if "part" in table:
        every = parse_part("part", table["part"], where)
        parts = {**dict.fromkeys((*BUILT_IN_ASSETS, GPUS), every), **parts}
    return SlotType(Given(given, where).choice(forced), number, count, parts)
