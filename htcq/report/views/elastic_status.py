"""Elastic quotas on a pool: the columns of a group in a dimension, and of its quota; CSV.

Amounts are whole numbers in HTCondor's units, those of the dimension ``weight`` thousandths of
slot weight; columns that end in _quota are in slot weight, and the same in every row of a group.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TextIO

from htcq.elastic.quota_target import QuotaTarget
from htcq.elastic.records import PARTS, WEIGHT
from htcq.elastic.status import Status
from htcq.quota.elastic.group_runtime import GroupRuntime
from htcq.report.column import NONE, Column, Value, shown
from htcq.report.formats import csv
from htcq.report.table import Table
from htcq.units import show_amount, show_number


class GroupRow(NamedTuple):
    """One group in one dimension; people see the group's name in the ``first`` row."""

    status: Status
    group: GroupRuntime
    dimension: str
    target: QuotaTarget | None = None
    first: bool = True

    @property
    def quota(self) -> QuotaRow:
        """The quota of the group."""
        return QuotaRow(self.status, self.target)


class QuotaRow(NamedTuple):
    """The quota of one group; no target if HTCondor would have no quota for it."""

    status: Status
    target: QuotaTarget | None

    @property
    def now(self) -> float | None:
        """The quota that is configured."""
        if self.target is None:
            return None
        return self.status.observation.configured.get(self.target.group)

    @property
    def used(self) -> float:
        """The slot weight that the group uses."""
        if self.target is None:
            return 0.0
        return self.status.observation.weights.get(self.target.group, 0.0)


def amount_of(name: str, amount: int) -> str:
    """Return an amount of a dimension as a person reads it."""
    if name == WEIGHT:
        return show_number(amount / PARTS)
    return show_amount(name, amount)


def _amount(name: str, nothing: str = "", wide: bool = False) -> Column[GroupRow]:
    """Return the column of an amount; people see ``nothing`` in place of 0, if it is given."""

    def read(row: GroupRow) -> int:
        return int(getattr(row.group, name)[row.dimension])

    def show(row: GroupRow) -> str:
        amount = read(row)
        if nothing and not amount:
            return nothing
        return amount_of(row.dimension, amount)

    return Column(name, read, name.upper(), show, right=True, wide=wide)


def _min(row: GroupRow) -> str:
    least, scaled = row.group.min[row.dimension], row.group.scaled_min[row.dimension]
    shown = amount_of(row.dimension, least)
    if least == scaled:
        return shown
    return f"{amount_of(row.dimension, scaled)} of {shown}"


def _max(row: GroupRow) -> str:
    cap = row.group.max[row.dimension]
    if cap is None:
        return "unlimited"
    return amount_of(row.dimension, cap)


def _enforcement(row: GroupRow) -> str:
    for each in row.status.enforcement:
        if each.dimension == row.dimension:
            return str(each.how.value)
    return ""


def _of_target(read: Callable[[QuotaTarget], Value]) -> Callable[[QuotaRow], Value]:
    """Return what reads the target of a row; None if it has none."""

    def read_row(row: QuotaRow) -> Value:
        if row.target is None:
            return None
        return read(row.target)

    return read_row


def _part(name: str, read: Callable[[QuotaTarget], float], heading: str) -> Column[QuotaRow]:
    """Return the column of a part of the quota; people see a dash in place of 0."""

    def show(row: QuotaRow) -> str:
        if row.target is None:
            return NONE
        return shown(read(row.target) or None)

    return Column(name, _of_target(read), heading, show, right=True)


def _binding(row: QuotaRow) -> str:
    if row.target is None:
        return NONE
    return shown(row.target.binding or None)


def _group_name(row: GroupRow) -> str:
    if not row.first:
        return ""
    return shown(row.group.name)


_PLACE: tuple[Column[GroupRow], ...] = (
    Column("pool", lambda row: row.status.source),
    Column("taken", lambda row: row.status.taken),
    Column("negotiator", lambda row: row.status.observation.negotiator),
    Column("tree", lambda row: row.status.tree),
    Column("group", lambda row: row.group.name, "GROUP", _group_name),
    Column("parent", lambda row: row.group.parent),
    Column("dimension", lambda row: row.dimension, "OF"),
    Column("enforcement", _enforcement),
)
#: What a group may have and has in one dimension.
GROUPS: tuple[Column[GroupRow], ...] = (
    *_PLACE,
    Column("min", lambda row: row.group.min[row.dimension], "MIN", _min, right=True),
    Column("scaled_min", lambda row: row.group.scaled_min[row.dimension]),
    Column("priority", lambda row: row.group.group.priority),
    Column("max", lambda row: row.group.max[row.dimension], "MAX", _max, right=True, wide=True),
    _amount("request", wide=True),
    _amount("runtime"),
    _amount("used"),
    _amount("lent", NONE, wide=True),
    _amount("borrowed", NONE, wide=True),
    _amount("waiting", NONE),
    _amount("over", NONE, wide=True),
)
_BINDING: Column[QuotaRow] = Column(
    "binding", _of_target(lambda target: target.binding), "BOUND BY", _binding
)
_SURPLUS: Column[QuotaRow] = Column(
    "accept_surplus",
    _of_target(lambda target: target.accept_surplus),
    "SURPLUS",
    wide=True,
)
_AMOUNTS: tuple[Column[QuotaRow], ...] = (
    Column("now_quota", lambda row: row.now, "QUOTA\nNOW", right=True),
    Column("target_quota", _of_target(lambda target: target.quota), "WOULD\nBE", right=True),
    _part("headroom_quota", lambda target: target.headroom, "OF THAT\nHEADROOM"),
)
#: The quotas of groups in tables for people.
QUOTAS: tuple[Column[QuotaRow], ...] = (
    Column("", _of_target(lambda target: target.group), "GROUP"),
    *_AMOUNTS,
    Column("", lambda row: row.used, "USED", right=True),
    _SURPLUS,
    _BINDING,
)


COLUMNS: tuple[Column[GroupRow], ...] = (
    *GROUPS,
    *(column.of(lambda row: row.quota) for column in (_BINDING, *_AMOUNTS, _SURPLUS)),
)


def groups_table(status: Status, title: str) -> Table[GroupRow]:
    """Return the groups in the dimensions that they have a quota of."""
    rows = []
    for group in status.outcome.groups:
        names = (name for name in sorted(group.runtime) if name not in group.implied)
        rows += [
            GroupRow(status, group, name, first=number == 0) for number, name in enumerate(names)
        ]
    return Table(GROUPS, rows, title, repeat=2)


def quotas_table(status: Status, title: str) -> Table[QuotaRow]:
    """Return the quotas that HTCondor would have."""
    return Table(QUOTAS, [QuotaRow(status, target) for target in status.targets], title)


def write_status_csv(looked: Sequence[Status], stream: TextIO) -> None:
    """Write every group of every tree in every dimension; no max is an empty cell."""
    csv.write(COLUMNS, _rows(looked), stream)


def _rows(looked: Sequence[Status]) -> Iterator[GroupRow]:
    for status in looked:
        targets = {target.group: target for target in status.targets}
        for group in status.outcome.groups:
            for name in sorted(group.runtime):
                yield GroupRow(status, group, name, targets.get(group.name))
