"""One simulated negotiation cycle for people at a terminal, alone or compared with another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple, TextIO

from htcq.pool.pool import Pool
from htcq.poolquota.health import negotiator_works
from htcq.report.charts.bars import bar_legend, use_bar
from htcq.report.charts.spark import shows_blocks
from htcq.report.column import Column, Row
from htcq.report.formats.text import show
from htcq.report.printable import one_line
from htcq.report.table import Table
from htcq.report.terminal import Line, line, show_lines
from htcq.report.views.cycle import (
    GROUPS,
    KIND,
    MATCHES,
    NAME,
    REASON,
    REJECTED,
    STARVED,
    SUBMITTERS,
    SubmitterRow,
    compared_numbers,
    match_rows,
    pool_table,
    submitter_rows,
)
from htcq.simulate.as_version import VersionChange
from htcq.simulate.cycle.outcome import CycleDifference, compare_cycles
from htcq.simulate.cycle.trace import GIVEN_BACK, Crash, GroupUse, SubmitterUse, Trace
from htcq.units import counted, show_number

#: The number of characters in the bar of a group or submitter.
_BAR = 24


class _Limits(NamedTuple):
    """One group in both cycles."""

    before: GroupUse
    after: GroupUse


def show_cycle(
    trace: Trace, pool: Pool, stream: TextIO, every_match: bool = False, wide: bool = False
) -> None:
    """Write who got what, and why the others got nothing.

    ``every_match`` asks for the list of all matches, in the order in which they were made, and
    ``wide`` for all columns on a terminal too.
    """
    blocks = shows_blocks(getattr(stream, "encoding", None))
    title = _title(pool)
    if every_match and trace.matches:
        show(pool_table(trace, MATCHES, match_rows(trace), title), stream, wide)
        print(file=stream)
        title = ""
    if len(trace.groups) > 1:
        _show_groups(trace, title, blocks, stream, wide)
    else:
        _show_submitters_of_pool(trace, title, blocks, stream, wide)
    show_lines(_below(trace, pool), stream)


def _show_groups(trace: Trace, title: str, blocks: bool, stream: TextIO, wide: bool) -> None:
    """Write the groups with their bars, then the submitters."""

    def use_of(use: GroupUse) -> GroupUse:
        return use

    bar = _bar_column("USED OF LIMIT", blocks, use_of, lambda use: use.limit)
    show(pool_table(trace, [*GROUPS, bar], trace.groups, title), stream, wide)
    print(file=stream)
    show(pool_table(trace, [*SUBMITTERS, REJECTED], submitter_rows(trace)), stream, wide)
    show_lines([_quiet(bar_legend("a limit", blocks))], stream)


def _show_submitters_of_pool(
    trace: Trace, title: str, blocks: bool, stream: TextIO, wide: bool
) -> None:
    """Write the submitters of a pool without groups, with their bars."""

    def use_of(row: SubmitterRow) -> SubmitterUse:
        return row.use

    bar = _bar_column("USED OF POOL", blocks, use_of, lambda row: trace.pool_weight)
    columns = [*SUBMITTERS, replace(bar, wide=True), REJECTED]
    show(pool_table(trace, columns, submitter_rows(trace), title), stream, wide)
    show_lines([_quiet(bar_legend("the pool", blocks))], stream)


def _bar_column(
    heading: str,
    blocks: bool,
    use_of: Callable[[Row], GroupUse | SubmitterUse],
    limit_of: Callable[[Row], float | None],
) -> Column[Row]:
    """Return the column that draws usage against a limit."""

    def drawn(row: Row) -> str:
        use = use_of(row)
        bar = use_bar(use.used_before, use.used_after, limit_of(row), _BAR, blocks)
        if not bar:
            return ""
        return f"|{bar}|"

    return Column("", lambda row: None, heading, drawn)


def show_what_if(
    before: Trace,
    after: Trace,
    pool: Pool,
    changes: Sequence[tuple[str, str]],
    stream: TextIO,
    versions: Sequence[VersionChange] = (),
    wide: bool = False,
) -> None:
    """Write what ``changes`` (knobs and their values) do to groups and submitters.

    ``versions`` is what other versions of HTCondor change. ``wide`` asks for all columns on a
    terminal too.
    """
    show_changes(_title(pool), changes, stream, versions)
    rows = [row for row in compare_cycles(before, after) if row.changed]
    if rows:
        columns = [KIND, NAME, *compared_numbers(after.unit), STARVED, REASON]
        show(Table(columns, rows, repeat=2), stream, wide)
        _show_limits(before, after, _group_names(rows), stream, wide)
        explained = [row for row in rows if row.because]
        show_lines([line(f"{row.kind} {row.name}: {row.because}") for row in explained], stream)
    else:
        unchanged = (
            "nothing changes in the next cycle: no submitter gains or loses (--cycles shows later "
            "ones)"
        )
        show_lines([Line(((unchanged, "strong"),))], stream)
    for when, trace in (("before", before), ("after", after)):
        show_lines([Line(((f"{when}, {totals(trace)}", ""),))], stream)
    show_lines(_wrong(after), stream)


def _group_names(rows: Sequence[CycleDifference]) -> set[str]:
    return {row.name for row in rows if row.kind == "group"}


def _show_limits(
    before: Trace, after: Trace, names: Collection[str], stream: TextIO, wide: bool
) -> None:
    """Write bars of the groups of these names, if there are groups at all."""
    if len(after.groups) < 2 or not names:
        return
    blocks = shows_blocks(getattr(stream, "encoding", None))
    earlier = {use.name: use for use in before.groups}
    later = {use.name: use for use in after.groups}
    rows = []
    for name in dict.fromkeys([*earlier, *later]):
        if name in names:
            nothing = GroupUse(name, None, 0.0, 0.0)
            rows.append(_Limits(earlier.get(name, nothing), later.get(name, nothing)))
    print(file=stream)
    show(Table(_limit_columns(blocks), rows, repeat=0), stream, wide)
    show_lines([_quiet(bar_legend("a limit", blocks))], stream)


def _limit_columns(blocks: bool) -> list[Column[_Limits]]:
    bar = _bar_column("USED OF LIMIT\nBEFORE", blocks, _before, lambda row: row.before.limit)
    later_bar = _bar_column("USED OF LIMIT\nAFTER", blocks, _after, lambda row: row.after.limit)
    return [
        Column("", lambda row: row.after.name, "GROUP"),
        Column("", lambda row: row.before.limit, "LIMIT\nBEFORE", right=True),
        Column("", lambda row: row.after.limit, "LIMIT\nAFTER", right=True),
        replace(bar, wide=True),
        later_bar,
    ]


def _before(row: _Limits) -> GroupUse:
    return row.before


def _after(row: _Limits) -> GroupUse:
    return row.after


def show_changes(
    title: str,
    changes: Sequence[tuple[str, str]],
    stream: TextIO,
    versions: Sequence[VersionChange] = (),
) -> None:
    """Write what is different: knobs with their values, and options that make another pool."""
    print(f"{title}, what if", file=stream)
    for knob, value in changes:
        name, shown = one_line(knob), one_line(value)
        if not knob.startswith("--"):
            shown = f"= {shown}"
        print(f"  {name} {shown}".rstrip(), file=stream)
    show_lines([Line(((each.sentence, ""),)) for each in versions], stream)


def _title(pool: Pool) -> str:
    if not pool.taken_at:
        return one_line(pool.source)
    return one_line(f"{pool.source}, taken {pool.taken_at}")


def totals(trace: Trace) -> str:
    """Return how much was matched and rejected."""
    matched = "no free slot could be matched"
    if trace.crash is not None and not trace.crash.job:
        matched = "nothing is matched"
    elif not any(each.idle for each in trace.submitters):
        matched = "no job asks for a slot"
    if trace.matches:
        slots = {match.slot for match in trace.matches}
        cost = show_number(sum(match.cost for match in trace.matches))
        verb = "cost"
        if len(trace.matches) == 1:
            verb = "costs"
        matches = counted(len(trace.matches), "match", "matches")
        matched = f"{matches} on {counted(len(slots), 'slot')} {verb} {cost}"
    rejected = counted(len(trace.rejections), "rejection")
    return f"{matched}, {rejected}; the pool weighs {show_number(trace.pool_weight)}"


def preemptions(trace: Trace) -> Iterator[str]:
    """Yield whose claims are preempted by whom, and what for."""
    claims: Counter[tuple[str, str, str]] = Counter()
    for each in trace.matches:
        if each.by:
            claims[each.submitter, each.preempts, each.by] += len(each.dynamic_slots) or 1
    for (submitter, preempted, by), count in claims.items():
        yield one_line(f"{submitter} preempts {counted(count, 'claim')} of {preempted}, by {by}")


def _below(trace: Trace, pool: Pool) -> Iterator[Line]:
    yield Line()
    # What is simulated is a cycle that comes.
    once = "" if negotiator_works(pool) else "once a negotiator works: "
    yield Line(((f"{once}{totals(trace)}", "strong"),))
    for sentence in preemptions(trace):
        yield line(sentence)
    yield from _wrong(trace)
    for each in pool.incomplete:
        yield line(f"incomplete data: {each}", "warning")


def _wrong(trace: Trace) -> Iterator[Line]:
    for text, style in wrong(trace):
        yield Line(((text, style),))


def wrong(trace: Trace) -> Iterator[tuple[str, str]]:
    """Yield a crash of the negotiator, refused matches and what is not simulated.

    Each is a sentence with the name of its style.
    """
    if trace.crash is not None:
        yield one_line(crash_sentence(trace.crash)), "error"
    for crash in trace.skipped:
        what = f"slot {crash.slot}, at which" if crash.slot else f"job {crash.job}, at which"
        text = f"left out: {what} the negotiator would crash: {crash.message}"
        yield one_line(text), "warning"
    for why, matches in _refused(trace).items():
        by = "refused by the startd"
        if why in GIVEN_BACK:
            by = "given back by the schedd"
        text = f"{by}: {counted(len(matches), 'match', 'matches')}, such as {matches[0]}: {why}"
        yield one_line(text), "warning"
    for sentence in trace.unmodelled:
        yield one_line(f"not modelled: {sentence}"), "warning"


def crash_sentence(crash: Crash) -> str:
    """Return the sentence on a crash of the negotiator."""
    if not crash.job:
        return (
            f"no cycle happens: {crash.message}; the negotiator exits when it reads it, and again "
            "each time that its master starts it"
        )
    place = f"for job {crash.job}"
    if crash.slot:
        place = f"at slot {crash.slot} {place}"
    return f"the negotiator crashes here: {crash.message}, {place}"


def _refused(trace: Trace) -> dict[str, list[str]]:
    """Return jobs and slots of the matches that a startd refuses, by its reason."""
    found: dict[str, list[str]] = {}
    for match in trace.matches:
        if match.refusal:
            pair = f"{match.job or match.request} on {match.slot}"
            found.setdefault(match.refusal, []).append(pair)
    return found


def _quiet(text: str) -> Line:
    return Line(((text, "quiet"),))
