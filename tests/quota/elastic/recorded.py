"""What other people's tests state of elastic quotas: tests/golden/elastic, as htcq takes it and as its command does."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from htcq.quota.elastic.declaration import (
    ElasticDemand,
    ElasticGroup,
    ElasticQuotas,
    Options,
    Rounding,
)

DIRECTORY = Path(__file__).resolve().parents[2] / "golden" / "elastic"
NAMES = sorted(path.stem for path in DIRECTORY.iterdir())
#: The key of the numbers that a case states, and the rounding that they are of.
STATED = (
    ("expected", Rounding.HAMILTON),
    ("expected_derived", Rounding.HAMILTON),
    ("expected_legacy", Rounding.LEGACY),
)
#: Names of the cases that are called otherwise here.
FIELDS = {"auto_scale_min": "scaled_min"}
SUM, EFFECTIVE = "__sum__", "__effective_total__"


def read(name: str) -> list[dict[str, Any]]:
    """Return the cases of one file."""
    cases: list[dict[str, Any]] = json.loads(
        (DIRECTORY / f"{name}.json").read_text(encoding="utf-8")
    )
    return cases


class Stated(NamedTuple):
    """One number that a case states: of a group (or of all) and a field, by dimension."""

    group: str
    field: str
    amounts: Mapping[str, int]


def stated(expected: Mapping[str, Any]) -> Iterator[Stated]:
    """Yield what a case states."""
    for group, fields in expected.items():
        if group == EFFECTIVE:
            yield Stated(group, "effective_total", fields)
        else:
            for field, amounts in fields.items():
                yield Stated(group, FIELDS.get(field, field), amounts)


def quotas_of(case: Mapping[str, Any], rounding: Rounding = Rounding.HAMILTON) -> ElasticQuotas:
    """Return the groups of a case."""
    groups = tuple(
        ElasticGroup(
            each["name"],
            "" if each["parent"] == "root" else each["parent"],
            each["min"],
            each["max"],
            each["weight"] or {},
            each["allow_lent"],
        )
        for each in case["groups"]
    )
    options = case["options"]
    return ElasticQuotas(
        groups, Options(options["scale_min"], options["guarantee_usage"], rounding)
    )


def demand_of(case: Mapping[str, Any]) -> ElasticDemand:
    """Return the demand of a case."""
    by_group = {
        key: {each["name"]: each[key] for each in case["groups"] if each.get(key)}
        for key in ("request", "used", "guarantee")
    }
    options = case["options"]
    return ElasticDemand(
        case["total"],
        by_group["request"],
        by_group["used"],
        by_group["guarantee"],
        options.get("system_used") or {},
        options.get("default_used") or {},
    )


def path_of(case: Mapping[str, Any], name: str) -> str:
    """Return the name of a group as HTCondor has it: with those of all groups above it."""
    parents = {each["name"]: each["parent"] for each in case["groups"]}
    path = name
    while parents.get(name, "root") != "root":
        name = parents[name]
        path = f"{name}.{path}"
    return path


def quota_file(case: Mapping[str, Any], rounding: Rounding = Rounding.HAMILTON) -> str:
    """Return the quotas of a case as TOML."""
    options = case["options"]
    lines = ["[elastic]", f'rounding = "{rounding.value}"']
    lines += [f"{key} = {json.dumps(options[key])}" for key in ("scale_min", "guarantee_usage")]
    for each in case["groups"]:
        lines += [
            f"[groups.{json.dumps(path_of(case, each['name']))}]",
            f"lend = {json.dumps(each['allow_lent'])}",
        ]
        lines += [
            f"{key} = {toml(each[key])}"
            for key in ("min", "max", "weight")
            if each[key] is not None
        ]
    return "\n".join(lines)


def demand_file(case: Mapping[str, Any]) -> str:
    """Return the demand of a case as JSON."""
    demand = demand_of(case)
    given: dict[str, Any] = {
        "total": demand.total,
        "system_used": demand.system_used,
        "default_used": demand.default_used,
    }
    for key in ("request", "used", "guarantee"):
        given[key] = {
            path_of(case, name): amounts for name, amounts in getattr(demand, key).items()
        }
    return json.dumps(given)


def toml(amounts: Mapping[str, Any]) -> str:
    """Return amounts as an inline table."""
    return (
        "{ "
        + ", ".join(
            f"{json.dumps(name)} = {json.dumps(amount)}" for name, amount in amounts.items()
        )
        + " }"
    )
