"""The balance of a pool on one screen: the sentence, capacity, demand, groups, and what to do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TextIO

from htcq.balance.amounts import Amounts
from htcq.balance.balance import Balance
from htcq.balance.causes import FRAGMENTED, START_REFUSES, STRANDED
from htcq.balance.demand import Reason
from htcq.balance.groups import GroupBalance
from htcq.balance.standing import CauseAmount, as_split
from htcq.pool.pool import Pool
from htcq.pool.slot_causes import ASSET_MISSING
from htcq.pool.slot_state import START_FALSE
from htcq.poolquota.ailment import Ailment
from htcq.report.column import NONE, Column
from htcq.report.formats.text import show
from htcq.report.printable import one_line
from htcq.report.table import Table
from htcq.report.terminal import line, show_lines
from htcq.report.views.held import held_lines
from htcq.report.views.holders import holders_text
from htcq.report.views.nowhere import nowhere_cures
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
from htcq.units import MEMORY, PER_GIB, amount_name, counted, show_number
from htcq.why.match_failure import START

#: The most rows of each table, and lines of each list: all of it fits on one screen.
_CAUSES, _REASONS, _GROUPS, _LISTED = 14, 10, 8, 3
#: In GiB; only a damaged ad has more.
_NO_MEMORY = 1e12
#: The longest bar, in letters.
_BAR = 24
_TOTAL = "total"
#: Causes that say little without the asset.
_OF_ASSETS = (STRANDED, FRAGMENTED, ASSET_MISSING)
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
        if balance.demand.jobs:
            show(_demand(balance, wide), stream, wide)
        else:
            show_lines([line("no idle jobs")], stream)
        show_lines(map(line, balance.once_a_negotiator_works), stream)
        show_lines(map(line, held_lines(balance.held)), stream)
    if balance.below:
        print(file=stream)
        show(_below(balance, wide), stream, wide)
    if balance.unmet:
        print(file=stream)
        show_lines(unmet_lines(balance.unmet, wide), stream)
    print(file=stream)
    show_lines(map(line, _todo(balance, health, wide)), stream)


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


def _memory(amounts: Amounts) -> str:
    """Return the memory in GiB; what no machine has with few digits, for the width of a line."""
    gib = amounts.memory_mb / PER_GIB[MEMORY]
    return f"{gib:,.0f} GiB" if abs(gib) < _NO_MEMORY else f"{gib:.3g} GiB"


def _bar(row: _Row) -> str:
    filled = round(max(0.0, min(1.0, _share(row))) * _BAR)
    return "#" * filled + "." * (_BAR - filled)


_COLUMNS: tuple[Column[_Row], ...] = (
    Column("", lambda row: row.cause, "CAUSE"),
    Column("", lambda row: show_number(row.amounts.weight), "WEIGHT", right=True),
    Column("", lambda row: f"{100 * _share(row):.0f} %", "SHARE", right=True),
    Column("", lambda row: show_number(row.amounts.cpus), "CORES", right=True),
    Column("", lambda row: _memory(row.amounts), "MEMORY", right=True),
    Column("", lambda row: show_number(row.amounts.gpus), "GPUS", right=True),
    Column("", lambda row: _slots(row), "SLOTS", right=True, wide=True),
    Column("", _bar, "OF THE POOL"),
    Column("", lambda row: one_line(row.told), "", wide=True),
)


def _capacity(balance: Balance, wide: bool) -> Table[_Row]:
    total, by = as_split(balance.total, balance.by)
    rows = [_row(each, total, balance.now) for each in by]
    rows.sort(key=lambda row: -abs(float(row.amounts.weight)))
    if not wide and len(rows) > _CAUSES:
        rest = rows[_CAUSES - 1 :]
        rows = [*rows[: _CAUSES - 1], _together(rest, total)]
    rows.append(_Row(_TOTAL, total, 0, "", total))
    title = f"capacity by cause, in {balance.unit}"
    if total != balance.total:
        title += f" (the slots weigh {show_number(balance.total.weight)} while they are unused)"
    return Table(_COLUMNS, rows, title)


def _slots(row: _Row) -> str:
    """Return how many slots have a part of a cause; one slot may have parts of several."""
    return "" if row.cause == _TOTAL else str(row.slots)


def _row(each: CauseAmount, total: Amounts, now: float | None) -> _Row:
    cause = each.cause
    if cause in _OF_ASSETS and each.details:
        # What is used up, in most of the weight.
        more = ", ..." if len(each.details) > 1 else ""
        assets = ", ".join(map(amount_name, each.details[0][0].split(", ")))
        cause += f" ({'no ' if cause == STRANDED else ''}{assets}{more})"
    return _Row(one_line(cause), each.amounts, each.slots, told(each, now), total)


def _together(rows: Sequence[_Row], total: Amounts) -> _Row:
    sums = Amounts()
    for row in rows:
        sums = sums.plus(row.amounts)
    return _Row(f"{len(rows)} more causes", sums, sum(row.slots for row in rows), "", total)


def _kind_table(name: str, total: Amounts, by: Sequence[CauseAmount]) -> Table[_Row]:
    total, by = as_split(total, by)
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
    # What schedds weigh jobs is not what the slots weigh that the jobs use.
    every = f"{counted(demand.jobs, 'idle job')} of schedd slot weight {show_number(demand.weight)}"
    title = f"{every} by reason"
    return Table(_DEMAND, rows, title)


_BELOW: tuple[Column[GroupBalance], ...] = (
    Column("", lambda each: each.name, "GROUP"),
    Column("", lambda each: show_number(each.usage_next), "USES", right=True),
    Column("", lambda each: show_number(each.due), "DUE", right=True),
    Column("", lambda each: show_number(each.below), "BELOW", right=True),
    Column("", lambda each: holders_text(each.held_by), "HELD BY"),
)


def _below(balance: Balance, wide: bool) -> Table[GroupBalance]:
    rows = balance.below if wide else balance.below[:_GROUPS]
    title = "groups that use less than they are due (the lesser of quota and demand)"
    more = len(balance.below) - len(rows)
    if more:
        title += f", and {more} more"
    holders = {holders_text(each.held_by) for each in rows}
    if len(rows) > 1 and len(holders) == 1:
        # One cause that holds from all is named once.
        return Table(_BELOW[:-1], rows, f"{title}; held by {holders.pop()}")
    return Table(_BELOW, rows, title)


def _todo(balance: Balance, health: Sequence[Ailment], wide: bool) -> Iterator[str]:
    nowhere = None if balance.demand is None else balance.demand.nowhere
    causes = () if nowhere is None else nowhere.causes
    of_start = {START_REFUSES, START_FALSE} & {each.cause for each in balance.todo}
    # What START alone refuses has its cure below, with what would start.
    if not (of_start and [each.reason for each in causes] == [START]):
        yield from nowhere_cures(causes)
    if balance.todo:
        yield "to do, by the weight of the jobs that would start:"
    elif balance.below:
        group = one_line(balance.below[0].name)
        yield f"to do for {group}: 'htcq why {group}' says what keeps it from its quota"
    elif nowhere is None and (balance.unknown or health):
        yield "nothing to do as far as is known"
    elif nowhere is None:
        yield "nothing to do: no cause that somebody must lift keeps capacity from waiting jobs"
    steps = []
    for number, each in enumerate(balance.todo, 1):
        gain = gain_text(each)
        steps.append(f"{number}. {each.cause}: {each.cure}" + (f" ({gain})" if gain else ""))
    yield from _some(steps, wide)
