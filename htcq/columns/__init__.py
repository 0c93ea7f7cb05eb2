"""Columns of ClassAd values: an expression evaluated for all slots at once, with numpy.

Needs numpy, which is imported when an engine is made and by no other package. The semantics are
those of src/classad/operators.cpp, attrrefs.cpp and fnCall.cpp, HTCondor 25.14; what the room does
not know it hands to the ClassAd library, row by row.
"""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from htcq.columns.engine import Engine
    from htcq.columns.row_engine import RowEngine


def available() -> bool:
    """Tell whether numpy is installed, without importing it."""
    return importlib.util.find_spec("numpy") is not None


def new_engine() -> Engine | RowEngine:
    """Return an engine: by columns where numpy is installed, else by the ClassAd library alone."""
    if available():
        from htcq.columns.engine import Engine

        return Engine()
    from htcq.columns.row_engine import RowEngine

    return RowEngine()
