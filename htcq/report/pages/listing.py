"""A page of sections with notes and tables; of a long table a part is shown at a time.

The first rows stand in the page itself; where there are more, all of them stand beside it as JSON,
and templates/report/listing.js shows the others, sorts and searches them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Union

from htcq.pool.pool import Pool
from htcq.poolquota.health import ailments
from htcq.report.charts.stack import in_page
from htcq.report.formats.html import page, unwell
from htcq.report.moments import as_people_write
from htcq.report.pages.site_pages import PAGES, links_of
from htcq.report.printable import one_line

#: The rows that are shown at a time.
ROWS = 50
#: A text, and what it is sorted by where that is not the text.
Cell = Union[str, "tuple[str, float]"]
Part = dict[str, Any]


def listing_page(file: str, pool: Pool, told: Sequence[str], sections: Sequence[Part]) -> str:
    """Return the page ``file`` of ``pool``: what is ``told`` of it first, then ``sections``.

    Raises:
        TemplateError: its template cannot be rendered.
    """
    values = {
        "health": unwell(ailments(pool)),
        "links": links_of(file),
        "title": PAGES[file],
        "source": one_line(pool.name),
        "taken": one_line(pool.taken_at),
        "taken_words": one_line(as_people_write(pool.taken_at)),
        "told": told,
        "sections": sections,
    }
    return page("listing", values)


def section(id_: str, title: str, *notes: str, **parts: object) -> Part:
    """Return a section with its notes, tables, warnings and a picture."""
    empty: Part = {"tables": (), "warnings": (), "legend": (), "picture": ""}
    return {"id": id_, "title": title, "notes": notes, **empty, **parts}


def table(
    id_: str, caption: str, heads: Sequence[tuple[str, bool]], rows: Iterable[Sequence[Cell]]
) -> Part:
    """Return a table whose heads tell whether numbers are below them."""
    every = [list(row) for row in rows]
    data = ""
    if len(every) > ROWS:
        data = in_page([[_text_and_key(cell) for cell in row] for row in every])
    return {
        "id": id_,
        "caption": caption,
        "heads": heads,
        "rows": [[_text(cell) for cell in row] for row in every[:ROWS]],
        "count": len(every),
        "data": data,
    }


def _text(cell: Cell) -> str:
    if isinstance(cell, str):
        return one_line(cell)
    return one_line(cell[0])


def _text_and_key(cell: Cell) -> object:
    if isinstance(cell, str):
        return one_line(cell)
    return [one_line(cell[0]), cell[1]]
