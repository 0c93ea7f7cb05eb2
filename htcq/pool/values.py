"""Values that stand alone, each distinct one kept once, however many ads have it."""

from __future__ import annotations

from typing import Optional

from htcq.classads import UNDEFINED, Expr, Value, literal
from htcq.errors import PolicyError
from htcq.pool.secrets import scrub


class Interned(dict[Optional[bytes], Value]):
    """Texts of expressions -> their values, each evaluated alone.

    UNDEFINED where a text is absent or unreadable.
    """

    def __missing__(self, raw: bytes | None) -> Value:
        value: Value = UNDEFINED
        if raw is not None:
            value = _value(raw)
        self[raw] = value
        return value


class Literals(Interned):
    """Texts of expressions -> their values; UNDEFINED where a text is no plain value.

    Nothing is evaluated: a process that is not confined may read strangers' ads so.
    """

    def __missing__(self, raw: bytes | None) -> Value:
        value = None
        if raw is not None:
            value = literal(_told(raw))
        self[raw] = found = UNDEFINED if value is None else value
        return found


def _told(raw: bytes) -> str:
    return scrub(text_of(raw.strip()))


def _value(raw: bytes) -> Value:
    text = _told(raw)
    value = literal(text)
    if value is not None:
        return value
    try:
        return Expr(text, whole=False).evaluate()
    except PolicyError:
        return UNDEFINED


def text_of(raw: bytes) -> str:
    """Return a line or a part of it; bytes that are no UTF-8 are surrogates in it."""
    return raw.decode("utf-8", "surrogateescape")


def bytes_of(text: str) -> bytes:
    """Return what :func:`text_of` made ``text`` of."""
    return text.encode("utf-8", "surrogateescape")
