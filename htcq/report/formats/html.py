"""A page for a browser as one file that needs nothing else: no network, and nothing runs but what htcq put into it."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

from htcq import __version__
from htcq.poolquota.health import Ailment
from htcq.report.printable import one_line
from htcq.templating import render, template_directory


def page(name: str, values: Mapping[str, Any]) -> str:
    """Return the page called ``name``, whose template extends report/page.html.j2.

    Its style is that of all pages and report/NAME.css, its script report/NAME.js if there is one.
    Whatever a name in ``values`` tries to be, no other style or script counts. ``health`` among
    them, as :func:`unwell` makes it, comes first.

    Raises:
        TemplateError: a template cannot be rendered.
    """
    style = render("report/page.css", {}) + render(f"report/{name}.css", {})
    there = (template_directory() / f"report/{name}.js").is_file()
    script = render(f"report/{name}.js", {}) if there else ""
    common = {
        "htcq": __version__,
        "style": style,
        "script": script,
        "policy": f"default-src 'none'; img-src data:; style-src {_digest(style)}; script-src {_digest(script)}; "
        "base-uri 'none'; form-action 'none'",
    }
    return render(f"report/{name}.html.j2", {"health": (), **values, **common})


def unwell(health: Iterable[Ailment], source: str = "") -> list[tuple[str, str, str]]:
    """Return what every page says first of a pool that is not healthy: severity, id and text of each ailment.

    ``source`` names the pool on a page of several.
    """
    before = f"{source}: " if source else ""
    return [(each.severity, each.id, one_line(f"{before}{each.text}")) for each in health]


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
