"""Ads that share their expressions: a row for each ad, a column for each attribute of its own.

A job is a table of one row. A schema (:class:`Schema`) has what the ads share: each attribute as a
constant or a parsed expression. It is made once, however many tables use it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Callable, NamedTuple

import numpy as np

from htcq.classads import Ad, Expr, literal, parsed
from htcq.columns import states
from htcq.columns.arithmetic import negated
from htcq.columns.column import Cell, Column, column_of, constant, stored
from htcq.columns.parser import parse
from htcq.columns.texts import Texts
from htcq.columns.tree import Literal, Tree, Unary

Array = Any
#: Returns the ad of a row for the ClassAd library; valid until the next call.
AdOf = Callable[[int], Ad]


#: Stands among the words of an expression that looks at an ad as a whole.
WHOLE_AD = "a whole ad"
_WHOLE = re.compile(
    r"\b(?:(?:my|target)\b(?!\s*\.)|(?:other|ad|self|parent|toplevel|root|left|right|lctx|rctx|unparse)\b)",
    re.IGNORECASE,
)


def words_of(expression: Expr) -> list[str]:
    """Return the words of an expression, in lower case, and WHOLE_AD if it names one."""
    words = expression.words()
    return [*words, WHOLE_AD] if _WHOLE.search(expression.text) else words


class Evaluated(NamedTuple):
    """What an attribute is whose value is an expression, and how many steps its evaluation took."""

    column: Column
    steps: int


class Schema:
    """What ads share: texts of expressions by attribute; one that does not parse is an error."""

    def __init__(self, texts: Mapping[str, str], strings: Texts) -> None:
        self._texts = {name.lower(): text for name, text in texts.items()}
        self._strings = strings
        self._known: dict[str, Column | Tree] = {}
        self._words: dict[str, Sequence[str]] = {}

    @property
    def names(self) -> Iterable[str]:
        """The names of its attributes, in lower case."""
        return self._texts.keys()

    def __contains__(self, name: str) -> bool:
        return name in self._texts

    def attribute(self, name: str) -> Column | Tree | None:
        """Return the constant or the tree of ``name``, in lower case; None where it is absent."""
        found = self._known.get(name)
        if found is None and name in self._texts:
            found = self._known[name] = self._read(self._texts[name])
        return found

    def words(self, name: str) -> Sequence[str]:
        """Return the words of the expression of ``name``, in lower case; none of a plain value."""
        found = self._words.get(name)
        if found is None:
            text = self._texts.get(name)
            expression = parsed(text) if text and literal(text) is None else None
            found = self._words[name] = words_of(expression) if expression is not None else ()
        return found

    def _read(self, text: str) -> Column | Tree:
        # htcq.classads.literal is not asked: it reads 010, which the library refuses.
        if parsed(text) is None:
            return constant(states.ERROR)
        tree = parse(text)
        if isinstance(tree, Literal):
            return column_of((tree.value,), self._strings)
        if isinstance(tree, Unary) and tree.operator == "-" and isinstance(tree.operand, Literal):
            return negated(column_of((tree.operand.value,), self._strings))
        return tree


class Table:
    """The ads of one schema: ``rows`` of them, with ``columns`` of their own attributes by name.

    A column that is absent in a row uncovers the schema's attribute there. ``ad_of`` returns the
    same ad for the library; of a table that it has not, every row must be known.
    """

    def __init__(
        self, schema: Schema, rows: int, columns: Mapping[str, Column], ad_of: AdOf | None = None
    ) -> None:
        self.schema, self.rows, self._ad_of = schema, rows, ad_of
        self._columns = {name.lower(): column for name, column in columns.items()}
        #: What attributes are whose expressions do not look at another ad.
        self.evaluated: dict[str, Evaluated] = {}

    def ad(self, row: int) -> Ad:
        """Return the ad of one row, for the ClassAd library."""
        if self._ad_of is None:
            raise LookupError("the table has no ads")
        return self._ad_of(row if self.rows != 1 else 0)

    @property
    def names(self) -> Iterable[str]:
        """The names of the rows' own attributes, in lower case."""
        return self._columns.keys()

    def own(self, name: str) -> Column | None:
        """Return the column of ``name``, in lower case; None where no row has its own."""
        return self._columns.get(name)

    def has(self, name: str) -> bool:
        """Tell whether any row has the attribute ``name``, in lower case."""
        return name in self._columns or name in self.schema

    def replaced(self, name: str, column: Column) -> Table:
        """Return the table with another column of ``name``; its ads must have it too."""
        columns = {**self._columns, name.lower(): column}
        return Table(self.schema, self.rows, columns, self._ad_of)

    def at(self, rows: Sequence[int]) -> Table:
        """Return the table of some rows, for an evaluation of what changed."""
        places = np.asarray(rows, np.int64)
        columns = {name: column.at(places) for name, column in self._columns.items()}
        return Table(self.schema, len(places), columns, self._moved(places))

    def _moved(self, places: Array) -> AdOf | None:
        ad_of = self._ad_of
        if ad_of is None:
            return None
        return lambda row: ad_of(int(places[row]))

    def put(self, name: str, row: int, cell: Cell, strings: Texts) -> None:
        """Give one row another value of ``name``; None takes the attribute away."""
        key = name.lower()
        before = self._columns.get(key, constant(states.ABSENT))
        value = column_of((stored(cell),), strings)
        parts = []
        for part, single in zip(before[1:], value[1:]):
            # A value of another type may need more room.
            part = np.array(
                np.broadcast_to(part, self.rows), np.promote_types(part.dtype, single.dtype)
            )
            part[row] = single[0]
            parts.append(part)
        self._columns[key] = Column(before.possible | value.possible, *parts)
        self.evaluated.clear()
