"""One simulated cycle as one HTML page that needs nothing else, alone or beside that of another pool."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, Union

from htcq.pool.pool import Pool
from htcq.report.charts.svg import group_bar
from htcq.report.formats.html import page
from htcq.report.printable import one_line
from htcq.report.sections import MAX_ROWS, Part, headed, machines_section, section, sentence, table
from htcq.report.views.cycle_text import reasons, totals, wrong
from htcq.simulate.course.machines import Machine
from htcq.simulate.course.single import Single
from htcq.simulate.cycle.outcome import CycleDifference, Pair, compare_cycles
from htcq.simulate.cycle.trace import GroupUse, Match, SubmitterUse, Trace
from htcq.units import show_number

_NONE = "-"
_ALL = "--json has all of them"
_Use = Union[GroupUse, SubmitterUse]


class Shown(NamedTuple):
    """A cycle and what it is called beside another; empty where it is alone."""

    when: str
    single: Single


def cycle_page(
    before: Single, after: Single | None, pool: Pool, changes: Sequence[tuple[str, str]] = ()
) -> str:
    """Return the page of ``before``, beside ``after`` if that is given: what ``changes`` make of it.

    Raises:
        TemplateError: its template cannot be rendered.
    """
    shown = (
        [Shown("", before)] if after is None else [Shown("before", before), Shown("after", after)]
    )
    last = shown[-1].single.trace
    rows = (
        []
        if after is None
        else [row for row in compare_cycles(before.trace, after.trace) if row.changed]
    )
    values = {
        **headed("One cycle", pool, changes),
        "facts": [f"Usage is in {last.unit}."],
        "summary": [sentence(each.when, totals(each.single.trace)) for each in shown],
        "because": [
            one_line(f"{row.kind} {row.name}: {row.because}") for row in rows if row.because
        ],
        "warnings": [
            *(text for text, _ in wrong(last)),
            *(f"incomplete data: {one_line(each)}" for each in pool.incomplete),
        ],
        "sections": list(_sections(shown, rows)),
    }
    return page("simulate", values)


def _sections(shown: Sequence[Shown], rows: Sequence[CycleDifference]) -> Iterator[Part]:
    if len(shown) > 1:
        yield _differences(rows)
    last = shown[-1].single.trace
    if len(last.groups) > 1:
        limits = [{each.name: each.limit for each in one.single.trace.groups} for one in shown]
        note = (
            "What a group may use in its first turn, and what it uses; groups below one parent "
            "are of one scale."
        )
        yield _uses(
            "groups", "Groups", note, shown, [one.single.trace.groups for one in shown], limits
        )
    else:
        limits = [
            {each.name: one.single.trace.pool_weight for each in one.single.trace.submitters}
            for one in shown
        ]
        note = "What each submitter uses of the pool."
        yield _uses(
            "use", "Usage", note, shown, [one.single.trace.submitters for one in shown], limits
        )
    yield section("submitters", "Submitters", tables=[_submitters(each) for each in shown])
    yield _machines(shown)
    yield section(
        "matches", "Matches and rejections",
        tables=[part for each in shown for part in (_rejections(each), _matches(each))],
    )  # fmt: skip


def _differences(rows: Sequence[CycleDifference]) -> Part:
    if not rows:
        return section(
            "differences", "What changes", "Nothing: everybody is matched as much as now."
        )
    heads = [("name", False), ("", False)]
    for what in ("matches", "used", "waiting"):
        heads += [(f"{what} {when}", True) for when in ("before", "after", "difference")]
    cells = [
        [one_line(row.name), row.kind, *_pair(row.matches), *_pair(row.used), *_pair(row.waiting)]
        for row in rows
    ]
    return section(
        "differences",
        "What changes",
        tables=[table("Groups and submitters that differ", heads, cells)],
    )


def _pair(pair: Pair) -> tuple[str, str, str]:
    sign = "+" if pair.difference > 0 else ""
    return (
        show_number(pair.before),
        show_number(pair.after),
        f"{sign}{show_number(pair.difference)}",
    )


def _uses(
    id_: str, title: str, note: str, shown: Sequence[Shown], found: Sequence[Sequence[_Use]],
    limits: Sequence[Mapping[str, float | None]],
) -> Part:  # fmt: skip
    """Return bars and numbers of groups or submitters: used before and after, and the limit."""
    names = list(dict.fromkeys(each.name for uses in found for each in uses))
    by_name = [{each.name: each for each in uses} for uses in found]
    scales: dict[str, float] = {}
    for uses, limit in zip(found, limits):
        for each in uses:
            most = max(each.used_before, each.used_after, limit[each.name] or 0.0)
            parent = each.name.rpartition(".")[0]
            scales[parent] = max(scales.get(parent, 0.0), most)
    bars = [
        {
            "name": one_line(name),
            "drawn": [
                _bar(
                    name, one.when, uses.get(name), limit.get(name), scales[name.rpartition(".")[0]]
                )
                for one, uses, limit in zip(shown, by_name, limits)
            ],
        }
        for name in names[:MAX_ROWS]
    ]
    legend = (("mark", "limit"), ("used", "used at the start"), ("asked", "used at the end"))
    notes = (
        [note]
        if len(names) <= MAX_ROWS
        else [note, f"{len(names) - MAX_ROWS:,} more are not shown here: {_ALL}."]
    )
    return section(id_, title, *notes, legend=legend, bars=bars)


def _bar(name: str, when: str, use: _Use | None, limit: float | None, scale: float) -> Part:
    if use is None:
        return {"when": f"{when}: " if when else "", "bar": "", "told": "not there"}
    told = "not negotiated in this cycle" if limit is None else f"limit {show_number(limit)}"
    told = (
        f"{told}, used {show_number(use.used_before)} at the start and "
        f"{show_number(use.used_after)} at the end"
    )
    title = f"{one_line(name)}{when and ', '}{when}: {told}"
    bar = group_bar(title, limit, use.used_before, use.used_after, scale)
    return {"when": f"{when}: " if when else "", "bar": bar, "told": told}


def _submitters(shown: Shown) -> Part:
    trace = shown.single.trace
    why = reasons(trace)
    words = ("idle jobs", "matches", "used before", "used after", "claimed")
    heads = [
        ("submitter", False),
        ("group", False),
        *((word, True) for word in words),
        ("rejected", False),
    ]
    rows = [
        [one_line(each.name), one_line(each.group), f"{each.idle:,}", f"{each.matches:,}"]
        + [show_number(amount) for amount in (each.used_before, each.used_after, each.standing)]
        + [why.get(each.name, _NONE)]
        for each in trace.submitters
    ]
    return table(_titled("Submitters", shown.when), heads, rows, all_=_ALL)


def _machines(shown: Sequence[Shown]) -> Part:
    looks: list[tuple[str, Sequence[Machine]]] = []
    if len(shown) == 1:
        looks.append(("before the cycle", shown[0].single.before.machines))
    looks += [(_titled("after the cycle", when), single.after.machines) for when, single in shown]
    part = machines_section(looks, ())
    fills = [("before the cycle", shown[0].single.before)]
    fills += [(_titled("after the cycle", when), single.after) for when, single in shown]
    rows = [
        [when, show_number(fill.largest_cpus), show_number(fill.largest_memory_mb)]
        for when, fill in fills
    ]
    heads = [("", False), ("cpus", True), ("MB of memory", True)]
    largest = table(
        "The largest job that still fits: the most that is free in any one slot", heads, rows
    )
    return {**part, "tables": [largest, *part["tables"]]}


def _rejections(shown: Shown) -> Part:
    found = shown.single.trace.rejections
    heads = [("job", False), ("submitter", False), ("reason", False)]
    rows = [[each.job, one_line(each.submitter), one_line(each.reason)] for each in found]
    return table(_titled(f"Rejections: {len(rows):,}", shown.when), heads, rows, all_=_ALL)


def _matches(shown: Shown) -> Part:
    trace: Trace = shown.single.trace
    words = ("job", "submitter", "slot")
    heads = [
        ("match", False),
        *((word, False) for word in words),
        ("cost", True),
        ("refused by the startd", False),
    ]
    rows = [
        [
            f"{number:,}",
            each.job,
            *map(one_line, (each.submitter, each.slot)),
            show_number(each.cost),
            _refused(each),
        ]
        for number, each in enumerate(trace.matches, 1)
    ]
    caption = _titled(f"Matches: {len(rows):,}", shown.when)
    return table(caption, heads, rows, caption, all_=_ALL)


def _refused(match: Match) -> str:
    return one_line(match.refusal) or "no"


def _titled(what: str, when: str) -> str:
    return f"{what}, {when}" if when else what
