"""Values that stand alone, each distinct one kept once, however many ads have it."""

from __future__ import annotations

from htcq.classads import UNDEFINED, Expr, Value, literal
from htcq.errors import PolicyError
from htcq.pool.secrets import scrub


class Interned:
    """Texts of expressions -> their values."""

    def __init__(self) -> None:
        self._known: dict[bytes | None, Value] = {None: UNDEFINED}

    def value(self, raw: bytes | None) -> Value:
        """Return the value of ``raw`` evaluated alone; UNDEFINED where absent or unreadable."""
        try:
            return self._known[raw]
        except KeyError:
            value = self._known[raw] = _value(raw or b"")
            return value


def _value(raw: bytes) -> Value:
    text = scrub(raw.strip().decode("utf-8", "replace"))
    value = literal(text)
    if value is not None:
        return value
    try:
        return Expr(text).evaluate()
    except PolicyError:
        return UNDEFINED
