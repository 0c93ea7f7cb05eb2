"""Columns of ClassAd values: an expression evaluated for all slots at once, with numpy.

Needs numpy, which is imported when an engine is made and by no other package. The semantics are
those of src/classad/operators.cpp, attrrefs.cpp and fnCall.cpp, HTCondor 25.14; what the room does
not know it hands to the ClassAd library, row by row.
"""

from __future__ import annotations

import importlib.util


def available() -> bool:
    """Tell whether numpy is installed, without importing it."""
    return importlib.util.find_spec("numpy") is not None
