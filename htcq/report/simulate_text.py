"""A simulated negotiation cycle for people at a terminal, alone or beside another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TextIO

from htcq.audit.facts import counted
from htcq.negotiate.cycle.outcome import CycleDifference, Pair, compare_cycles
from htcq.negotiate.cycle.trace import Trace
from htcq.pool.pool import Pool
from htcq.report.printable import one_line
from htcq.report.terminal import Line, show_lines, show_table
from htcq.units import show_number

_NONE = "-"


def show_cycle(trace: Trace, pool: Pool, stream: TextIO, every_match: bool = False) -> None:
    """Write who got what, and why the others did not; ``every_match`` in the order in which it was made, if so."""
    title = _title(pool)
    if every_match and trace.matches:
        heads = ["MATCH", "JOB", "SUBMITTER", "SLOT", _heading("cost", trace.unit)]
        show_table(title, heads, list(_matches(trace)), stream, (0, 4))
        print(file=stream)
        title = ""
    used = [_heading(word, trace.unit) for word in ("used before", "used after", "claimed")]
    if len(trace.groups) > 1:
        show_table(title, ["GROUP", _heading("limit", trace.unit), *used[:2]], list(_groups(trace)), stream, (1, 2, 3))
        print(file=stream)
        title = ""
    heads = ["SUBMITTER", "GROUP", "IDLE\nJOBS", "MATCHES", *used, "REJECTED"]
    show_table(title, heads, list(_submitters(trace)), stream, range(2, 7))
    show_lines(_below(trace, pool), stream)


def _matches(trace: Trace) -> Iterator[list[str]]:
    for number, each in enumerate(trace.matches, 1):
        names = (one_line(name) for name in (each.job, each.submitter, each.slot))
        yield [str(number), *names, show_number(each.cost)]


def _groups(trace: Trace) -> Iterator[list[str]]:
    for each in trace.groups:
        limit = _NONE if each.limit is None else show_number(each.limit)
        yield [one_line(each.name), limit, show_number(each.used_before), show_number(each.used_after)]


def _submitters(trace: Trace) -> Iterator[list[str]]:
    why = _reasons(trace)
    for each in trace.submitters:
        used = (show_number(amount) for amount in (each.used_before, each.used_after, each.standing))
        names = one_line(each.name), one_line(each.group)
        yield [*names, str(each.idle), str(each.matches), *used, why.get(each.name, "")]


def show_what_if(before: Trace, after: Trace, pool: Pool, changes: Sequence[tuple[str, str]], stream: TextIO) -> None:
    """Write what ``changes`` (knobs and their values) do to groups and submitters."""
    show_changes(_title(pool), changes, stream)
    rows = [row for row in compare_cycles(before, after) if row.changed]
    if rows:
        heads = ["", "NAME"]
        for what in ("matches", f"used {after.unit}", "waiting"):
            heads += [f"{what} {when}".upper().replace(" ", "\n") for when in ("before", "after", "difference")]
        show_table("", [*heads, "STARVED", "REJECTED"], [_cells(row) for row in rows], stream, range(2, 11), repeat=2)
        told = [row for row in rows if row.because]
        show_lines([Line(((one_line(f"{row.kind} {row.name}: {row.because}"), ""),)) for row in told], stream)
    else:
        show_lines([Line((("nothing changes: everybody is matched as much as now", "strong"),))], stream)
    for when, trace in (("before", before), ("after", after)):
        show_lines([Line(((f"{when}, {_totals(trace)}", ""),))], stream)
    show_lines(_wrong(after), stream)


def show_changes(title: str, changes: Sequence[tuple[str, str]], stream: TextIO) -> None:
    """Write what is different: knobs with their values, and options that make another pool."""
    print(f"{title}, what if", file=stream)
    for knob, value in changes:
        print(f"  {one_line(knob)} {'' if knob.startswith('--') else '= '}{one_line(value)}", file=stream)


def _cells(row: CycleDifference) -> list[str]:
    why = row.why[1] if row.why[0] == row.why[1] else " -> ".join(each or "none" for each in row.why)
    words = ["yes" if each else "no" for each in row.starved]
    starved = words[1] if words[0] == words[1] else " -> ".join(words)
    numbers = (cell for pair in (row.matches, row.used, row.waiting) for cell in _pair(pair))
    return [row.kind, one_line(row.name), *numbers, starved, one_line(why)]


def _pair(pair: Pair) -> tuple[str, str, str]:
    sign = "+" if pair.difference > 0 else ""
    return show_number(pair.before), show_number(pair.after), f"{sign}{show_number(pair.difference)}"


def _title(pool: Pool) -> str:
    return one_line(f"{pool.source}, taken {pool.taken_at}" if pool.taken_at else pool.source)


def _heading(title: str, unit: str) -> str:
    return "\n".join((*title.upper().split(), *unit.split()))


def _reasons(trace: Trace) -> dict[str, str]:
    """Return how often which reason was given, by submitter."""
    found: dict[str, Counter[str]] = {}
    for each in trace.rejections:
        found.setdefault(each.submitter, Counter())[each.reason] += 1
    return {
        name: one_line("; ".join(reason if count == 1 else f"{reason} ({count}x)" for reason, count in why.items()))
        for name, why in found.items()
    }


def _refused(trace: Trace) -> dict[str, list[str]]:
    """Return jobs and slots of the matches that a startd refuses, by its reason."""
    found: dict[str, list[str]] = {}
    for each in trace.matches:
        if each.refusal:
            found.setdefault(each.refusal, []).append(f"{each.job} on {each.slot}")
    return found


def _totals(trace: Trace) -> str:
    weight = show_number(sum(each.cost for each in trace.matches))
    slots = counted(len({each.slot for each in trace.matches}), "slot")
    matched = f"{counted(len(trace.matches), 'match', 'matches')} of {weight} on {slots}"
    return f"{matched}, {counted(len(trace.rejections), 'rejection')}; the pool weighs {show_number(trace.pool_weight)}"


def _below(trace: Trace, pool: Pool) -> Iterator[Line]:
    yield Line()
    yield Line(((_totals(trace), "strong"),))
    yield from _wrong(trace)
    for each in pool.incomplete:
        yield Line(((one_line(f"read in part: {each}"), "warning"),))


def _wrong(trace: Trace) -> Iterator[Line]:
    if trace.crash is not None:
        crash = trace.crash
        text = f"the negotiator ends here: {crash.message}, at slot {crash.slot} for job {crash.job}"
        yield Line(((one_line(text), "error"),))
    for crash in trace.skipped:
        text = f"left out: slot {crash.slot}, at which the negotiator would end: {crash.message}"
        yield Line(((one_line(text), "warning"),))
    for why, matches in _refused(trace).items():
        text = f"refused by the startd: {counted(len(matches), 'match', 'matches')}, such as {matches[0]}: {why}"
        yield Line(((one_line(text), "warning"),))
    for sentence in trace.unmodelled:
        yield Line(((one_line(f"not modelled: {sentence}"), "warning"),))
