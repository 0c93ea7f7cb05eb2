"""Preemption by the negotiator as configuration: the third way to take back lent slots."""

from __future__ import annotations

from pathlib import Path

from htcq import __version__
from htcq.templating import render


def preemption_text(min_runtime: int, templates: Path | None = None) -> str:
    """Return the text; every job is given ``min_runtime`` seconds.

    ``templates`` is a site's own directory.

    Raises:
        TemplateError: the template cannot be rendered.
    """
    return render(
        "condor/preemption.config.j2",
        {"htcq": __version__, "min_runtime": str(min_runtime)},
        templates,
    )
