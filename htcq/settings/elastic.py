"""Files of elastic quotas (TOML, by the site) and of demand (JSON, from the pool).

This module refuses wrong structure: unknown keys, amounts that are no whole numbers.
``htcq.quota.elastic.validation`` checks whether the rest makes sense as quotas.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from htcq.errors import InputError
from htcq.quota.elastic.declaration import (
    ElasticDemand,
    ElasticGroup,
    ElasticQuotas,
    Options,
    Rounding,
)
from htcq.quota.elastic.window import GroupChange, Window
from htcq.settings.amounts import parse_part
from htcq.settings.durations import parse_duration
from htcq.settings.elastic_window import WINDOW_GROUP_KEYS, windows_from
from htcq.settings.elastic_write import WriteSettings, write_settings_from
from htcq.settings.former_keys import with_present_keys
from htcq.settings.reclaim import ReclaimLimits, reclaim_limits_from
from htcq.settings.tables import check_keys, number_in
from htcq.spelling import near_names
from htcq.units import DISK, MEMORY

QUOTA_FILE_KEYS = ("elastic", "groups", "trees")
ELASTIC_KEYS = (
    "scale_min",
    "guarantee_usage",
    "rounding",
    "same_dimensions",
    "write",
    "reclaim",
    "window",
)
ELASTIC_GROUP_KEYS = (
    "min",
    "max",
    "weight",
    "lend",
    "parent",
    "scale_min",
    "strict",
    "users",
    "back_within",
    "priority",
)
DEMAND_KEYS = ("total", "request", "used", "guarantee", "system_used", "default_used")
DEMAND_FILE_KEYS = (*DEMAND_KEYS, "trees")
UNLIMITED = "unlimited"
#: Priorities of mins are from minus this number up to it.
MAX_PRIORITY = 1000
#: The id of the rule on amounts that are none.
MALFORMED = "elastic-amount-malformed"

_Caps = dict[str, "int | None"]


@dataclass(frozen=True)
class QuotaFile:
    """The quotas of a file by tree, one tree for each negotiator.

    A tree outside the table ``trees`` has an empty name. ``writes`` has the settings of the writer
    by tree, ``reclaims`` the limits of what may be taken back, ``windows`` the planned ones.
    ``warnings`` name the keys of an older version. ``text`` is what the file holds, empty where it
    is not known.
    """

    trees: Mapping[str, ElasticQuotas] = field(default_factory=dict)
    writes: Mapping[str, WriteSettings] = field(default_factory=dict)
    reclaims: Mapping[str, ReclaimLimits] = field(default_factory=dict)
    windows: Mapping[str, tuple[Window, ...]] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    text: str = ""


def quotas_from(content: Mapping[str, Any], file: str) -> QuotaFile:
    """Return the quotas of the parsed TOML ``file``.

    Keys of an older version are read, with warnings.

    Raises:
        InputError: an unknown key (with the near one), or a value of the wrong kind.
    """
    check_keys("", content, QUOTA_FILE_KEYS, file)
    content, warnings = with_present_keys(content, file)
    trees, writes, reclaims, windows = {}, {}, {}, {}
    named = _table(file, "trees", content.get("trees", {}))
    if "groups" in content or "elastic" in content or not named:
        trees[""], writes[""] = _tree(content, "", file), _write(content, "", file)
        reclaims[""] = _reclaim(content, "", file)
        windows[""] = _windows(content, "", file)
    for name, value in named.items():
        table = _table(file, f"trees.{name}", value)
        check_keys(f"trees.{name}.", table, ("elastic", "groups"), file)
        trees[name] = _tree(table, f"trees.{name}.", file)
        writes[name] = _write(table, f"trees.{name}.", file)
        reclaims[name] = _reclaim(table, f"trees.{name}.", file)
        windows[name] = _windows(table, f"trees.{name}.", file)
    return QuotaFile(trees, writes, reclaims, windows, warnings)


def _write(table: Mapping[str, Any], where: str, file: str) -> WriteSettings:
    elastic = table.get("elastic", {})
    given = _table(file, f"{where}elastic.write", elastic.get("write", {}))
    return write_settings_from(given, file, f"{where}elastic.write")


def _reclaim(table: Mapping[str, Any], where: str, file: str) -> ReclaimLimits:
    elastic = table.get("elastic", {})
    given = _table(file, f"{where}elastic.reclaim", elastic.get("reclaim", {}))
    return reclaim_limits_from(given, file, f"{where}elastic.reclaim")


def _windows(table: Mapping[str, Any], where: str, file: str) -> tuple[Window, ...]:
    given = table.get("elastic", {}).get("window", [])
    groups = table.get("groups", {})

    def change(place: str, amounts: Mapping[str, Any]) -> GroupChange:
        inner = _table(file, place, amounts)
        check_keys(f"{place}.", inner, WINDOW_GROUP_KEYS, "")
        return GroupChange(
            _amounts(file, f"{place}.min", inner.get("min")),
            _caps(file, f"{place}.max", inner.get("max")),
            _amounts(file, f"{place}.weight", inner.get("weight")),
            _pool_parts(file, place, inner),
        )

    return windows_from(given, file, f"{where}elastic.window", groups, change)


def _tree(table: Mapping[str, Any], where: str, file: str) -> ElasticQuotas:
    elastic = _table(file, f"{where}elastic", table.get("elastic", {}))
    check_keys(f"{where}elastic.", elastic, ELASTIC_KEYS, file)
    groups = _table(file, f"{where}groups", table.get("groups", {}))
    place = f"{where}elastic"
    options = Options(
        scale_min=_truth(file, place, elastic, "scale_min", True),
        guarantee_usage=_truth(file, place, elastic, "guarantee_usage", False),
        rounding=_rounding(
            file, f"{place}.rounding", elastic.get("rounding", Rounding.HAMILTON.value)
        ),
        same_dimensions=_truth(file, place, elastic, "same_dimensions", False),
    )
    return ElasticQuotas(
        tuple(_group(name, value, where, file) for name, value in groups.items()), options
    )


def _group(name: str, value: Any, where: str, file: str) -> ElasticGroup:
    place = f"{where}groups.{name}"
    if not name or name.isspace() or "@" in name or not name.isprintable():
        raise InputError(
            f"{file}: {where}groups has a group called {name!r}", "give it a name without '@'"
        )
    table = _table(file, place, value)
    for key, each in table.items():
        is_a_key = key in ELASTIC_GROUP_KEYS or near_names(key, ELASTIC_GROUP_KEYS)
        if isinstance(each, Mapping) and not is_a_key:
            raise InputError(
                f"{file}: {place}.{key} is unknown",
                f'a group below it is [{where}groups."{name}.{key}"]',
            )
    check_keys(f"{place}.", table, ELASTIC_GROUP_KEYS, file)
    parent = table.get("parent", name.rpartition(".")[0])
    if not isinstance(parent, str):
        raise InputError(
            f"{file}: {place}.parent is {parent!r}", 'it must be the name of a group, "" for none'
        )
    lends, max_lent = _lent(file, place, table)
    return ElasticGroup(
        name,
        parent,
        _amounts(file, f"{place}.min", table.get("min")),
        _caps(file, f"{place}.max", table.get("max")),
        _amounts(file, f"{place}.weight", table.get("weight")),
        lends,
        _own_truth(file, place, table, "scale_min"),
        _names(file, f"{place}.strict", table.get("strict", [])),
        _names(file, f"{place}.users", table.get("users", [])),
        max_lent,
        _within(file, f"{place}.back_within", table.get("back_within")),
        _priority(file, f"{place}.priority", table.get("priority", 0)),
        _pool_parts(file, place, table),
    )


def demand_from(content: Any, file: str) -> Mapping[str, ElasticDemand]:
    """Return the demand of the parsed JSON ``file`` by tree; amounts are whole numbers from 0 on.

    Raises:
        InputError: an unknown key (with the near one), no total, or a value of the wrong kind.
    """
    table = _table(file, "the whole", content)
    check_keys("", table, DEMAND_FILE_KEYS, file)
    found = {}
    named = _table(file, "trees", table.get("trees", {}))
    if not named or set(table) - {"trees"}:
        found[""] = _demand(table, "", file)
    for name, value in named.items():
        inner = _table(file, f"trees.{name}", value)
        check_keys(f"trees.{name}.", inner, DEMAND_KEYS, file)
        found[name] = _demand(inner, f"trees.{name}.", file)
    return found


def _demand(table: Mapping[str, Any], where: str, file: str) -> ElasticDemand:
    if "total" not in table:
        raise InputError(
            f"{file}: {where}total is missing",
            'set the available amounts, such as "total": {"cpus": 100}',
        )
    plain = {
        key: _whole(file, f"{where}{key}", table.get(key))
        for key in ("total", "system_used", "default_used")
    }
    by_group: dict[str, dict[str, dict[str, int]]] = {}
    for key in ("request", "used", "guarantee"):
        given = table.get(key)
        if given is None:
            given = {}
        by_group[key] = {}
        for name, amounts in _table(file, f"{where}{key}", given).items():
            by_group[key][name] = _whole(file, f"{where}{key}.{name}", amounts)
    return ElasticDemand(
        plain["total"],
        by_group["request"],
        by_group["used"],
        by_group["guarantee"],
        plain["system_used"],
        plain["default_used"],
    )


def _whole(file: str, where: str, value: Any) -> dict[str, int]:
    for name, each in _dimensions(file, where, value).items():
        if isinstance(_amount(file, where, name, each), Fraction):
            raise InputError(
                f"{file}: {where}.{name} is {each!r} [{MALFORMED}]", "it must be a whole number"
            )
    return _from_zero(file, where, value)


def _from_zero(file: str, where: str, value: Any) -> dict[str, int]:
    found = _amounts(file, where, value)
    for name, amount in found.items():
        if amount < 0:
            raise InputError(f"{file}: {where}.{name} is {amount}", "it must be 0 or more")
    return found


def _amounts(file: str, where: str, value: Any) -> dict[str, int]:
    """Return the amounts that are known without the size of the pool."""
    found = {}
    for name, each in _dimensions(file, where, value).items():
        amount = _amount(file, where, name, each)
        if not isinstance(amount, Fraction):
            found[name] = amount
    return found


def _caps(file: str, where: str, value: Any) -> _Caps:
    """Return caps that are known without the size of the pool; unlimited is the cap None."""
    caps: _Caps = {}
    for name, each in _dimensions(file, where, value).items():
        if each == UNLIMITED:
            caps[name] = None
            continue
        amount = _amount(file, where, name, each, f', or "{UNLIMITED}"')
        if not isinstance(amount, Fraction):
            caps[name] = amount
    return caps


def _pool_parts(file: str, place: str, table: Mapping[str, Any]) -> dict[str, dict[str, Fraction]]:
    """Return the amounts of a group that are parts of the pool, by the field and the dimension."""
    found: dict[str, dict[str, Fraction]] = {}
    for key, meant in (("min", "min"), ("max", "max"), ("weight", "weight"), ("lend", "max_lent")):
        given = table.get(key)
        if not isinstance(given, Mapping):
            continue
        for name, each in given.items():
            if each != UNLIMITED:
                amount = _amount(file, f"{place}.{key}", name, each)
                if isinstance(amount, Fraction):
                    found.setdefault(meant, {})[name] = amount
    return found


def _dimensions(file: str, where: str, value: Any) -> Mapping[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise InputError(
            f"{file}: {where} is {_shown(value)} [{MALFORMED}]",
            "it must have an amount for each dimension: cpus = 10",
        )
    for name in value:
        if not name or not name.isprintable() or " " in name:
            raise InputError(
                f"{file}: {where} has a dimension called {name!r}",
                "such as cpus, gpus or gpus:a100",
            )
    return value


def _amount(file: str, where: str, name: str, value: Any, more: str = "") -> int | Fraction:
    """Return an amount, or a part of the pool; memory and disk may have a unit."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    text = value.strip() if isinstance(value, str) else ""
    if text.endswith("%") or (text and name in (MEMORY, DISK)):
        try:
            return parse_part(name, text, "")
        except InputError:
            pass
    unit = ', one with a unit, such as "8GiB"' if name in (MEMORY, DISK) else ""
    raise InputError(
        f"{file}: {where}.{name} is {_shown(value)} [{MALFORMED}]",
        f'it must be a whole number{unit}, or a percentage of the pool, such as "25%"{more}',
    )


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return repr(value)


def _table(file: str, where: str, value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise InputError(
            f"{file}: {where} is {_shown(value)}", "it must be a table of keys and values"
        )
    return value


def _truth(file: str, where: str, table: Mapping[str, Any], key: str, default: bool) -> bool:
    value = table.get(key, default)
    if not isinstance(value, bool):
        raise InputError(f"{file}: {where}.{key} is {value!r}", "it must be true or false")
    return value


def _lent(file: str, where: str, table: Mapping[str, Any]) -> tuple[bool, dict[str, int]]:
    """Return whether a group lends its min, and the amounts of it that it lends at most, if any."""
    value = table.get("lend")
    if not isinstance(value, Mapping):
        return _truth(file, where, table, "lend", True), {}
    amounts = _from_zero(file, f"{where}.lend", value)
    for name in value:
        if name not in table.get("min", {}):
            raise InputError(
                f"{file}: {where}.lend.{name} has no min to lend of", f"set {where}.min.{name}"
            )
    return True, amounts


def _own_truth(file: str, where: str, table: Mapping[str, Any], key: str) -> bool | None:
    if key not in table:
        return None
    return _truth(file, where, table, key, False)


def _rounding(file: str, where: str, value: Any) -> Rounding:
    words = [each.value for each in Rounding]
    if value not in words:
        raise InputError(f"{file}: {where} is {_shown(value)}", f"it must be {' or '.join(words)}")
    return Rounding(value)


def _within(file: str, where: str, value: Any) -> float | None:
    if value is None:
        return None
    return float(parse_duration(f"{file}: {where}", value))


def _priority(file: str, where: str, value: Any) -> int:
    hint = f"it must be a whole number from {-MAX_PRIORITY} to {MAX_PRIORITY}"
    return int(number_in(f"{file}: {where}", value, -MAX_PRIORITY, MAX_PRIORITY, hint, whole=True))


def _names(file: str, where: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(each, str) and each for each in value):
        raise InputError(f"{file}: {where} is {_shown(value)}", "it must be a list of names")
    return tuple(value)
