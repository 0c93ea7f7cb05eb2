"""The ledger of elastic quotas as JSON and CSV: hours of every dimension. htcq-drift(1) lists the names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any, TextIO

from htcq.drift.accounts import Account, Hours, Part
from htcq.drift.explanation import Story
from htcq.elastic.records import PARTS, WEIGHT
from htcq.quota.elastic.groups import ROOT
from htcq.report.formats.csv import Cell, write_table
from htcq.report.moments import iso

#: The amounts that both have, in their order.
AMOUNTS = ("min", "runtime", "guarantee", "used", "lent", "borrowed", "unused")
LEDGER_COLUMNS = ("pool", "dimension", "group", "since", "until", "coverage", *AMOUNTS)


def in_units(dimension: str, hours: Fraction) -> float:
    """Return an amount in the unit that people know: slot weight instead of its parts, else HTCondor's own."""
    return float(hours / PARTS if dimension == WEIGHT else hours)


def ledger_json(story: Story) -> list[dict[str, Any]]:
    """Return an object for each dimension, with all groups together and one by one."""
    return [_dimension(root, list(groups)) for root, groups in dimensions(story)]


def dimensions(story: Story) -> Iterator[tuple[Account, Iterator[Account]]]:
    """Yield by dimension the account of the root, and those of the groups."""
    for root in story.ledger:
        if root.group == ROOT:
            groups = (each for each in story.ledger if each.dimension == root.dimension and each is not root)
            yield root, groups


def write_ledger(stories: Iterable[Story], stream: TextIO) -> None:
    """Write a header and a row for each dimension and group, the root among them."""
    write_table(LEDGER_COLUMNS, _rows(stories), stream)


def _rows(stories: Iterable[Story]) -> Iterator[list[Cell]]:
    for story in stories:
        since, until = iso(story.since), iso(story.until)
        for each in story.ledger:
            amounts = _amounts(each.dimension, each.hours).values()
            yield [story.pool, each.dimension, each.group, since, until, each.observed, *amounts]


def _dimension(root: Account, groups: list[Account]) -> dict[str, Any]:
    name = root.dimension
    return {
        "dimension": name,
        "coverage": root.observed,
        "all": {**_amounts(name, root.hours), "spare": in_units(name, root.hours.spare), "series": _series(root)},
        "groups": [{"group": each.group, **_amounts(name, each.hours), "series": _series(each)} for each in groups],
    }


def _amounts(dimension: str, hours: Hours) -> dict[str, float]:
    return {name: in_units(dimension, getattr(hours, name)) for name in AMOUNTS}


def _series(account: Account) -> list[dict[str, Any]]:
    return [_part(account.dimension, part) for part in account.parts]


def _part(dimension: str, part: Part) -> dict[str, Any]:
    return {"since": iso(part.since), "until": iso(part.until), **_amounts(dimension, part.hours)}
