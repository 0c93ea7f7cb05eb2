"""Expressions about pairs of ads, compiled for all ads of two shapes.

Attributes are looked up as in a match (src/classad/attrrefs.cpp:FindExpr and
src/classad/matchClassad.cpp, HTCondor 25.14): a name without a scope in the ad that holds the
expression, then in the other ad. An attribute that is an expression is evaluated in the scope of
the ad that holds it. What cannot be evaluated here is unknown, and the rows that depend on it are
left to the ClassAd library: circles, too deep a nesting, names of the match itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Optional

from htcq.classad.tree import (
    MY,
    TARGET,
    Binary,
    Call,
    Choice,
    ListOf,
    Literal,
    Reference,
    Tree,
    Unary,
    is_plain,
)
from htcq.columns import arithmetic, comparison, logic, states
from htcq.columns.calls import Calls
from htcq.columns.chains import joined
from htcq.columns.column import Column, select
from htcq.columns.column import constant as one_state
from htcq.columns.library import Library
from htcq.columns.program import (
    SIDES,
    ColumnRun,
    ColumnStep,
    constant,
    folded,
    kept,
    known,
    parts_of,
    unknown,
)
from htcq.columns.table import NOT_FOUND, Lookup, TableShape

#: Names that a match or the language gives a meaning of their own.
SPECIAL = frozenset({
    "my", "target", "other", "ad", "self", "parent", "toplevel", "root", "currenttime", "left",
    "right", "lctx", "rctx", "symmetricmatch", "leftmatchesright", "rightmatchesleft",
    "leftrankvalue", "rightrankvalue",
})  # fmt: skip
#: The library gives up at 400 evaluations in each other (src/classad/classad/exprTree.h).
MAX_HEIGHT = 250
#: It also gives up after 10,000,000 steps; each of ours is two at most.
MAX_STEPS = 1_000_000
#: Trees and attributes in each other that are evaluated here.
MAX_LEVELS = 80
_UNDEFINED = one_state(states.UNDEFINED)


TableShapes = tuple[TableShape, Optional[TableShape]]


class Program:
    """A compiled expression, for all shapes in which the same is found by the names looked up."""

    def __init__(self, step: ColumnStep, found: Mapping[tuple[int, str], Lookup]) -> None:
        self.step, self._found = step, found

    def suits(self, shapes: TableShapes) -> bool:
        """Return whether the names lead to the same in ads of ``shapes``."""
        for (side, name), found in self._found.items():
            shape = shapes[side]
            if found != (NOT_FOUND if shape is None else shape.found(name)):
                return False
        return True


class Compiler:
    """The compilation of one expression for ads of two ``shapes``."""

    def __init__(self, shapes: TableShapes, library: Library) -> None:
        self._shapes = shapes
        self._found: dict[tuple[int, str], Lookup] = {}
        self._library = library
        self._calls = Calls(self, library)
        self._known: dict[tuple[int, str], ColumnStep] = {}
        self._under_way: set[tuple[int, str]] = set()
        self._height = self._levels = 0
        #: The greatest height so far, and by attribute how much higher its expression goes.
        self._highest = 0
        self._heights: dict[tuple[int, str], int] = {}

    def program(self, tree: Tree) -> Program:
        """Return the steps of a whole expression."""
        step = kept(self.of(tree, 0))
        if step.count > MAX_STEPS:
            step = unknown()
        return Program(step, self._found)

    def of(self, tree: Tree, side: int) -> ColumnStep:
        """Return the steps of ``tree`` in the ad of ``side``: 0 is MY."""
        if isinstance(tree, Reference):
            return self._reference(tree, side)
        if isinstance(tree, Literal):
            return constant(self._library.literal(tree))
        if self._height + tree.height > MAX_HEIGHT or self._levels > MAX_LEVELS:
            return unknown()
        self._highest = max(self._highest, self._height + tree.height)
        self._levels += 1
        found = folded(self._compound(tree, side))
        self._levels -= 1
        return found

    def _compound(self, tree: Tree, side: int) -> ColumnStep:
        if isinstance(tree, Binary):
            return self._chain(tree, side)
        if isinstance(tree, Unary):
            return _unary(tree.operator, self.of(tree.operand, side))
        if isinstance(tree, Choice):
            return self.choice(tree.condition, tree.then, tree.otherwise, side)
        if isinstance(tree, Call):
            return self._calls.of(tree, side)
        return self._calls.by_library(tree, side)

    def _chain(self, tree: Binary, side: int) -> ColumnStep:
        """Return the steps of operators that follow each other, from the left."""
        chain = [tree]
        while isinstance(chain[-1].left, Binary):
            chain.append(chain[-1].left)
        value = self.of(chain[-1].left, side)
        while chain:
            operator = chain[-1].operator
            operands = [value, self.of(chain.pop().right, side)]
            if operator in ("&&", "||"):
                while chain and chain[-1].operator == operator:
                    operands.append(self.of(chain.pop().right, side))
                value = folded(joined(operator, operands))
            else:
                value = folded(self._binary(operator, *operands))
        return value

    def _binary(self, operator: str, first: ColumnStep, second: ColumnStep) -> ColumnStep:
        left, right = parts_of([first, second])
        left_of, right_of = left.of, right.of
        if operator == "?:":
            return _defaulted(left, right)
        if operator in comparison.COMPARISONS:
            texts = self._library.strings

            def of(run: ColumnRun) -> Column:
                return comparison.compared(operator, left_of(run), right_of(run), texts)

        elif operator in comparison.IDENTITIES:

            def of(run: ColumnRun) -> Column:
                return comparison.identical(operator, left_of(run), right_of(run))

        elif operator in arithmetic.ARITHMETIC:

            def of(run: ColumnRun) -> Column:
                return arithmetic.computed(operator, left_of(run), right_of(run))

        else:

            def of(run: ColumnRun) -> Column:
                return arithmetic.bitwise(operator, left_of(run), right_of(run))

        return ColumnStep(of, (left, right))

    def choice(self, condition: Tree, then: Tree, otherwise: Tree, side: int) -> ColumnStep:
        """Return ``then`` where ``condition`` holds, else ``otherwise``."""
        trees = (condition, then, otherwise)
        first, second, third = parts_of([self.of(each, side) for each in trees])

        def of(run: ColumnRun) -> Column:
            found = first.of(run)
            branch = logic.always(found)
            if branch is not None:
                return (second if branch else third).of(run)
            return logic.chosen(found, second.of(run), third.of(run))

        return ColumnStep(of, (first, second, third))

    def _reference(self, tree: Reference, side: int) -> ColumnStep:
        name = tree.name
        if name in SPECIAL:
            return unknown()
        if tree.scope is not None:
            return self._scoped(tree.scope, name, side)
        own = self._attribute(side, name)
        if own is None:
            return self._present(1 - side, name)
        if not self._may_be_absent(side, name):
            return own
        return _first_present(own, self._present(1 - side, name))

    def _may_be_absent(self, side: int, name: str) -> bool:
        found = self._look_up(side, name)
        return found.absent and found.text is None

    def _present(self, side: int, name: str) -> ColumnStep:
        """Return the attribute ``name`` of one ad; undefined for the rows that lack it."""
        step = self._attribute(side, name)
        if step is None:
            return constant(_UNDEFINED)
        return _present(step) if self._may_be_absent(side, name) else step

    def _scoped(self, scope: str, name: str, side: int) -> ColumnStep:
        if self._look_up(side, scope) != NOT_FOUND:
            # An attribute of that name hides the scope.
            return unknown()
        if scope == MY:
            return self._present(side, name)
        assert scope == TARGET
        return self._present(1 - side, name)

    def _look_up(self, side: int, name: str) -> Lookup:
        key = (side, name)
        found = self._found.get(key)
        if found is None:
            shape, found = self._shapes[side], NOT_FOUND
            if shape is not None:
                found = shape.found(name)
            self._found[key] = found
        return found

    def list_named(self, tree: Reference, side: int) -> ListOf | None:
        """Return the list of plain values that an attribute is in all rows; None if it is not."""
        if tree.name in SPECIAL:
            return None
        sides = [side, 1 - side]
        if tree.scope is not None:
            sides = [side if tree.scope == MY else 1 - side]
        for each in sides:
            found = self._look_up(each, tree.name)
            if found == NOT_FOUND:
                continue
            shape = self._shapes[each]
            if found.own or shape is None:
                return None
            items = shape.schema.attribute(tree.name)
            return items if isinstance(items, ListOf) and is_plain(items) else None
        return None

    def _attribute(self, side: int, name: str) -> ColumnStep | None:
        """Return the attribute ``name`` of one ad; None where no ad of the shape has it.

        It is ABSENT in the rows that lack it.
        """
        shape, found = self._shapes[side], self._look_up(side, name)
        if shape is None or found == NOT_FOUND:
            return None
        if not found.own:
            return self._shared(shape, side, name)
        own = _own(side, name)
        if not found.absent or found.text is None:
            return own
        return _first_present(own, self._shared(shape, side, name))

    def _shared(self, shape: TableShape, side: int, name: str) -> ColumnStep:
        found = shape.schema.attribute(name)
        assert found is not None
        if isinstance(found, Column):
            return constant(found)
        key = (side, name)
        if key in self._under_way:
            return unknown()
        step = self._known.get(key)
        if step is None:
            step = self._known[key] = self._evaluated(key, found)
        highest = self._height + self._heights[key]
        if highest > MAX_HEIGHT or step.count > MAX_STEPS:
            return unknown()
        self._highest = max(self._highest, highest)
        return step

    def _evaluated(self, key: tuple[int, str], tree: Tree) -> ColumnStep:
        height, highest = self._height, self._highest
        self._highest = height
        self._under_way.add(key)
        # Both what refers to the attribute and the attribute itself count.
        self._height += tree.height + 2
        self._levels += 1
        step = unknown()
        if self._height <= MAX_HEIGHT:
            step = self.of(tree, key[0])
        self._levels -= 1
        self._height = height
        self._heights[key] = max(self._highest, height + tree.height + 2) - height
        self._highest = max(self._highest, highest)
        self._under_way.discard(key)
        return known(step)


@lru_cache(maxsize=4096)
def _own(side: int, name: str) -> ColumnStep:
    def of(run: ColumnRun) -> Column:
        return run.tables[side].column(name)  # type: ignore[union-attr]

    return ColumnStep(of, sides=SIDES[side], names=frozenset({name}), is_light=True)


def _first_present(own: ColumnStep, other: ColumnStep) -> ColumnStep:
    def of(run: ColumnRun) -> Column:
        column = own.of(run)
        if not column.possible & states.ABSENT:
            return column
        return select(column.is_in(states.ABSENT), other.of(run), column)

    return ColumnStep(of, (own, other))


def _present(step: ColumnStep) -> ColumnStep:
    """Return ``step`` with undefined for the rows that are absent."""

    def of(run: ColumnRun) -> Column:
        column = step.of(run)
        if not column.possible & states.ABSENT:
            return column
        return select(column.is_in(states.ABSENT), _UNDEFINED, column)

    return ColumnStep(of, (step,), is_light=step.is_light)


def _defaulted(left: ColumnStep, right: ColumnStep) -> ColumnStep:
    def of(run: ColumnRun) -> Column:
        column = left.of(run)
        if not column.possible & states.UNDEFINED:
            return column
        return logic.defaulted(column, right.of(run))

    return ColumnStep(of, (left, right))


def _unary(operator: str, operand: ColumnStep) -> ColumnStep:
    functions = {
        "!": logic.opposite,
        "-": arithmetic.negated,
        "+": arithmetic.plus,
        "~": arithmetic.inverted,
    }
    function = functions[operator]
    return ColumnStep(lambda run: function(operand.of(run)), (operand,))
