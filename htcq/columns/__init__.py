"""Columns of ClassAd values: an expression evaluated for all slots at once, with numpy.

Needs numpy, which is imported when an engine is made and by no other package. The semantics are
those of src/classad/operators.cpp, attrrefs.cpp and fnCall.cpp, HTCondor 25.14; what the room does
not know it hands to the ClassAd library, row by row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from htcq.classads import library_version

if TYPE_CHECKING:
    from htcq.columns.engine import Engine

#: The first version of the library that columns agree with.
_FIRST = (25, 13)


def available() -> bool:
    """Return whether numpy can be imported, and the library is one that columns agree with.

    A numpy of another Python cannot be imported. Libraries before 25.13 find other matches, such as
    for versionGE() of what is no version.
    """
    return _by_columns() is not None


def _by_columns() -> type[Engine] | None:
    if library_version() < _FIRST:
        return None
    try:
        from htcq.columns.engine import Engine
    except ImportError:
        return None
    return Engine


def new_engine() -> Engine:
    """Return an engine: by columns where numpy is installed, else by the ClassAd library alone.

    The latter has the methods that a matchmaker calls.
    """
    by_columns = _by_columns()
    if available() and by_columns is not None:
        return by_columns()
    from htcq.columns.row_engine import RowEngine

    return cast("Engine", RowEngine())
