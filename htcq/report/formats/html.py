"""Pages for a browser, each one file that needs no network, and the cells of their tables.

Nothing runs in a page but the script that htcq put into it.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from htcq import __version__
from htcq.poolquota.ailment import Ailment
from htcq.report.column import NONE, Column, Row, for_people
from htcq.report.printable import one_line
from htcq.templating import render, template_directory


def page(name: str, values: Mapping[str, Any]) -> str:
    """Return the page called ``name``, whose template extends report/page.html.j2.

    Its style is that of all pages and report/NAME.css, its script report/NAME.js if there is one.
    Whatever a name in ``values`` tries to be, no other style or script counts. ``health`` among
    them, as :func:`unwell` makes it, comes first; ``links`` lead to the other pages of a site.

    Raises:
        TemplateError: a template cannot be rendered.
    """
    style = render("report/page.css", {}) + render(f"report/{name}.css", {})
    script = ""
    if (template_directory() / f"report/{name}.js").is_file():
        script = render(f"report/{name}.js", {})
    policy = (
        "default-src 'none'",
        "img-src data:",
        f"style-src {_digest(style)}",
        f"script-src {_digest(script)}",
        "base-uri 'none'",
        "form-action 'none'",
    )
    common = {
        "htcq": __version__,
        "style": style,
        "script": script,
        "policy": "; ".join(policy),
    }
    return render(f"report/{name}.html.j2", {"health": (), "links": (), **values, **common})


class Link(NamedTuple):
    """A page of a site of several: its file beside this one, its name, and whether it is this."""

    file: str
    name: str
    here: bool = False


def heads(columns: Iterable[Column[Row]]) -> list[tuple[str, bool]]:
    """Return the heads of the columns that people see, and which have numbers below them."""
    return [(column.title, column.right) for column in for_people(columns)]


def cells(columns: Iterable[Column[Row]], rows: Iterable[Row]) -> list[list[str]]:
    """Return the cells of the columns that people see; counts have separators of thousands."""
    shown = for_people(columns)
    return [_row(shown, row) for row in rows]


def _row(columns: Sequence[Column[Row]], row: Row) -> list[str]:
    return [_cell(column, row) for column in columns]


def _cell(column: Column[Row], row: Row) -> str:
    value = column.read(row)
    if value is None:
        return NONE
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return column.cell(row)


def unwell(health: Iterable[Ailment], source: str = "") -> list[tuple[str, str, str]]:
    """Return the severity, id and text of each ailment, with which every page begins.

    ``source`` names the pool on a page of several.
    """
    before = ""
    if source:
        before = f"{source}: "
    return [(each.severity, each.id, one_line(f"{before}{each.text}")) for each in health]


def _digest(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{digest}'"
