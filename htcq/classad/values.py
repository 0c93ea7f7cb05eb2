"""Values of ClassAd expressions, and how they are spelled.

An undefined value and an error are :data:`UNDEFINED` and :data:`ERROR`, which are no numbers. A
string may hold any bytes but 0: those that are no UTF-8 are surrogates in it (``surrogateescape``).
"""

from __future__ import annotations

import enum
import re
from collections.abc import Mapping
from typing import Union

from htcq.classad.tokens import OLD_STRING


class Missing(enum.Enum):
    """Results of an expression that are no value."""

    UNDEFINED = "undefined"
    ERROR = "error"


UNDEFINED = Missing.UNDEFINED
ERROR = Missing.ERROR
Value = Union[int, float, bool, str, Missing]
#: The words that are values.
WORDS: Mapping[str, Value] = {"true": True, "false": False, "undefined": UNDEFINED, "error": ERROR}

#: Numbers of one spelling to the library and to Python. The library reads digits after a leading
#: zero as octal ones or not at all, and refuses a point without a digit behind it.
_NUMBER = re.compile(
    r"-?(?:0|[1-9][0-9]{0,17})(\.[0-9]{1,30}(?:[eE][-+]?[0-9]{1,4})?|[eE][-+]?[0-9]{1,4})?\Z"
)
_ONE_STRING = re.compile(OLD_STRING.format('"') + r"\Z")
#: HTCondor's whole numbers have 64 bits.
END_OF_WHOLE = 2.0**63
#: Old ClassAds cannot spell a line break, nor a backslash before the end of a string.
_LINE_BREAK = 'formatTime(0,"%n")'
_UNUSUAL = {"inf": 'real("INF")', "-inf": 'real("-INF")', "nan": 'real("NaN")'}


def literal(text: str) -> Value | None:
    """Return the value of a literal number, truth value or string; None for other expressions.

    It is what the library returns. Spellings that the library reads in a way of its own, such as
    ``010`` or a whole number of more than 18 digits, give None.
    """
    if text[:1] == '"':
        return _literal_string(text)
    found = _NUMBER.match(text)
    if found:
        if found.group(1) is None:
            return int(text)
        return float(text)
    return WORDS.get(text.lower())


def _literal_string(text: str) -> str | None:
    inner = text[1:-1]
    if len(text) < 2 or text[-1] != '"' or "\0" in inner:
        return None
    if '"' not in inner:
        return inner
    return inner.replace('\\"', '"') if _ONE_STRING.match(text) else None


def spelled(value: Value) -> str:
    """Return the text of an expression that has ``value``, whatever stands after it; one line."""
    if isinstance(value, Missing):
        return value.value
    if isinstance(value, str):
        return _spelled_string(value)
    if value != value or abs(value) == float("inf"):
        return _UNUSUAL[repr(float(value))]
    return repr(value).lower()


def _spelled_string(value: str) -> str:
    parts: list[str] = []
    for number, line in enumerate(value.split("\n")):
        if number:
            parts.append(_LINE_BREAK)
        if line or "\n" not in value:
            parts.append(_spelled_line(line))
    return parts[0] if len(parts) == 1 else f"strcat({', '.join(parts)})"


def _spelled_line(line: str) -> str:
    escaped = line.replace('"', '\\"')
    if line.endswith("\\"):
        # The quotation mark after it would not end the string.
        count = len(line.encode("utf-8", "surrogateescape"))
        return f'substr("{escaped} ", 0, {count})'
    return f'"{escaped}"'


def quoted_name(name: str) -> str:
    """Return the name of an attribute or a function in quotes; it does not end in a backslash."""
    escaped = name.replace("'", "\\'")
    return f"'{escaped}'"


def holds(value: Value) -> bool:
    """Return whether a condition is met for HTCondor: true, or a number other than 0 (IsAMatch)."""
    return bool(as_number(value))


def is_number(value: Value) -> bool:
    """Return whether HTCondor takes ``value`` for a number.

    Booleans count (src/classad/value.cpp, 25.14).
    """
    return isinstance(value, (bool, int, float))


def as_number(value: Value) -> int | float | None:
    """Return ``value`` as a plain finite number, whole where it is whole; None where it is none."""
    if type(value) is int:
        return value
    if not isinstance(value, (bool, int, float)) or value != value or abs(value) == float("inf"):
        return None
    if isinstance(value, float) and not (value.is_integer() and abs(value) < END_OF_WHOLE):
        return value
    return int(value)
