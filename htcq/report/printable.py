"""Text from elsewhere as it may be printed: what would steer a terminal or turn the reading order is spelled out."""

from __future__ import annotations

import re

#: Control characters but tab and newline, and Unicode's marks of writing direction.
_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def printable(text: str) -> str:
    r"""Return ``text`` with everything that is not seen, but tabs and newlines, as \x1b or \u202e."""
    return _UNSEEN.sub(_spelled, text)


def one_line(text: str) -> str:
    """Return ``text`` printable and on one line."""
    return " ".join(line.strip() for line in printable(text).splitlines())


def _spelled(match: re.Match[str]) -> str:
    code = ord(match.group())
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"
