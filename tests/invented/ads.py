"""The texts of ads, recorded from a real pool of HTCondor 25.14.1, with names in place of the values that differ.

The files in ``ads/`` hold one ``Attribute = expression`` a line, as ``condor_status -long`` and
``condor_q -long`` print them. ``%(name)s`` is filled once, in slot ads once a machine, and
``%%(name)s`` afterwards, once a slot."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import BinaryIO

FOLDER = Path(__file__).parent / "ads"

#: When the pool is looked at, in seconds since 1970.
NOW = 1_795_251_260
DOMAIN = "site.example"
CENTRAL_MANAGER = f"cm.{DOMAIN}"

#: What ads of all kinds have.
COMMON: Mapping[str, object] = {
    "now": NOW,
    "domain": DOMAIN,
    "negotiator": CENTRAL_MANAGER,
    "collector": f"{CENTRAL_MANAGER}:9618",
    "pool": "Pool that never was",
    "port": 9618,
}

_BYTES_AT_ONCE = 4 * 1024 * 1024


@cache
def recorded(name: str) -> Mapping[str, str]:
    """Return the attributes of one recorded ad, or of a part of one."""
    lines = (FOLDER / f"{name}.ad").read_text(encoding="ascii").splitlines()
    return dict(line.split(" = ", 1) for line in lines)


def template(*parts: Mapping[str, str]) -> str:
    """Return the text of an ad of several parts, sorted as HTCondor's tools sort; the last part wins."""
    attributes = {name: value for part in parts for name, value in part.items()}
    lines = [f"{name} = {attributes[name]}" for name in sorted(attributes, key=str.lower)]
    return "\n".join(lines) + "\n\n"


@cache
def whole(name: str) -> str:
    """Return the template of an ad that is recorded in one piece."""
    return template(recorded(name))


def address(number: int) -> str:
    """Return an address of its own for the host ``number`` (up to 4 million)."""
    return f"10.{number // 65_536 % 64 + 128}.{number // 256 % 256}.{number % 256}"


class AdFile:
    """A file of ads, written in large pieces."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._texts: list[str] = []
        self._bytes = 0

    def add(self, text: str) -> None:
        """Write one ad, or several, sooner or later."""
        self._texts.append(text)
        self._bytes += len(text)
        if self._bytes >= _BYTES_AT_ONCE:
            self.flush()

    def flush(self) -> None:
        """Write what was held back."""
        self._file.write("".join(self._texts).encode("ascii"))
        self._texts, self._bytes = [], 0
