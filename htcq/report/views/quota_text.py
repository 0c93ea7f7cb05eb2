"""Group quotas for people: a table or a tree, the effects of a change, and one group's story."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TextIO

from htcq.poolquota.comparison import GroupDifference, compare
from htcq.poolquota.explanation.group import group_named, story
from htcq.poolquota.explanation.sections import Sentence
from htcq.poolquota.group_status import GroupStatus
from htcq.poolquota.report import PoolQuotaReport
from htcq.report.column import Column
from htcq.report.formats.text import show
from htcq.report.printable import one_line
from htcq.report.table import Table
from htcq.report.terminal import Line, line, show_lines
from htcq.report.views.quota import COLUMNS, COMPARED, MARK, SHARE, GroupRow, quota_table
from htcq.report.views.quota_sentences import (
    fate,
    marked,
    not_offered,
    other_weight,
    oversubscribed,
    own_name,
    short_of,
    totals,
    units,
    wrong,
)

#: The branches of a tree: to a group that is not the last below its parent, to the last one; beside
#: the children of the former, and of the latter.
_BOXES, _ASCII = ("├─ ", "└─ ", "│  ", "   "), ("|- ", "`- ", "|  ", "   ")
_WARNING, _QUIET = "warning", "quiet"


#: What a change does to a group.
_DIFFERENCES: tuple[Column[GroupDifference], ...] = (
    Column("", lambda row: row.name, "GROUP", most=24),
    *COMPARED,
    Column("", fate, headless=True),
)


def show_quota(
    look: PoolQuotaReport, stream: TextIO, tree: bool = False, wide: bool = False
) -> None:
    """Write the groups as a table or a ``tree``, what its numbers mean, and what is wrong.

    ``wide`` asks for all columns on a terminal too.
    """
    columns: Sequence[Column[GroupRow]] = COLUMNS
    if tree:
        columns = _tree_columns(look, stream)
    show(quota_table(look, columns, _title(look)), stream, wide)
    show_lines(_below(look), stream)


def _tree_columns(look: PoolQuotaReport, stream: TextIO) -> list[Column[GroupRow]]:
    """Return the columns, with the branches of the tree in place of the names of parents."""
    names = dict(zip((each.name for each in look.standings), _drawn(look.standings, stream)))
    drawn: Column[GroupRow] = Column(
        "", lambda row: None, "GROUP", lambda row: names[row.group.name]
    )
    replaced = {"GROUP": drawn}
    return [replaced.get(column.heading, column) for column in COLUMNS]


def _title(look: PoolQuotaReport) -> str:
    parts = [look.source]
    if look.negotiator:
        parts.append(f"negotiator {look.negotiator}")
    if look.taken:
        parts.append(f"taken {look.taken}")
    return one_line(", ".join(parts))


def _drawn(standings: Sequence[GroupStatus], stream: TextIO) -> list[str]:
    """Return the last part of each group's name behind the branches that lead to it."""
    fork, corner, beside, nothing = _branches(stream)
    last = {standing.group.parent: standing.name for standing in standings}
    names, trail = [], [""]
    for standing in standings:
        left = trail[standing.depth]
        del trail[standing.depth + 1 :]
        if not standing.depth:
            branch, below = "", ""
        elif standing.name == last[standing.group.parent]:
            branch, below = corner, nothing
        else:
            branch, below = fork, beside
        names.append(f"{left}{branch}{one_line(own_name(standing))}")
        trail.append(f"{left}{below}")
    return names


def _branches(stream: TextIO) -> tuple[str, str, str, str]:
    try:
        "".join(_BOXES).encode(stream.encoding or "ascii")
    except (LookupError, UnicodeEncodeError):
        return _ASCII
    return _BOXES


def _below(look: PoolQuotaReport) -> Iterator[Line]:
    yield Line()
    yield line(totals(look), "strong")
    if not look.grouped:
        yield line("there are no groups and no quotas: submitters share the pool by priority")
    for sentence in (oversubscribed(look), other_weight(look)):
        if sentence:
            yield line(sentence, _WARNING)
    for sentence in short_of(look):
        yield line(sentence, _WARNING)
    for standing in look.standings:
        for mark in standing.marks:
            yield line(f"{MARK} {marked(standing, mark)}", _WARNING)
    for each in look.kept_back:
        yield line(not_offered(each), _WARNING)
    yield from _wrong(look)
    for unit in units(look):
        yield line(unit, _QUIET)


def _wrong(look: PoolQuotaReport) -> Iterator[Line]:
    for problem in look.problems:
        style = _WARNING
        if problem.fatal:
            style = "error"
        yield line(f"configuration: {wrong(problem)}", style)
    for doubt in look.doubts:
        yield line(f"doubt: {doubt}", _WARNING)
    for each in look.incomplete:
        yield line(f"incomplete data: {each}", _WARNING)


def show_comparison(
    before: PoolQuotaReport,
    after: PoolQuotaReport,
    changes: Sequence[tuple[str, str]],
    stream: TextIO,
    everything: bool = False,
    wide: bool = False,
) -> None:
    """Write what ``changes`` (knobs and their values) do to groups.

    Groups that stay as they are are left out, unless ``everything`` is asked for. ``wide`` asks for
    all columns on a terminal too.
    """
    rows = compare(before, after)
    shown = [row for row in rows if row.changed or everything]
    print(f"{_title(before)}, if the central manager had", file=stream)
    for knob, value in changes:
        print(f"  {one_line(knob)} = {one_line(value)}", file=stream)
    show_lines(_told(before, after, rows), stream)
    if shown:
        show(Table(_DIFFERENCES, shown, units={SHARE: after.unit}), stream, wide)
    if shown and len(shown) < len(rows):
        same = len(rows) - len(shown)
        print(f"{same} of {len(rows)} groups stay as they are; --all shows them", file=stream)
    show_lines(_wrong(after), stream)


def _told(
    before: PoolQuotaReport, after: PoolQuotaReport, rows: Sequence[GroupDifference]
) -> Iterator[Line]:
    if not any(row.changed for row in rows):
        text = "every group has the quota, the allocation and the limit that it has now"
        yield line(f"nothing changes: {text}", "strong")
    yield line(f"before, {totals(before)}")
    yield line(f"after, {totals(after)}")
    if oversubscribed(after):
        yield line(f"after, {oversubscribed(after)}", _WARNING)


def show_why(look: PoolQuotaReport, name: str, stream: TextIO) -> None:
    """Write why the group ``name`` gets what it gets.

    Raises:
        InputError: there is no such group; the hint has the near names.
    """
    show_lines(_story(look, group_named(look, name).name, story(look, name)), stream)


def _story(look: PoolQuotaReport, name: str, sentences: tuple[Sentence, ...]) -> Iterator[Line]:
    yield line(f"{name} in {look.source}", "strong")
    topic = ""
    for sentence in sentences:
        if sentence.topic != topic:
            topic = sentence.topic
            yield Line(((topic, "strong"),), indent=2)
        yield Line(((f"{one_line(sentence.text)}.", ""),), indent=4)
    yield line(totals(look), "quiet")
    if oversubscribed(look):
        yield line(oversubscribed(look), "warning")
