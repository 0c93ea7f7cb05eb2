"""Text from elsewhere, with escapes for what would steer a terminal or turn the reading order.

Anybody can choose the names in a pool. Tables, plain text, CSV and messages go through here; JSON
and HTML have escapes of their own.
"""

from __future__ import annotations

import contextlib
import re
import sys
from collections.abc import Iterable

from htcq.errors import shortened

#: Control characters but tab and newline (Unicode's Cc), its marks of writing direction and of
#: lines, and what is left of bytes that are no text (surrogates).
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)


def printable(text: str) -> str:
    r"""Return ``text`` with invisible characters but tabs and newlines as \x1b or \u202e."""
    return _UNSEEN.sub(_spelled, text)


def one_line(text: str) -> str:
    """Return ``text`` printable and on one line."""
    return " ".join(line.strip() for line in printable(text).splitlines())


def in_cell(text: str) -> str:
    """Return ``text`` printable and on one line; leading blanks stay, since drawings need them."""
    return printable(text).replace("\n", " ")


def tell(message: str) -> None:
    """Print ``message`` as one line on standard error, where all messages of htcq go.

    A command goes on if standard error cannot be written.
    """
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.write(f"{shortened(one_line(message))}\n")
        sys.stderr.flush()


def tell_lines(lines: Iterable[str]) -> None:
    """Print a text of several lines on standard error, as :func:`tell` does."""
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.write(printable("".join(lines)))
        sys.stderr.flush()


def _spelled(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 256:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}"
