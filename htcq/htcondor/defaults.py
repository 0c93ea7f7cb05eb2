"""HTCondor's defaults by version, as ``param_info.in`` of each release has them (``defaults.tsv``).

Releases of a long-term series may have a default that feature releases got later: the rows of a
knob are in the order of versions, and each holds up to the next one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Callable

from htcq.htcondor.tables import rest_of

_MACRO = re.compile(r"\$\((\w+)\)")
_ESCAPE = re.compile(r"\\(.)")
_ESCAPED = {"n": "\n", "t": "\t"}


def default_of(name: str, version: tuple[int, ...] = ()) -> str | None:
    """Return the default of a knob in a version, in the newest without one, as it is written.

    None where that version has none.
    """
    found: str | None = None
    for since, text in _of(name):
        if not version or since <= version:
            found = text
    return found


def unset(_name: str) -> str:
    """Return what a configuration without any knob has for a macro."""
    return ""


def expanded_default(
    name: str, version: tuple[int, ...] = (), value_of: Callable[[str], str] = unset
) -> str:
    """Return the default of a knob in one line, with the values of the macros that it names.

    ``value_of`` returns what a configuration has for a macro; where that is empty the macro has its
    default. The result is empty where that version has no default.
    """

    def expanded(found: re.Match[str]) -> str:
        macro = found.group(1)
        return value_of(macro) or expanded_default(macro, version, value_of)

    text = default_of(name, version) or ""
    return " ".join(_MACRO.sub(expanded, text).split())


def former_defaults(name: str) -> tuple[str, ...]:
    """Return the defaults that a knob has had, the oldest first."""
    return tuple(text for _, text in _of(name) if text is not None)


def _of(name: str) -> Iterator[tuple[tuple[int, ...], str | None]]:
    for rest in rest_of("defaults.tsv", name.upper()):
        since, _, cell = rest.partition("\t")
        numbers = tuple(int(number) for number in since.split(".") if number)
        # "=" begins a text, "-" says that there is none any more.
        text = None
        if cell != "-":
            text = _ESCAPE.sub(lambda found: _ESCAPED.get(found.group(1), found.group(1)), cell[1:])
        yield numbers, text
