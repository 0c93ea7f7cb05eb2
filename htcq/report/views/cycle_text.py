"""A simulated negotiation cycle for people at a terminal, alone or beside another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import TextIO

from htcq.pool.pool import Pool
from htcq.report.charts.bars import bar_legend, use_bar
from htcq.report.charts.spark import shows_blocks
from htcq.report.printable import one_line
from htcq.report.terminal import Line, line, show_lines, show_table
from htcq.simulate.cycle.outcome import CycleDifference, Pair, compare_cycles
from htcq.simulate.cycle.trace import GIVEN_BACK, GroupUse, SubmitterUse, Trace
from htcq.units import counted, show_number

_NONE = "-"
#: How many characters the bar of a group or submitter has.
_BAR = 24


def show_cycle(trace: Trace, pool: Pool, stream: TextIO, every_match: bool = False) -> None:
    """Write who got what, and why the others did not; ``every_match`` in the order in which it was made, if so."""
    title = _title(pool)
    if every_match and trace.matches:
        heads = ["MATCH", "JOB", "SUBMITTER", "SLOT", _heading("cost", trace.unit)]
        show_table(title, heads, list(_matches(trace)), stream, (0, 4))
        print(file=stream)
        title = ""
    used = [_heading(word, trace.unit) for word in ("used before", "used after", "claimed")]
    blocks, grouped = shows_blocks(getattr(stream, "encoding", None)), len(trace.groups) > 1
    if grouped:
        heads = ["GROUP", _heading("limit", trace.unit), *used[:2], "USED OF LIMIT"]
        show_table(title, heads, list(_groups(trace, blocks)), stream, (1, 2, 3))
        print(file=stream)
        title = ""
    heads = [
        "SUBMITTER",
        "GROUP",
        "IDLE\nJOBS",
        "MATCHES",
        *used,
        *([] if grouped else ["USED OF POOL"]),
        "REJECTED",
    ]
    show_table(title, heads, list(_submitters(trace, grouped, blocks)), stream, range(2, 7))
    show_lines(
        [Line(((bar_legend("a limit" if grouped else "the pool", blocks), "quiet"),))], stream
    )
    show_lines(_below(trace, pool), stream)


def _matches(trace: Trace) -> Iterator[list[str]]:
    for number, each in enumerate(trace.matches, 1):
        names = (one_line(name) for name in (each.job, each.submitter, each.slot))
        yield [str(number), *names, show_number(each.cost)]


def _groups(trace: Trace, blocks: bool) -> Iterator[list[str]]:
    for each in trace.groups:
        limit = _NONE if each.limit is None else show_number(each.limit)
        used = show_number(each.used_before), show_number(each.used_after)
        yield [one_line(each.name), limit, *used, _bar(each, each.limit, blocks)]


def _bar(use: GroupUse | SubmitterUse, limit: float | None, blocks: bool) -> str:
    bar = use_bar(use.used_before, use.used_after, limit, _BAR, blocks)
    return f"|{bar}|" if bar else ""


def _submitters(trace: Trace, grouped: bool, blocks: bool) -> Iterator[list[str]]:
    why = reasons(trace)
    for each in trace.submitters:
        used = (
            show_number(amount) for amount in (each.used_before, each.used_after, each.standing)
        )
        names = one_line(each.name), one_line(each.group)
        bar = [] if grouped else [_bar(each, trace.pool_weight, blocks)]
        yield [*names, str(each.idle), str(each.matches), *used, *bar, why.get(each.name, "")]


def show_what_if(
    before: Trace, after: Trace, pool: Pool, changes: Sequence[tuple[str, str]], stream: TextIO
) -> None:
    """Write what ``changes`` (knobs and their values) do to groups and submitters."""
    show_changes(_title(pool), changes, stream)
    rows = [row for row in compare_cycles(before, after) if row.changed]
    if rows:
        heads = ["", "NAME"]
        for what in ("matches", f"used {after.unit}", "waiting"):
            heads += [
                f"{what} {when}".upper().replace(" ", "\n")
                for when in ("before", "after", "difference")
            ]
        show_table(
            "",
            [*heads, "STARVED", "REJECTED"],
            [_cells(row) for row in rows],
            stream,
            range(2, 11),
            repeat=2,
        )
        _show_limits(before, after, {row.name for row in rows if row.kind == "group"}, stream)
        told = [row for row in rows if row.because]
        show_lines([line(f"{row.kind} {row.name}: {row.because}") for row in told], stream)
    else:
        show_lines(
            [Line((("nothing changes: everybody is matched as much as now", "strong"),))], stream
        )
    for when, trace in (("before", before), ("after", after)):
        show_lines([Line(((f"{when}, {totals(trace)}", ""),))], stream)
    show_lines(_wrong(after), stream)


def _show_limits(before: Trace, after: Trace, names: Collection[str], stream: TextIO) -> None:
    """Write bars of the groups of these names, where there are groups at all."""
    if len(after.groups) < 2 or not names:
        return
    blocks = shows_blocks(getattr(stream, "encoding", None))
    traces = [{each.name: each for each in trace.groups} for trace in (before, after)]
    rows = []
    for name in (name for name in dict.fromkeys([*traces[0], *traces[1]]) if name in names):
        found = [trace.get(name) or GroupUse(name, None, 0.0, 0.0) for trace in traces]
        limits = (_NONE if each.limit is None else show_number(each.limit) for each in found)
        rows.append([one_line(name), *limits, *(_bar(each, each.limit, blocks) for each in found)])
    heads = [
        "GROUP",
        "LIMIT\nBEFORE",
        "LIMIT\nAFTER",
        "USED OF LIMIT\nBEFORE",
        "USED OF LIMIT\nAFTER",
    ]
    print(file=stream)
    show_table("", heads, rows, stream, (1, 2))
    show_lines([Line(((bar_legend("a limit", blocks), "quiet"),))], stream)


def show_changes(title: str, changes: Sequence[tuple[str, str]], stream: TextIO) -> None:
    """Write what is different: knobs with their values, and options that make another pool."""
    print(f"{title}, what if", file=stream)
    for knob, value in changes:
        print(
            f"  {one_line(knob)} {'' if knob.startswith('--') else '= '}{one_line(value)}".rstrip(),
            file=stream,
        )


def _cells(row: CycleDifference) -> list[str]:
    why = (
        row.why[1] if row.why[0] == row.why[1] else " -> ".join(each or "none" for each in row.why)
    )
    words = ["yes" if each else "no" for each in row.starved]
    starved = words[1] if words[0] == words[1] else " -> ".join(words)
    numbers = (cell for pair in (row.matches, row.used, row.waiting) for cell in _pair(pair))
    return [row.kind, one_line(row.name), *numbers, starved, one_line(why)]


def _pair(pair: Pair) -> tuple[str, str, str]:
    sign = "+" if pair.difference > 0 else ""
    return (
        show_number(pair.before),
        show_number(pair.after),
        f"{sign}{show_number(pair.difference)}",
    )


def _title(pool: Pool) -> str:
    return one_line(f"{pool.source}, taken {pool.taken_at}" if pool.taken_at else pool.source)


def _heading(title: str, unit: str) -> str:
    return "\n".join((*title.upper().split(), *unit.split()))


def reasons(trace: Trace) -> dict[str, str]:
    """Return how often which reason was given, by submitter."""
    found: dict[str, Counter[str]] = {}
    for each in trace.rejections:
        found.setdefault(each.submitter, Counter())[each.reason] += 1
    return {
        name: one_line(
            "; ".join(
                reason if count == 1 else f"{reason} ({count}x)" for reason, count in why.items()
            )
        )
        for name, why in found.items()
    }


def _refused(trace: Trace) -> dict[str, list[str]]:
    """Return jobs and slots of the matches that a startd refuses, by its reason."""
    found: dict[str, list[str]] = {}
    for each in trace.matches:
        if each.refusal:
            found.setdefault(each.refusal, []).append(f"{each.job or each.request} on {each.slot}")
    return found


def totals(trace: Trace) -> str:
    """Return how much was matched and rejected."""
    matched = "no free slot could be matched"
    if trace.matches:
        slots = counted(len({each.slot for each in trace.matches}), "slot")
        cost = show_number(sum(each.cost for each in trace.matches))
        verb = "costs" if len(trace.matches) == 1 else "cost"
        matched = f"{counted(len(trace.matches), 'match', 'matches')} on {slots} {verb} {cost}"
    return (
        f"{matched}, {counted(len(trace.rejections), 'rejection')}; the pool weighs "
        f"{show_number(trace.pool_weight)}"
    )


def _below(trace: Trace, pool: Pool) -> Iterator[Line]:
    yield Line()
    yield Line(((totals(trace), "strong"),))
    yield from _wrong(trace)
    for each in pool.incomplete:
        yield line(f"incomplete data: {each}", "warning")


def _wrong(trace: Trace) -> Iterator[Line]:
    for text, style in wrong(trace):
        yield Line(((text, style),))


def wrong(trace: Trace) -> Iterator[tuple[str, str]]:
    """Yield a crash of the negotiator, what is refused and what is not modelled, each with the name of its style."""
    if trace.crash is not None:
        crash = trace.crash
        text = (
            f"the negotiator crashes here: {crash.message}, at slot {crash.slot} for job "
            f"{crash.job}"
        )
        yield one_line(text), "error"
    for crash in trace.skipped:
        yield (
            one_line(
                f"left out: slot {crash.slot}, at which the negotiator would crash: {crash.message}"
            ),
            "warning",
        )
    for why, matches in _refused(trace).items():
        by = "given back by the schedd" if why in GIVEN_BACK else "refused by the startd"
        text = f"{by}: {counted(len(matches), 'match', 'matches')}, such as {matches[0]}: {why}"
        yield one_line(text), "warning"
    for sentence in trace.unmodelled:
        yield one_line(f"not modelled: {sentence}"), "warning"
