"""One simulated cycle as one HTML page that needs nothing else, alone or compared with another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Union

from htcq.pool.pool import Pool
from htcq.report.charts.svg import group_bar
from htcq.report.formats.html import cells, heads, page
from htcq.report.printable import one_line
from htcq.report.sections import MAX_ROWS, Part, headed, machines_section, section, sentence, table
from htcq.report.views.cycle import (
    KIND,
    MATCHES,
    NAME,
    REFUSED,
    REJECTED,
    REJECTIONS,
    SUBMITTERS,
    compared_numbers,
    match_rows,
    rejection_rows,
    submitter_rows,
)
from htcq.report.views.cycle_text import totals, wrong
from htcq.simulate.as_version import VersionChange
from htcq.simulate.course.machines import Fill
from htcq.simulate.course.single import Single
from htcq.simulate.cycle.outcome import CycleDifference, compare_cycles
from htcq.simulate.cycle.trace import GroupUse, SubmitterUse, Trace
from htcq.units import show_number

_ALL = "--json has all of them"
_LEGEND = (("mark", "limit"), ("used", "used at the start"), ("asked", "used at the end"))
_Use = Union[GroupUse, SubmitterUse]


class Shown(NamedTuple):
    """A cycle and what it is called beside another; empty where it is alone."""

    when: str
    single: Single

    @property
    def trace(self) -> Trace:
        """What the cycle did."""
        return self.single.trace


@dataclass(frozen=True)
class _Uses:
    """Usage by name of a group or submitter, and its limit, in one of the cycles."""

    when: str
    uses: Mapping[str, _Use]
    limits: Mapping[str, float | None]

    def most(self, name: str) -> float:
        """Return the largest amount in the bar of ``name``."""
        use = self.uses[name]
        return max(use.used_before, use.used_after, self.limits[name] or 0.0)


def cycle_page(
    before: Single,
    after: Single | None,
    pool: Pool,
    changes: Sequence[tuple[str, str]] = (),
    versions: Sequence[VersionChange] = (),
) -> str:
    """Return the page of ``before``, compared with ``after`` if that is given.

    ``changes`` are the knobs and options that make the difference, ``versions`` is what other
    versions of HTCondor change.

    Raises:
        TemplateError: its template cannot be rendered.
    """
    shown = [Shown("", before)]
    rows: list[CycleDifference] = []
    if after is not None:
        shown = [Shown("before", before), Shown("after", after)]
        rows = [row for row in compare_cycles(before.trace, after.trace) if row.changed]
    last = shown[-1].trace
    warnings = [text for text, _ in wrong(last)]
    warnings += [f"incomplete data: {one_line(each)}" for each in pool.incomplete]
    explained = [row for row in rows if row.because]
    values = {
        **headed("One cycle", pool, changes),
        "facts": [f"Usage is in {last.unit}.", *(f"{each.sentence}." for each in versions)],
        "summary": [sentence(each.when, totals(each.trace)) for each in shown],
        "because": [one_line(f"{row.kind} {row.name}: {row.because}") for row in explained],
        "warnings": warnings,
        "sections": list(_sections(shown, rows)),
    }
    return page("simulate", values)


def _sections(shown: Sequence[Shown], rows: Sequence[CycleDifference]) -> Iterator[Part]:
    if len(shown) > 1:
        yield _differences(rows)
    if len(shown[-1].trace.groups) > 1:
        yield _group_bars(shown)
    else:
        yield _submitter_bars(shown)
    yield section("submitters", "Submitters", tables=[_submitters(each) for each in shown])
    yield _machines(shown)
    tables: list[Part] = []
    for each in shown:
        tables += [_rejections(each), _matches(each)]
    yield section("matches", "Matches and rejections", tables=tables)


def _differences(rows: Sequence[CycleDifference]) -> Part:
    if not rows:
        return section("differences", "What changes", "Nothing: no submitter gains or loses.")
    columns = [NAME, KIND, *compared_numbers()]
    differing = table("Groups and submitters that differ", heads(columns), cells(columns, rows))
    return section("differences", "What changes", tables=[differing])


def _group_bars(shown: Sequence[Shown]) -> Part:
    note = (
        "What a group may use in its first turn, and what it uses; groups below one parent are of "
        "one scale."
    )
    found = []
    for each in shown:
        groups = each.trace.groups
        limits = {use.name: use.limit for use in groups}
        found.append(_Uses(each.when, {use.name: use for use in groups}, limits))
    return _bars("groups", "Groups", note, found)


def _submitter_bars(shown: Sequence[Shown]) -> Part:
    found = []
    for each in shown:
        uses = {use.name: use for use in each.trace.submitters}
        found.append(_Uses(each.when, uses, dict.fromkeys(uses, each.trace.pool_weight)))
    return _bars("use", "Usage", "What each submitter uses of the pool.", found)


def _bars(id_: str, title: str, note: str, found: Sequence[_Uses]) -> Part:
    """Return bars of groups or submitters: used before and after, and the limit."""
    names: dict[str, None] = {}
    scales: dict[str, float] = {}
    for each in found:
        for name in each.uses:
            names[name] = None
            scales[_parent(name)] = max(scales.get(_parent(name), 0.0), each.most(name))
    bars = []
    for name in list(names)[:MAX_ROWS]:
        drawn = [_bar(name, each, scales[_parent(name)]) for each in found]
        bars.append({"name": one_line(name), "drawn": drawn})
    notes = [note]
    if len(names) > MAX_ROWS:
        notes.append(f"{len(names) - MAX_ROWS:,} more are not shown here: {_ALL}.")
    return section(id_, title, *notes, legend=_LEGEND, bars=bars)


def _parent(name: str) -> str:
    return name.rpartition(".")[0]


def _bar(name: str, found: _Uses, scale: float) -> Part:
    when = _before(found.when)
    use, limit = found.uses.get(name), found.limits.get(name)
    if use is None:
        return {"when": when, "bar": "", "told": "not there"}
    told = "not negotiated in this cycle"
    if limit is not None:
        told = f"limit {show_number(limit)}"
    used = f"used {show_number(use.used_before)} at the start"
    told = f"{told}, {used} and {show_number(use.used_after)} at the end"
    title = f"{_titled(one_line(name), found.when)}: {told}"
    bar = group_bar(title, limit, use.used_before, use.used_after, scale)
    return {"when": when, "bar": bar, "told": told}


def _submitters(shown: Shown) -> Part:
    columns = [*SUBMITTERS, REJECTED]
    rows = cells(columns, submitter_rows(shown.trace))
    return table(_titled("Submitters", shown.when), heads(columns), rows, all_=_ALL)


def _machines(shown: Sequence[Shown]) -> Part:
    fills = [("before the cycle", shown[0].single.before)]
    fills += [(_titled("after the cycle", when), single.after) for when, single in shown]
    # Beside another cycle, the machines before it are left out: they differ by the changes alone.
    pictures = fills
    if len(shown) > 1:
        pictures = fills[1:]
    part = machines_section([(when, fill.machines) for when, fill in pictures], ())
    return {**part, "tables": [_largest(fills), *part["tables"]]}


def _largest(fills: Sequence[tuple[str, Fill]]) -> Part:
    caption = "The largest job that still fits: the most that is free in any one slot"
    rows = []
    for when, fill in fills:
        rows.append([when, show_number(fill.largest_cpus), show_number(fill.largest_memory_mb)])
    return table(caption, [("", False), ("cpus", True), ("MB of memory", True)], rows)


def _rejections(shown: Shown) -> Part:
    rows = cells(REJECTIONS, rejection_rows(shown.trace))
    caption = _titled(f"Rejections: {len(rows):,}", shown.when)
    return table(caption, heads(REJECTIONS), rows, all_=_ALL)


def _matches(shown: Shown) -> Part:
    columns = [*MATCHES, REFUSED]
    rows = cells(columns, match_rows(shown.trace))
    caption = _titled(f"Matches: {len(rows):,}", shown.when)
    return table(caption, heads(columns), rows, caption, all_=_ALL)


def _before(when: str) -> str:
    if not when:
        return ""
    return f"{when}: "


def _titled(what: str, when: str) -> str:
    if not when:
        return what
    return f"{what}, {when}"
