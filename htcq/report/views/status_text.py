"""The balance of a pool on one screen: the sentence, capacity, demand, groups, and what to do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TextIO

from htcq.balance.amounts import Amounts
from htcq.balance.balance import Balance
from htcq.balance.demand import Reason
from htcq.balance.groups import GroupBalance
from htcq.balance.standing import CauseAmount
from htcq.pool.pool import Pool
from htcq.poolquota.ailment import Ailment
from htcq.report.column import NONE, Column
from htcq.report.formats.text import show
from htcq.report.printable import one_line
from htcq.report.table import Table
from htcq.report.terminal import line, show_lines
from htcq.report.views.holders import holders_text
from htcq.report.views.status import (
    FINDINGS,
    SOUND,
    gain_text,
    headline,
    told,
    verdict_word,
)
from htcq.report.views.unmet import unmet_lines
from htcq.simulate.unmodelled import unmodelled
from htcq.units import MEMORY, PER_GIB, counted, show_number

#: The most rows of each table, and lines of each list: all of it fits on one screen.
_CAUSES, _REASONS, _GROUPS, _LISTED = 14, 10, 8, 3
#: The longest bar, in letters.
_BAR = 24
_TOTAL = "total"
_STYLES = {SOUND: "good", FINDINGS: "error"}


class _Row(NamedTuple):
    """One cause, or several small ones together, with the pool's weight."""

    cause: str
    amounts: Amounts
    slots: int
    told: str
    whole: Amounts


def show_status(
    balance: Balance, pool: Pool, health: Sequence[Ailment], stream: TextIO, wide: bool = False
) -> None:
    """Write everything; ``wide`` adds the kinds of node, and all rows."""
    word = verdict_word(balance, health)
    show_lines([line(f"{word}: {headline(balance)}", _STYLES.get(word, "warning"))], stream)
    unknown = [*balance.unknown, *(f"not modelled: {each}" for each in unmodelled(pool))]
    show_lines((line(text, "warning") for text in _some(unknown, wide)), stream)
    print(file=stream)
    show(_capacity(balance, wide), stream, wide)
    if wide:
        for kind in balance.kinds:
            print(file=stream)
            show(_kind_table(kind.name, kind.total, kind.by), stream, wide)
    if balance.demand is not None:
        print(file=stream)
        show(_demand(balance, wide), stream, wide)
    if balance.below:
        print(file=stream)
        show(_below(balance, wide), stream, wide)
    if balance.unmet:
        print(file=stream)
        show_lines(unmet_lines(balance.unmet, wide), stream)
    print(file=stream)
    show_lines(map(line, _todo(balance)), stream)


def _some(texts: Sequence[str], wide: bool) -> list[str]:
    if wide or len(texts) <= _LISTED:
        return list(texts)
    return [*texts[:_LISTED], f"and {len(texts) - _LISTED} more; --wide lists all"]


# Capacity
# --------------------------------------------------------------------------------------------------


def _share(row: _Row) -> float:
    """Return the share of the weight, or of the cores where the pool weighs nothing."""
    if row.whole.weight > 0:
        return float(row.amounts.weight) / float(row.whole.weight)
    return float(row.amounts.cpus) / float(row.whole.cpus) if row.whole.cpus else 0.0


def _bar(row: _Row) -> str:
    filled = round(max(0.0, min(1.0, _share(row))) * _BAR)
    return "#" * filled + "." * (_BAR - filled)


_COLUMNS: tuple[Column[_Row], ...] = (
    Column("", lambda row: row.cause, "CAUSE"),
    Column("", lambda row: show_number(row.amounts.weight), "WEIGHT", right=True),
    Column("", lambda row: f"{100 * _share(row):.0f} %", "SHARE", right=True),
    Column("", lambda row: show_number(row.amounts.cpus), "CORES", right=True),
    Column(
        "", lambda row: f"{row.amounts.memory_mb / PER_GIB[MEMORY]:,.0f} GiB", "MEMORY", right=True
    ),
    Column("", lambda row: show_number(row.amounts.gpus), "GPUS", right=True),
    Column("", lambda row: _slots(row), "SLOTS", right=True, wide=True),
    Column("", _bar, "OF THE POOL"),
    Column("", lambda row: one_line(row.told), "", wide=True),
)


def _capacity(balance: Balance, wide: bool) -> Table[_Row]:
    rows = [_row(each, balance.total, balance.now) for each in balance.by]
    rows.sort(key=lambda row: -abs(float(row.amounts.weight)))
    if not wide and len(rows) > _CAUSES:
        rest = rows[_CAUSES - 1 :]
        rows = [*rows[: _CAUSES - 1], _together(rest, balance.total)]
    rows.append(_Row(_TOTAL, balance.total, 0, "", balance.total))
    return Table(_COLUMNS, rows, f"capacity by cause, in {balance.unit}")


def _slots(row: _Row) -> str:
    """Return how many slots have a part of a cause; one slot may have parts of several."""
    return "" if row.cause == _TOTAL else str(row.slots)


def _row(each: CauseAmount, total: Amounts, now: float | None) -> _Row:
    return _Row(each.cause, each.amounts, each.slots, told(each, now), total)


def _together(rows: Sequence[_Row], total: Amounts) -> _Row:
    sums = Amounts()
    for row in rows:
        sums = sums.plus(row.amounts)
    return _Row(f"{len(rows)} more causes", sums, sum(row.slots for row in rows), "", total)


def _kind_table(name: str, total: Amounts, by: Sequence[CauseAmount]) -> Table[_Row]:
    rows = [_row(each, total, None) for each in by]
    return Table(_COLUMNS, rows, f"capacity of {one_line(name)}")


# Demand, groups, what to do
# --------------------------------------------------------------------------------------------------

_DEMAND: tuple[Column[Reason], ...] = (
    Column("", lambda each: str(each.jobs), "JOBS", right=True),
    Column("", lambda each: show_number(each.weight), "WEIGHT", right=True),
    Column("", lambda each: each.reason, "REASON"),
    Column("", lambda each: one_line(each.such_as), "SUCH AS"),
    Column("", lambda each: one_line(each.text)[:100], "", wide=True),
)


def _demand(balance: Balance, wide: bool) -> Table[Reason]:
    assert balance.demand is not None
    demand = balance.demand
    rows = list(demand.by)
    if not wide and len(rows) > _REASONS:
        rest = rows[_REASONS - 1 :]
        jobs, weight = sum(each.jobs for each in rest), sum(each.weight for each in rest)
        more = Reason(f"{len(rest)} more reasons", jobs, weight, NONE, "", {})
        rows = [*rows[: _REASONS - 1], more]
    title = f"{counted(demand.jobs, 'idle job')} of weight {show_number(demand.weight)} by reason"
    return Table(_DEMAND, rows, title)


_BELOW: tuple[Column[GroupBalance], ...] = (
    Column("", lambda each: each.name, "GROUP"),
    Column("", lambda each: show_number(each.usage_next), "HAS", right=True),
    Column("", lambda each: show_number(each.due), "DUE", right=True),
    Column("", lambda each: show_number(each.below), "BELOW", right=True),
    Column("", lambda each: holders_text(each.held_by), "HELD BY"),
)


def _below(balance: Balance, wide: bool) -> Table[GroupBalance]:
    rows = balance.below if wide else balance.below[:_GROUPS]
    title = "groups that have less than the lesser of quota and demand"
    more = len(balance.below) - len(rows)
    if more:
        title += f", and {more} more"
    return Table(_BELOW, rows, title)


def _todo(balance: Balance) -> Iterator[str]:
    nowhere = None if balance.demand is None else balance.demand.nowhere
    if nowhere is not None:
        jobs = counted(nowhere.jobs, "job")
        yield f"to do for {jobs} that no slot suits, such as {nowhere.example}: {nowhere.cure}"
    if balance.todo:
        yield "to do, by the weight of the jobs that would start:"
    elif nowhere is None:
        yield "nothing to do: no cause that somebody must lift keeps capacity from waiting jobs"
    for number, each in enumerate(balance.todo[:_LISTED], 1):
        yield f"{number}. {each.cause}: {each.cure} ({gain_text(each.gain)})"
