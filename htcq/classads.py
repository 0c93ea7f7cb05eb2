"""The one doorway to HTCondor's ClassAd language (``classad2``).

``classad2`` answers an undefined value and an error with members of an int-like enumeration, so that a naive
``float(value)`` turns them into 2.0 and 1.0. Here they are :data:`UNDEFINED` and :data:`ERROR`, which are no numbers.
The library is imported on first use, because ``htcq probe`` must work where it is missing.
"""

from __future__ import annotations

import enum
import functools
from collections.abc import Mapping
from typing import Any, Union

from htcq.errors import BindingsError, PolicyError


class Missing(enum.Enum):
    """What an expression can answer besides a value."""

    UNDEFINED = "undefined"
    ERROR = "error"


UNDEFINED = Missing.UNDEFINED
ERROR = Missing.ERROR
Value = Union[int, float, bool, str, Missing]


@functools.lru_cache(maxsize=1)
def _library() -> Any:
    try:
        import classad2
    except ImportError as error:
        raise BindingsError("classad2") from error
    return classad2


class Expr:
    """One parsed ClassAd expression.

    Raises:
        PolicyError: the text is not a ClassAd expression.
    """

    __slots__ = ("_tree", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        library = _library()
        try:
            self._tree = library.ExprTree(text)
        except library.ClassAdException as error:
            raise PolicyError(f"not a ClassAd expression: {text}", "check brackets and quotes") from error

    def evaluate(self, my: Ad | None = None, target: Ad | None = None) -> Value:
        """Return the value with MY and TARGET as given; strings, undefined and error come back as such."""
        library = _library()
        if my is None:
            value = self._tree.eval()
        elif target is None:
            value = self._tree.eval(my.native)
        else:
            value = self._tree.eval(my.native, target.native)
        if isinstance(value, library.Value):
            return UNDEFINED if value == library.Value.Undefined else ERROR
        if isinstance(value, (bool, int, float, str)):
            return value
        return ERROR

    @property
    def native(self) -> Any:
        """The library's own expression, for putting it into an :class:`Ad`."""
        return self._tree


class Ad:
    """One ClassAd: values and expressions by attribute name, whatever its case."""

    __slots__ = ("native",)

    def __init__(self, attributes: Mapping[str, int | float | bool | str | Expr] | None = None) -> None:
        self.native = _library().ClassAd()
        for name, value in (attributes or {}).items():
            self[name] = value

    def __setitem__(self, name: str, value: int | float | bool | str | Expr) -> None:
        self.native[name] = value.native if isinstance(value, Expr) else value

    def __delitem__(self, name: str) -> None:
        del self.native[name]

    def __contains__(self, name: str) -> bool:
        return name in self.native


def is_number(value: Value) -> bool:
    """Tell whether HTCondor would take ``value`` for a number (booleans count: src/classad/value.cpp, 25.14)."""
    return isinstance(value, (bool, int, float))


def as_number(value: Value) -> int | float | None:
    """Return ``value`` as a plain number, whole where it is whole; None where there is none, or not a finite one."""
    if not isinstance(value, (bool, int, float)) or value != value or abs(value) == float("inf"):
        return None
    return value if isinstance(value, float) and not value.is_integer() else int(value)
