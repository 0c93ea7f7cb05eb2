"""What should have happened in a pool and did not, as JSON and as lines of text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from htcq.expected.unmet import ERROR, WARNING, Unmet
from htcq.report.terminal import Line, line

#: The most expectations, pieces of evidence of each, and letters of one, where not all are asked.
_LISTED, _OBSERVED, _LONGEST = 3, 10, 160
_INDENT = 2
_STYLES = {ERROR: "error", WARNING: "warning"}


def unmet_json(each: Unmet) -> dict[str, Any]:
    """Return what ``json.dumps`` takes."""
    return {
        "id": each.id,
        "severity": each.severity,
        "subject": each.subject,
        "text": each.text,
        "cure": each.cure,
        "observed": [one._asdict() for one in each.observed],
        "jobs": len(each.jobs),
        "count": each.count,
        "examples": list(each.examples),
    }


def unmet_lines(unmet: Sequence[Unmet], wide: bool = False) -> Iterator[Line]:
    """Yield the expectations and what is set there, the first ones unless ``wide``."""
    if not unmet:
        return
    yield line("expected, and not seen:")
    shown = unmet if wide else unmet[:_LISTED]
    for each in shown:
        yield line(f"{each.severity}: {each.id}: {each.text}", _STYLES.get(each.severity, ""))
        observed = each.observed if wide else each.observed[:_OBSERVED]
        for name, value, _ in observed:
            yield line(f"{name} = {value}"[:_LONGEST], indent=_INDENT)
        yield line(f"resolved by: {each.cure}", indent=_INDENT)
    more = len(unmet) - len(shown)
    if more:
        yield line(f"and {more} more; --wide lists all")
