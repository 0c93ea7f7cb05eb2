"""A compiled expression: steps over columns, with all attributes resolved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Callable, Protocol

from htcq.columns.column import UNKNOWN, Column

#: Which ads a step looks at, as bits: those of MY, of TARGET.
SIDES = (1, 2)
NONE, BOTH = 0, 3


class Ads(Protocol):
    """A table, as steps look at it (:class:`htcq.columns.table.Table`)."""

    def column(self, name: str) -> Column:
        """Return the column of an own attribute, by its name in lower case."""

    def value_of(self, step: ColumnStep, side: int) -> Column:
        """Return the values of a step that looks at this table alone."""


class ColumnRun:
    """One evaluation with two tables, of which one has rows."""

    __slots__ = ("known", "tables")

    def __init__(self, my: Ads | None, target: Ads | None) -> None:
        self.tables = (my, target)
        #: The values of attributes that look at both ads.
        self.known: dict[ColumnStep, Column] = {}


class ColumnStep:
    """A part of an expression; ``of`` returns its values.

    ``sides`` are the ads that it looks at. ``count`` is how many parts the library evaluates for
    it. ``is_light`` tells that nothing is computed.
    """

    __slots__ = ("_names", "_parts", "count", "is_light", "of", "sides")

    def __init__(
        self,
        of: Callable[[ColumnRun], Column],
        parts: Sequence[ColumnStep] = (),
        sides: int = NONE,
        names: frozenset[str] | None = None,
        is_light: bool = False,
    ) -> None:
        self.of, self.is_light = of, is_light
        self._parts, self._names = parts, names
        self.count = 1
        for part in parts:
            sides |= part.sides
            self.count += part.count
        self.sides: int = sides

    @property
    def names(self) -> frozenset[str]:
        """The own attributes that it looks at, of a step that looks at one ad."""
        if self._names is None:
            self._names = frozenset[str]().union(*(part.names for part in self._parts))
        return self._names


def unknown() -> ColumnStep:
    """Return a step that is left to the library."""
    return constant(UNKNOWN)


def constant(column: Column) -> ColumnStep:
    """Return a step that is the same for all ads."""
    return ColumnStep(lambda run: column, is_light=True)


def folded(step: ColumnStep) -> ColumnStep:
    """Return ``step``, evaluated now if it looks at no ad."""
    if step.sides != NONE or step.is_light:
        return step
    found = constant(step.of(ColumnRun(None, None)))
    found.count = step.count
    return found


def kept(step: ColumnStep) -> ColumnStep:
    """Return ``step`` with its values kept in the table, if it looks at one alone."""
    if step.is_light or step.sides in (NONE, BOTH):
        return step
    side = SIDES.index(step.sides)

    def of(run: ColumnRun) -> Column:
        table = run.tables[side]
        assert table is not None
        return table.value_of(step, side)

    found = ColumnStep(of, (step,), is_light=True)
    found.count = step.count
    return found


def known(step: ColumnStep) -> ColumnStep:
    """Return ``step`` evaluated once in a run; one that looks at one ad is kept in its table."""
    if step.sides != BOTH:
        return kept(step)

    def of(run: ColumnRun) -> Column:
        found = run.known.get(step)
        if found is None:
            found = run.known[step] = step.of(run)
        return found

    result = ColumnStep(of, (step,), is_light=True)
    result.count = step.count
    return result


def parts_of(steps: Sequence[ColumnStep]) -> list[ColumnStep]:
    """Return ``steps``, to be parts of one; those that look at one ad of two are kept."""
    sides = NONE
    for step in steps:
        sides |= step.sides
    if sides == BOTH:
        return [kept(step) for step in steps]
    return list(steps)
