"""Group quotas for people at a terminal: a table or a tree, what a change would make of it, and one group's story."""

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
from htcq.report.terminal import Line, line, show_lines, show_table
from htcq.report.views.quota import COLUMNS, MARK, GroupRow, quota_table
from htcq.report.views.quota_sentences import (
    difference,
    marked,
    not_offered,
    other_weight,
    oversubscribed,
    own_name,
    shown_or_none,
    totals,
    units,
    wrong,
)

#: What a tree is drawn with: below one that has more below its parent, below the last; beside the
#: latter's children.
_BOXES, _ASCII = ("├─ ", "└─ ", "│  ", "   "), ("|- ", "`- ", "|  ", "   ")
_WARNING, _QUIET = "warning", "quiet"


def show_quota(look: PoolQuotaReport, stream: TextIO, tree: bool = False) -> None:
    """Write the groups as a table, drawn as a ``tree`` if so, then what its numbers mean and what is wrong."""
    columns = _tree_columns(look, stream) if tree else COLUMNS
    show(quota_table(look, columns, _title(look)), stream)
    show_lines(_below(look), stream)


def _tree_columns(look: PoolQuotaReport, stream: TextIO) -> list[Column[GroupRow]]:
    """Return the columns, in which the last part of a group's name stands behind the branches that lead to it."""
    names = dict(zip((each.name for each in look.standings), _drawn(look.standings, stream)))
    drawn: Column[GroupRow] = Column(
        "", lambda row: None, "GROUP", lambda row: names[row.group.name]
    )
    return [drawn if column.heading == "GROUP" else column for column in COLUMNS]


def _title(look: PoolQuotaReport) -> str:
    negotiator = f", negotiator {look.negotiator}" if look.negotiator else ""
    taken = f", taken {look.taken}" if look.taken else ""
    return one_line(f"{look.source}{negotiator}{taken}")


def _heading(title: str, unit: str) -> str:
    return "\n".join((*title.upper().split(), *unit.split()))


def _drawn(standings: Sequence[GroupStatus], stream: TextIO) -> list[str]:
    """Return the last part of each group's name behind the branches that lead to it."""
    fork, corner, beside, nothing = _branches(stream)
    last = {standing.group.parent: standing.name for standing in standings}
    names, trail = [], [""]
    for standing in standings:
        end, left = standing.name == last[standing.group.parent], trail[standing.depth]
        del trail[standing.depth + 1 :]
        if standing.depth:
            names.append(left + (corner if end else fork) + one_line(own_name(standing)))
            trail.append(left + (nothing if end else beside))
        else:
            names.append(one_line(own_name(standing)))
            trail.append("")
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
        yield line(
            "there is no group: the negotiator knows no quotas, submitters share the pool by "
            "their priority"
        )
    for sentence in (oversubscribed(look), other_weight(look)):
        if sentence:
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
        yield line(f"configuration: {wrong(problem)}", "error" if problem.fatal else _WARNING)
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
) -> None:
    """Write what ``changes`` (knobs and their values) do to the groups that differ, or to ``everything``."""
    rows = compare(before, after)
    shown = [row for row in rows if row.changed or everything]
    print(f"{_title(before)}, if the central manager had", file=stream)
    for knob, value in changes:
        print(f"  {one_line(knob)} = {one_line(value)}", file=stream)
    show_lines(_told(before, after, rows), stream)
    if shown:
        heads = ["GROUP"]
        for title, unit in (
            ("effective", after.unit),
            ("allocated", after.unit),
            ("limit", after.unit),
        ):
            heads += [
                _heading(f"{title} {when}", unit) for when in ("before", "after", "difference")
            ]
        cells = [
            [one_line(row.name), *_cells(row), "" if row.fate == "stays" else row.fate]
            for row in shown
        ]
        show_table("", [*heads, ""], cells, stream, range(1, len(heads)), repeat=1)
    if shown and len(shown) < len(rows):
        print(
            f"{len(rows) - len(shown)} of {len(rows)} groups stay as they are; --all shows them",
            file=stream,
        )
    show_lines(_wrong(after), stream)


def _told(
    before: PoolQuotaReport, after: PoolQuotaReport, rows: Sequence[GroupDifference]
) -> Iterator[Line]:
    if not any(row.changed for row in rows):
        yield line(
            (
                "nothing changes: every group has the quota, the allocation and the limit that it "
                "has now"
            ),
            "strong",
        )
    yield line(f"before, {totals(before)}")
    yield line(f"after, {totals(after)}")
    if oversubscribed(after):
        yield line(f"after, {oversubscribed(after)}", _WARNING)


def _cells(row: GroupDifference) -> Iterator[str]:
    for one in (row.effective, row.allocated, row.limit):
        yield from (shown_or_none(one.before), shown_or_none(one.after), difference(one))


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
