"""How elastic quotas stand on a pool, as CSV: a row for each group and dimension.

Amounts are whole numbers in HTCondor's units, those of the dimension ``weight`` thousandths of slot weight; columns
that end in _quota are in slot weight, and the same in every row of a group.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TextIO

from htcq.elastic.status import Status
from htcq.report.formats.csv import Figure, write_table
from htcq.units import plain_number

COLUMNS = (
    "pool", "taken", "negotiator", "tree", "group", "parent", "dimension", "enforcement", "min", "scaled_min", "max",
    "request", "runtime", "used", "lent", "borrowed", "waiting", "over", "binding", "now_quota", "target_quota",
    "headroom_quota", "given_quota", "accept_surplus",
)  # fmt: skip


def write_status_csv(looked: Sequence[Status], stream: TextIO) -> None:
    """Write every group of every tree in every dimension; a max that there is none of is empty."""
    write_table(COLUMNS, (row for status in looked for row in _rows(status)), stream)


def _rows(status: Status) -> Iterator[list[str]]:
    how = {each.dimension: each.how.value for each in status.enforcement}
    seen = status.observation
    first = [status.source, status.taken, seen.negotiator, status.tree]
    quotas = {target.group: target for target in status.targets}
    for group in status.outcome.groups:
        target = quotas.get(group.name)
        last = ["", "", "", "", "", ""]
        if target is not None:
            now = seen.configured.get(target.group)
            numbers = (target.quota, target.headroom, target.given)
            shown = ["" if now is None else _number(now), *map(_number, numbers)]
            last = [target.binding, *shown, "true" if target.accept_surplus else "false"]
        for name in sorted(group.runtime):
            cap = group.max[name]
            amounts = (
                group.request, group.runtime, group.used, group.lent, group.borrowed, group.waiting, group.over,
            )  # fmt: skip
            row = [*first, group.name, group.parent, name, how.get(name, ""), Figure(group.min[name])]
            row += [Figure(group.scaled_min[name]), "" if cap is None else Figure(cap)]
            yield [*row, *(Figure(each[name]) for each in amounts), *last]


def _number(number: float) -> str:
    return Figure(plain_number(number))
