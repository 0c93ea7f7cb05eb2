"""The parts of the page of a simulation: sections with plots, bars, cells of machines and tables.

What is called a part here is one of the variables of templates/report/simulate.html.j2.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from htcq.pool.pool import Pool
from htcq.poolquota.health import ailments
from htcq.report.charts.fill_chart import MAX_CELLS, cell_picture, cells
from htcq.report.formats.html import unwell
from htcq.report.moments import as_people_write
from htcq.report.printable import one_line
from htcq.simulate.course.machines import SHARES, Machine, by_fill
from htcq.units import show_number

#: Most rows of a table.
MAX_ROWS = 500
#: What the classes of machines are called, by the share of their cpus that is in claims.
CLASS_WORDS = (
    "none",
    *(f"up to {share:.0%}" for share in SHARES[:-1]),
    "less than all",
    "all",
)
Part = dict[str, Any]


def headed(what: str, pool: Pool, changes: Sequence[tuple[str, str]]) -> Part:
    """Return what stands above: the pool, and ``changes``, knobs and options with their values."""
    source = one_line(pool.name)
    lines = []
    for knob, value in changes:
        sign = " = "
        if knob.startswith("--"):
            sign = " "
        lines.append(f"{one_line(knob)}{sign}{one_line(value)}")
    return {
        "health": unwell(ailments(pool)),
        "source": source,
        "heading": f"{what} of {source}",
        "taken": one_line(pool.taken_at),
        "taken_words": one_line(as_people_write(pool.taken_at)),
        "changes": lines,
    }


def sentence(when: str, text: str) -> str:
    """Return ``text`` as a sentence, of a pool that is called ``when`` if there are two."""
    if when:
        text = f"{when}: {text}"
    return f"{text[:1].upper()}{text[1:]}."


def pool_head(shown: Sequence[tuple[str, object]]) -> list[tuple[str, bool]]:
    """Return the head of the column that names the pool of a row; none where there is one pool."""
    if len(shown) <= 1:
        return []
    return [("pool", False)]


def section(id_: str, title: str, *notes: str, **parts: object) -> Part:
    """Return a section with what it has of legend, figures, bars, cells and tables."""
    empty: Part = {"legend": (), "figures": (), "bars": (), "cells": (), "tables": ()}
    return {"id": id_, "title": title, "notes": notes, **empty, **parts}


def table(
    caption: str,
    heads: Sequence[tuple[str, bool]],
    rows: Iterable[Sequence[str]],
    folded: str = "",
    all_: str = "",
) -> Part:
    """Return a table whose heads tell whether numbers are below them.

    One that is ``folded`` opens with these words; ``all_`` says where the rows are that are not
    shown.
    """
    every = list(rows)
    more = ""
    if len(every) > MAX_ROWS:
        more = f"{len(every) - MAX_ROWS:,} more are not shown here: {all_}."
    return {
        "caption": caption,
        "summary": folded,
        "heads": heads,
        "rows": every[:MAX_ROWS],
        "more": more,
    }


def machines_section(
    looks: Sequence[tuple[str, Sequence[Machine]]], figures: Sequence[Part], *notes: str
) -> Part:
    """Return how full the machines are: for each look when that is, and the machines."""
    drawn = [
        {
            "when": when,
            "told": _told(machines),
            "pictures": "".join(cell_picture(cell) for cell in cells(machines)),
        }
        for when, machines in looks
    ]
    legend: list[tuple[str, str]] = [
        ("cpus", "share of its cpus in claims"),
        ("memory", "share of its memory in claims"),
    ]
    if figures:
        legend += [
            (f"fill{number}", f"{word} of its cpus") for number, word in enumerate(CLASS_WORDS)
        ]
    tables = [_classes(looks), *(_cells(when, machines) for when, machines in looks)]
    return section(
        "machines",
        "Fill of the machines",
        *notes,
        legend=legend,
        figures=figures,
        cells=drawn,
        tables=tables,
    )


def _told(machines: Sequence[Machine]) -> str:
    cpus = sum(each.cpus for each in machines)
    claimed = sum(each.claimed_cpus for each in machines)
    memory = sum(each.memory_mb for each in machines)
    taken = sum(each.claimed_memory_mb for each in machines)
    each = "a cell is a machine"
    if len(machines) > MAX_CELLS:
        each = f"a cell is {-(-len(machines) // MAX_CELLS):,} machines"
    return (
        f"{len(machines):,} machines, {each}: {show_number(claimed)} of {show_number(cpus)} cpus "
        f"and {show_number(taken)} of {show_number(memory)} MB of memory are in claims. "
        "The fullest come first."
    )


def _classes(looks: Sequence[tuple[str, Sequence[Machine]]]) -> Part:
    counts = [by_fill(machines) for _, machines in looks]
    rows = [
        [word, *(f"{each[number]:,}" for each in counts)] for number, word in enumerate(CLASS_WORDS)
    ]
    heads = [("cpus in claims", False), *((when, True) for when, _ in looks)]
    return table("How many machines have so much of their cpus in claims", heads, rows)


def _cells(when: str, machines: Sequence[Machine]) -> Part:
    words = ("cpus in claims", "cpus", "MB in claims", "MB of memory")
    rows = [[cell.name, *cell.numbers] for cell in cells(machines)]
    return table(
        f"Machines, {when}",
        [("machine", False), *((word, True) for word in words)],
        rows,
        f"Numbers: {when}",
    )
