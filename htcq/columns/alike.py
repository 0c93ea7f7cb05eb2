"""Rows that look the same to an expression, so that the ClassAd library evaluates one of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from htcq.classads import Expr
from htcq.columns.library import distinct
from htcq.columns.table import WHOLE_AD, Schema, Table, words_of

Array = Any
#: Functions that look at any attribute, or differ from one call to the next.
_UNRULY = frozenset({"eval", "evalineachcontext", "countmatches", "random", "time", "currenttime"})


def alike(expression: Expr, my: Table, target: Table | None, rows: Array) -> tuple[Array, Array]:
    """Return one of ``rows`` for each set of values that ``expression`` may look at.

    The second array says for each of ``rows`` which of the first it is like.
    """
    tables = [table for table in (my, target) if table is not None]
    schemas = [table.schema for table in tables]
    # A quoted name may be no word.
    names = [name for schema in schemas for name in schema.names]
    names += [name for table in tables for name in table.names]
    strange = [name for name in names if not _is_word(name)]
    words = _reached([*words_of(expression), *strange], schemas)
    if words & (_UNRULY | {WHOLE_AD}):
        return rows, np.arange(len(rows))
    found = [table.own(word) for table in tables for word in sorted(words)]
    columns = [column.at(rows) for column in found if column is not None]
    firsts, which = distinct(columns)
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


def _is_word(name: str) -> bool:
    return name.isascii() and name.isidentifier()
