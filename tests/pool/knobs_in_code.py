"""The knobs that htcq's code names, found in the text of its modules."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2] / "htcq"
#: What reads pools; probe, live and cli read the configuration of this machine besides.
ROOMS = (
    *(
        "audit",
        "expected",
        "why",
        "simulate",
        "poolquota",
        "quota",
        "pool",
        "policy",
        "elastic",
        "drift",
    ),
    *("report", "emit", "capacity", "settings", "store"),
)
#: Modules that list names to know them, and read none of these knobs.
_LISTS = ("disclosed_knobs.py", "knob_values.py", "secrets.py", "disclosure.py")
_WORD = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*_?")


def words_of_code() -> Iterator[str]:
    """Yield every word of the texts in the code that looks like a knob's name or its beginning."""
    for text in texts_of_code():
        yield from _words(text.split())


def texts_of_code(rooms: Iterable[str] = ROOMS) -> Iterator[str]:
    """Yield every text in the code of ``rooms``, packages of htcq."""
    for room in rooms:
        for path in (ROOT / room).rglob("*.py"):
            if path.name in _LISTS:
                continue
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    yield node.value


def _words(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        word = text.strip("',():")
        if _WORD.fullmatch(word):
            yield word
