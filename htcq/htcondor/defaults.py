"""HTCondor's defaults by version, as ``param_info.in`` of each release has them (``defaults.tsv``).

Texts are as written there, with their macros. Releases of a long-term series may have a default
that feature releases got later: rows are in the order of versions, each holds up to the next one.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from htcq.htcondor.tables import rows

_ESCAPED = {"\\\\": "\\", "\\n": "\n", "\\t": "\t"}


def default_of(name: str, version: tuple[int, ...] = ()) -> str | None:
    """Return the default of a knob in a version, in the newest without one.

    None where that version has none.
    """
    found: str | None = None
    for since, text in _table().get(name.upper(), ()):
        if not version or since <= version:
            found = text
    return found


def former_defaults(name: str) -> tuple[str, ...]:
    """Return the defaults that a knob has had, the oldest first."""
    return tuple(text for _, text in _table().get(name.upper(), ()) if text is not None)


@lru_cache(maxsize=1)
def _table() -> Mapping[str, list[tuple[tuple[int, ...], str | None]]]:
    found: dict[str, list[tuple[tuple[int, ...], str | None]]] = {}
    for row in rows("defaults.tsv"):
        since, _, text = row.rest.partition("\t")
        numbers = tuple(int(number) for number in since.split(".") if number)
        found.setdefault(row.key, []).append((numbers, _text(text)))
    return found


def _text(cell: str) -> str | None:
    """Return the text of a cell: "=" and a default, or "-" where there is none any more."""
    if cell == "-":
        return None
    text = cell[1:]
    if "\\" not in text:
        return text
    for written, meant in _ESCAPED.items():
        text = text.replace(written, "\0" if meant == "\\" else meant)
    return text.replace("\0", "\\")
