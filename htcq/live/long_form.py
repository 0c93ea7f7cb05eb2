"""Ads as ``condor_status -long`` prints them, without their secrets."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from htcq.classad.dialect import from_library
from htcq.pool.secrets import is_secret_attribute, scrub

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*\Z")
_LINE = re.compile(r"[A-Za-z_][A-Za-z0-9_.]* = ")
#: What becomes of an attribute: kept, dropped, or dropped where it is a text.
_KEEP, _DROP, _LOOK = 0, 1, 2


@dataclass
class LongForm:
    """Writes ads without their secrets."""

    names: dict[str, tuple[str, int]] = field(default_factory=dict)

    def text(self, ad: Any, extra: str = "") -> str:
        """Return ``ad`` as ``condor_status -long`` prints it; ``extra`` is one more line."""
        lines = _printed(ad).split("\n")
        lines = [line for line in lines if line]
        if len(lines) != len(ad) or not all(_LINE.match(line) for line in lines):
            # A line break within a text: it is spelled otherwise, or the ad would fall apart when
            # it is read. A name that stands in quotes cannot be read in this form, and a line
            # break in it would make an attribute.
            lines = [f"{name} = {_one_line(ad.lookup(name))}" for name in ad if _NAME.match(name)]
        kept = [(self._sorting(line), line) for line in lines if not self._is_secret(line)]
        if extra:
            kept.append((self._sorting(extra), extra))
        text = "\n".join(line for _, line in sorted(kept))
        if scrub(text) != text:
            # What looks like a secret may reach into the next line: each is looked at by itself.
            text = "\n".join(_scrubbed(line) for _, line in sorted(kept))
        return text + "\n\n"

    def _entry(self, line: str) -> tuple[str, int]:
        name = line.partition(" = ")[0]
        entry = self.names.get(name)
        if entry is None:
            verdict = _KEEP
            if is_secret_attribute(name):
                verdict = _DROP
            elif is_secret_attribute(name, '"'):
                verdict = _LOOK
            entry = self.names[name] = (name.lower(), verdict)
        return entry

    def _sorting(self, line: str) -> str:
        return self._entry(line)[0]

    def _is_secret(self, line: str) -> bool:
        verdict = self._entry(line)[1]
        if verdict == _LOOK:
            return line.partition(" = ")[2].startswith('"')
        return verdict == _DROP


def _scrubbed(line: str) -> str:
    """Return an assignment with its value scrubbed; a name such as password is none of a secret."""
    name, sign, value = line.partition(" = ")
    return f"{name}{sign}{scrub(value)}"


def _printed(ad: Any) -> str:
    """Return ``ad`` as the bindings print it; bytes that are no UTF-8 are surrogates in it."""
    try:
        return str(ad.printOld())
    except UnicodeDecodeError as error:
        return error.object.decode("utf-8", "surrogateescape")


def _one_line(expression: object) -> str:
    """Return an expression on one line: outside of strings a line break is a space."""
    return from_library(str(expression)).replace("\n", " ")
