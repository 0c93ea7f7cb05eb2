"""The declared accounting groups: ``[groups]`` of htcq.toml, whose nested tables are the tree.

A name must be valid where HTCondor uses it: in the name of a knob
(src/condor_utils/config.cpp:is_valid_param_name), and as a word of GROUP_NAMES
(GroupEntry.cpp:hgq_construct_tree, 25.14).
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from htcq.errors import InputError
from htcq.quota.group_tree import MAX_QUOTA, ROOT, name_key, other_knob
from htcq.settings.quota_knobs import number_text, quota_knobs_from, truth_of, truth_text
from htcq.settings.tables import SITE_FILE, check_keys, number_in, table_of

GROUP_KEYS = ("quota", "share", "accept_surplus", "autoregroup", "owner", "contact", "expires")
_NAME = re.compile(r"[A-Za-z0-9_/]+")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_CASE = "HTCondor ignores upper and lower case; use one spelling for every group"


@dataclass(frozen=True)
class DeclaredGroup:
    """One group.

    ``name`` is the whole path. ``quota`` is an amount in slot weight, ``share`` a part from 0 to
    1; at most one of the two is given. None leaves a setting to the configuration of all groups.
    """

    name: str
    quota: float | None = None
    share: float | None = None
    accept_surplus: bool | None = None
    autoregroup: bool | None = None
    owner: str = ""
    contact: str = ""
    expires: date | None = None

    @property
    def parent(self) -> str:
        """The name of the group above it; empty for a top-level group."""
        return self.name.rpartition(".")[0]

    @property
    def static(self) -> bool:
        """Whether its quota is an amount; a group without a quota has a share of 0."""
        return self.quota is not None

    @property
    def configured(self) -> bool:
        """Whether it has a quota at all."""
        return self.quota is not None or self.share is not None

    @property
    def config_quota(self) -> float:
        """The amount or the share that the negotiator reads; 0 where there is none."""
        if self.quota is not None:
            return float(self.quota)
        return float(self.share or 0.0)

    @property
    def knobs(self) -> tuple[tuple[str, str], ...]:
        """The knobs of the group for HTCondor, each with its text."""
        found: list[tuple[str, str]] = []
        if self.quota is not None:
            found.append((f"GROUP_QUOTA_{self.name}", number_text(self.quota)))
        if self.share is not None:
            found.append((f"GROUP_QUOTA_DYNAMIC_{self.name}", number_text(self.share)))
        if self.accept_surplus is not None:
            found.append((f"GROUP_ACCEPT_SURPLUS_{self.name}", truth_text(self.accept_surplus)))
        if self.autoregroup is not None:
            found.append((f"GROUP_AUTOREGROUP_{self.name}", truth_text(self.autoregroup)))
        return tuple(found)

    def expired(self, today: date) -> bool:
        """Return whether its last day is over."""
        return self.expires is not None and self.expires < today


@dataclass(frozen=True)
class GroupSettings:
    """Every group in the order of the file, parents first, and the knobs of all groups."""

    groups: tuple[DeclaredGroup, ...] = ()
    knobs: Mapping[str, str] = field(default_factory=dict)


def group_settings_from(groups: Mapping[str, Any], quotas: Mapping[str, Any]) -> GroupSettings:
    """Return the settings of the tables ``[groups]`` and ``[quotas]``.

    Raises:
        InputError: a name that HTCondor cannot have, a group twice, an unknown key, or a value out
            of range.
    """
    return GroupSettings(tuple(_declared(groups)), quota_knobs_from(quotas))


def _declared(groups: Mapping[str, Any]) -> Iterator[DeclaredGroup]:
    seen: dict[bytes, str] = {}
    for name, value in groups.items():
        _check_name("", name)
        table_of(f"groups.{name}", value)
    waiting = deque(_tables("", groups))
    while waiting:
        name, table = waiting.popleft()
        twin = seen.setdefault(name_key(name), name)
        if twin != name:
            raise InputError(
                f"htcq.toml: groups.{name} is declared twice: groups.{twin} is the same name", _CASE
            )
        below = list(_tables(f"{name}.", table))
        own = {key: value for key, value in table.items() if not isinstance(value, Mapping)}
        yield _group(name, own)
        waiting.extendleft(reversed(below))


def _tables(path: str, table: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the children of ``path`` with their tables."""
    for key, value in table.items():
        if isinstance(value, Mapping):
            _check_name(path, key)
            yield f"{path}{key}", value


def _check_name(path: str, name: str) -> None:
    shown = name
    if not _NAME.fullmatch(name):
        shown = repr(name)
    where = f"htcq.toml: groups.{path}{shown}"
    if name_key(name) == name_key(ROOT):
        raise InputError(
            f"{where}: the name is that of the root group",
            "the root always exists and has no quota of its own",
        )
    if "." in name:
        raise InputError(
            f"{where}: a dot separates a group from its child", f"write [groups.{path}{name}]"
        )
    if not _NAME.fullmatch(name):
        raise InputError(
            f"{where}: a group's name consists of letters, digits, '_' and '/'",
            "it is part of knobs such as GROUP_QUOTA_<name>, and HTCondor refuses other characters",
        )
    other = other_knob(f"{path}{name}")
    if other:
        raise InputError(
            f"{where}: its GROUP_QUOTA_{path}{name} would be {other}", "choose another name"
        )


def _group(name: str, table: Mapping[str, Any]) -> DeclaredGroup:
    where = f"groups.{name}"
    check_keys(f"{where}.", table, GROUP_KEYS)
    if "quota" in table and "share" in table:
        raise InputError(
            f"htcq.toml: {where} has both quota and share",
            "set only one of them: if there is a quota, HTCondor ignores the share",
        )
    amount = f"it must be an amount of slot weight, a number from 0 to {MAX_QUOTA:.0f}"
    part = "it must be a number from 0 to 1; an amount of slot weight is a quota"
    return DeclaredGroup(
        name,
        _number(where, table, "quota", MAX_QUOTA, amount),
        _number(where, table, "share", 1, part),
        _truth(where, table, "accept_surplus"),
        _truth(where, table, "autoregroup"),
        _text(where, table, "owner"),
        _text(where, table, "contact"),
        _date(where, table, "expires"),
    )


def _number(where: str, table: Mapping[str, Any], key: str, most: float, hint: str) -> float | None:
    if key not in table:
        return None
    return number_in(f"{SITE_FILE}: {where}.{key}", table[key], 0, most, hint)


def _truth(where: str, table: Mapping[str, Any], key: str) -> bool | None:
    if key not in table:
        return None
    return truth_of(f"{where}.{key}", table[key])


def _text(where: str, table: Mapping[str, Any], key: str) -> str:
    value = table.get(key, "")
    if not isinstance(value, str):
        raise InputError(f"htcq.toml: {where}.{key} is {value!r}", "it must be text in quotes")
    return value


def _date(where: str, table: Mapping[str, Any], key: str) -> date | None:
    if key not in table:
        return None
    value = table[key]
    if isinstance(value, date) and not isinstance(value, datetime):
        return value
    try:
        if isinstance(value, str) and _DATE.fullmatch(value):
            return date.fromisoformat(value)
    except ValueError:
        pass  # no such day
    shown = str(value)
    if isinstance(value, str):
        shown = repr(value)
    raise InputError(
        f"htcq.toml: {where}.{key} is {shown}",
        "it must be the last day of the quota, such as 2027-03-31",
    )
