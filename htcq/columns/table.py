"""Ads that share their expressions: a row for each ad, a column for each attribute of its own.

A job is a table of one row. A schema (:class:`Schema`) has what the ads share: each attribute as a
constant or a parsed expression. It is made once, however many tables use it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Callable, NamedTuple

import numpy as np

from htcq.classad.names import looks_at_whole_ad
from htcq.classad.parser import parse
from htcq.classad.tree import Literal, Tree, Unary
from htcq.classads import Ad, Expr, literal, parsed
from htcq.columns import states
from htcq.columns.arithmetic import negated
from htcq.columns.column import Column, column_of, constant
from htcq.columns.program import ColumnRun, ColumnStep
from htcq.columns.texts import Texts

Array = Any
#: So many bytes of values of steps a table keeps.
_MAX_KEPT = 16_000_000
#: Returns the ad of a row for the ClassAd library; valid until the next call.
AdOf = Callable[[int], Ad]


#: Stands among the words of an expression that looks at an ad as a whole.
WHOLE_AD = "a whole ad"


def words_of(expression: Expr) -> list[str]:
    """Return the words of an expression, in lower case, and WHOLE_AD if it names one."""
    words = expression.words()
    return [*words, WHOLE_AD] if looks_at_whole_ad(expression.text) else words


class Schema:
    """What ads share: texts of expressions by attribute; one that does not parse is an error."""

    def __init__(self, texts: Mapping[str, str], strings: Texts) -> None:
        self._texts = {name.lower(): text for name, text in texts.items()}
        self._strings = strings
        self._known: dict[str, Column | Tree] = {}
        self._words: dict[str, Sequence[str]] = {}
        self._shapes: dict[tuple[frozenset[str], frozenset[str]], TableShape] = {}

    def shape(self, own: frozenset[str], absent: frozenset[str]) -> TableShape:
        """Return the shape of tables with attributes of their own, some of them absent in rows."""
        found = self._shapes.get((own, absent))
        if found is None:
            found = self._shapes[own, absent] = TableShape(self, own, absent)
        return found

    @property
    def names(self) -> Iterable[str]:
        """The names of its attributes, in lower case."""
        return self._texts.keys()

    def text(self, name: str) -> str | None:
        """Return the text of ``name``, in lower case; None where it is absent."""
        return self._texts.get(name)

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


class Lookup(NamedTuple):
    """What is found by a name: an own attribute, which some rows may lack, and an expression."""

    own: bool
    absent: bool
    text: str | None


NOT_FOUND = Lookup(False, False, None)


class TableShape:
    """What decides where attributes of ads are found: their schema and the names of their own.

    ``absent`` are those of their own that some rows may lack. Tables of one shape share one object.
    """

    def __init__(self, schema: Schema, own: frozenset[str], absent: frozenset[str]) -> None:
        self.schema, self.own, self.absent = schema, own, absent

    def found(self, name: str) -> Lookup:
        """Return what is found by ``name``, in lower case."""
        return Lookup(name in self.own, name in self.absent, self.schema.text(name))


class TableOrigin(NamedTuple):
    """The table that another was made of, its columns by then, what differs, and which rows.

    ``places`` are its rows in the other table; None: all.
    """

    table: Table
    columns: Mapping[str, Column]
    changed: frozenset[str]
    places: Array | None


class Table:
    """The ads of one schema: ``rows`` of them, with ``columns`` of their own by lower-case name.

    A column that is absent in a row uncovers the schema's attribute there. ``ad_of`` returns the
    same ad for the library; of a table that it has not, every row must be known.
    """

    def __init__(
        self,
        schema: Schema,
        rows: int,
        columns: Mapping[str, Column],
        ad_of: AdOf | None = None,
        shape: TableShape | None = None,
        origin: TableOrigin | None = None,
    ) -> None:
        self.schema, self.rows, self._ad_of, self._origin = schema, rows, ad_of, origin
        #: Its own columns, and those of its origin that it was asked for.
        self._columns = dict(columns)
        self._shape = shape
        #: Values of steps that look at no other table.
        self._kept: dict[ColumnStep, Column] = {}
        self._size = 0

    @property
    def shape(self) -> TableShape:
        """What decides where attributes are found."""
        if self._shape is None:
            absent = [
                name for name, column in self._columns.items() if column.possible & states.ABSENT
            ]
            self._shape = self.schema.shape(frozenset(self._columns), frozenset(absent))
        return self._shape

    def ad(self, row: int) -> Ad:
        """Return the ad of one row, for the ClassAd library."""
        if self._ad_of is None:
            raise LookupError("the table has no ads")
        return self._ad_of(row if self.rows != 1 else 0)

    @property
    def names(self) -> Iterable[str]:
        """The names of the rows' own attributes, in lower case."""
        return self.shape.own

    def own(self, name: str) -> Column | None:
        """Return the column of ``name``, in lower case; None where no row has its own."""
        return self.column(name) if name in self.shape.own else None

    def column(self, name: str) -> Column:
        """Return the column of ``name``, in lower case, which some row has."""
        found = self._columns.get(name)
        if found is None:
            origin = self._origin
            assert origin is not None
            found = origin.columns[name]
            if origin.places is not None:
                found = found.at(origin.places)
            self._columns[name] = found
        return found

    def value_of(self, step: ColumnStep, side: int) -> Column:
        """Return the values of a step that looks at this table alone, as its MY (0) or TARGET."""
        found = self._kept.get(step)
        if found is not None:
            return found
        origin = self._origin
        if origin is not None and origin.changed.isdisjoint(step.names):
            found = origin.table.value_of(step, side)
            if origin.places is not None:
                found = found.at(origin.places)
        else:
            found = step.of(ColumnRun(self, None) if side == 0 else ColumnRun(None, self))
        self._keep(step, found)
        return found

    def _keep(self, step: ColumnStep, values: Column) -> None:
        self._size += values.size
        if self._size > _MAX_KEPT:
            for oldest in list(self._kept)[: len(self._kept) // 2 + 1]:
                del self._kept[oldest]
            self._size = sum(each.size for each in self._kept.values()) + values.size
        self._kept[step] = values

    def replaced(
        self, columns: Mapping[str, Column], ad_of: AdOf | None = None, rows: int | None = None
    ) -> Table:
        """Return the table with other columns, by lower-case name, for ads that have them too.

        A table of one row can become one of many ``rows`` so.
        """
        rows = self.rows if rows is None else rows
        names, before = frozenset(columns), self._origin
        if before is None:
            origin = TableOrigin(self, self._columns, names, None)
            own = dict(columns)
        else:
            origin = before._replace(changed=before.changed | names)
            own = {**self._columns, **columns}
        return Table(self.schema, rows, own, ad_of, self._shape_with(columns), origin)

    def _shape_with(self, columns: Mapping[str, Column]) -> TableShape:
        shape = self.shape
        absent = frozenset(
            name for name, column in columns.items() if column.possible & states.ABSENT
        )
        if shape.own.issuperset(columns) and shape.absent.intersection(columns) == absent:
            return shape
        return self.schema.shape(
            shape.own.union(columns), shape.absent.difference(columns) | absent
        )

    def at(self, rows: Sequence[int]) -> Table:
        """Return the table of some rows, for an evaluation of what changed."""
        places, before = np.asarray(rows, np.int64), self._origin
        if before is None:
            origin = TableOrigin(self, self._columns, frozenset(), places)
            own = {}
        else:
            own = {name: self.column(name).at(places) for name in before.changed}
            moved = places if before.places is None else before.places[places]
            origin = before._replace(places=moved)
        return Table(self.schema, len(places), own, self._moved(places), self.shape, origin)

    def _moved(self, places: Array) -> AdOf | None:
        ad_of = self._ad_of
        if ad_of is None:
            return None
        return lambda row: ad_of(int(places[row]))

    def fill(self, rows: Sequence[int], columns: Mapping[str, Column]) -> None:
        """Give some rows other values of some attributes; ABSENT takes an attribute away.

        Tables that were made of this one before stay as they are.
        """
        places, filled = np.asarray(rows, np.int64), {}
        for name, values in columns.items():
            before = self._columns.get(name, constant(states.ABSENT))
            if _stands_for(before, values):
                continue
            filled[name] = before.with_rows(self.rows, places, values)
        if not filled:
            return
        self._columns = {**self._columns, **filled}
        stale = [step for step in self._kept if not step.names.isdisjoint(filled)]
        for step in stale:
            del self._kept[step]
        self._shape = None


def _stands_for(constant: Column, values: Column) -> bool:
    """Return whether one value that holds for all rows is each of ``values``."""
    if constant.rows != 1 or constant.possible != values.possible:
        return False
    return all(bool((part == other).all()) for part, other in zip(constant[1:], values[1:]))
