"""Rows that look the same to an expression, so that the ClassAd library evaluates one of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from htcq.classads import Expr
from htcq.columns.library import distinct
from htcq.columns.table import Schema, Table

Array = Any
#: Functions that look at any attribute, or differ from one call to the next.
_UNRULY = frozenset({"eval", "evalineachcontext", "countmatches", "random", "time", "currenttime"})
#: Names of whole ads.
_WHOLE_ADS = frozenset({
    "other", "ad", "self", "parent", "toplevel", "root", "left", "right", "lctx", "rctx", "unparse",
})  # fmt: skip


def alike(expression: Expr, my: Table, target: Table | None, rows: Array) -> tuple[Array, Array]:
    """Return one of ``rows`` for each set of values that ``expression`` may look at.

    The second array says for each of ``rows`` which of the first it is like.
    """
    tables = [table for table in (my, target) if table is not None]
    words = _reached(expression.words(), [table.schema for table in tables])
    if words & (_UNRULY | _WHOLE_ADS):
        return rows, np.arange(len(rows))
    columns = []
    for table in tables:
        columns += [table.own(word) for word in sorted(words) if table.own(word) is not None]
    firsts, which = distinct([column.at(rows) for column in columns if column is not None])
    if len(which) == 1:
        which = np.zeros(len(rows), np.int64)
    return rows[firsts], which


def _reached(words: Iterable[str], schemas: list[Schema]) -> set[str]:
    """Return every word that an evaluation may come upon, through the expressions of all ads."""
    found: set[str] = set()
    waiting = list(words)
    while waiting:
        word = waiting.pop()
        if word in found:
            continue
        found.add(word)
        for schema in schemas:
            waiting += schema.words(word)
    return found
