"""Calls of functions in an expression.

Functions of numbers and of types are array operations; the library evaluates the others.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Callable, Protocol

from htcq.classad.tree import (
    Binary,
    Call,
    Choice,
    ListOf,
    Literal,
    Reference,
    Subscript,
    Tree,
    Unary,
    written,
)
from htcq.classads import Missing, as_number
from htcq.columns import functions, states
from htcq.columns.column import Column, select, with_state
from htcq.columns.library import PURE, Library
from htcq.columns.program import ColumnStep, kept, parts_of, unknown

#: A call that nests deeper is left to the library with all around it.
_MAX_HEIGHT = 40
#: Calls that are shared by all expressions.
_MAX_STEPS = 10_000
_ARGUMENTS_OF_CHOICE = 3


class Compiling(Protocol):
    """What compiles the arguments of a call (:class:`htcq.columns.compiler.Compiler`)."""

    def of(self, tree: Tree, side: int) -> ColumnStep:
        """Return the steps of ``tree`` in the ad of ``side``."""

    def choice(self, condition: Tree, then: Tree, otherwise: Tree, side: int) -> ColumnStep:
        """Return ``then`` where ``condition`` holds, else ``otherwise``."""

    def list_named(self, tree: Reference, side: int) -> ListOf | None:
        """Return the list of plain values that an attribute is in all rows; None if it is not."""


class _StrangeError(Exception):
    """A part of a call that does not stand for a plain value."""


@dataclass
class _Text:
    """A call with its references replaced by A0, A1, …, and their values."""

    side: int
    steps: list[ColumnStep] = field(default_factory=list)
    places: dict[str, int] = field(default_factory=dict)


class Calls:
    """The functions of one expression."""

    def __init__(self, compiler: Compiling, library: Library) -> None:
        self._compiler, self._library = compiler, library

    def of(self, call: Call, side: int) -> ColumnStep:
        """Return the steps of ``call`` in the ad of ``side``."""
        function, arguments = call.function, call.arguments
        if function == "ifthenelse" and len(arguments) == _ARGUMENTS_OF_CHOICE:
            condition, then, otherwise = arguments
            return self._compiler.choice(condition, then, otherwise, side)
        if len(arguments) != 1:
            return self.by_library(call, side)
        if function in functions.TYPES:
            return self._of_one(functions.is_type, function, arguments[0], side)
        if function in functions.OF_NUMBER:
            return self._of_one(self._of_number, function, arguments[0], side)
        items = arguments[0]
        if function in functions.BOUNDS and isinstance(items, ListOf):
            steps = parts_of([self._compiler.of(item, side) for item in items.items])
            return ColumnStep(
                lambda run: functions.bound(function, [step.of(run) for step in steps]), steps
            )
        return self.by_library(call, side)

    def _of_one(
        self, computed: Callable[[str, Column], Column], function: str, tree: Tree, side: int
    ) -> ColumnStep:
        step = self._compiler.of(tree, side)
        return ColumnStep(lambda run: computed(function, step.of(run)), (step,))

    def _of_number(self, function: str, column: Column) -> Column:
        """Return a function of numbers; strings and all else are left to the library."""
        if not column.possible & states.NUMBERS:
            return self._library.of(f"{function}(A0)", (column,))
        result = functions.of_number(function, column)
        if not column.possible & ~states.NUMBERS:
            return result
        numbers = column.is_in(states.NUMBERS)
        rest = with_state(column, numbers, states.UNKNOWN)
        return select(numbers, result, self._library.of(f"{function}(A0)", (rest,)))

    def by_library(self, tree: Tree, side: int) -> ColumnStep:
        """Return the value of ``tree`` by the library, once for each distinct set of values."""
        if tree.height > _MAX_HEIGHT:
            return unknown()
        text = _Text(side)
        try:
            found = written(self._replaced(tree, text))
        except (_StrangeError, ValueError):
            return unknown()
        steps = parts_of(text.steps)
        key = (found, *steps)
        step = self._library.steps.get(key)
        if step is None:
            library = self._library
            if len(library.steps) >= _MAX_STEPS:
                library.steps.clear()
            # Many expressions share it.
            step = kept(
                ColumnStep(lambda run: library.of(found, [each.of(run) for each in steps]), steps)
            )
            self._library.steps[key] = step
        return step

    def _replaced(self, tree: Tree, text: _Text) -> Tree:
        """Return ``tree`` with placeholders for all that it names."""
        if isinstance(tree, Literal):
            if not isinstance(tree.value, (str, Missing)) and as_number(tree.value) is None:
                raise _StrangeError
            return tree
        if isinstance(tree, Reference):
            return self._placeholder(tree, text)
        if isinstance(tree, Call):
            if tree.function not in PURE:
                raise _StrangeError
            arguments = tuple(self._replaced(each, text) for each in tree.arguments)
            return Call(tree.function, arguments, tree.height)
        if isinstance(tree, ListOf):
            return ListOf(tuple(self._replaced(each, text) for each in tree.items), tree.height)
        return self._replaced_operation(tree, text)

    def _replaced_operation(self, tree: Tree, text: _Text) -> Tree:
        if isinstance(tree, Subscript):
            of, index = self._replaced(tree.of, text), self._replaced(tree.index, text)
            return Subscript(of, index, tree.height)
        if isinstance(tree, Unary):
            return Unary(tree.operator, self._replaced(tree.operand, text), tree.height)
        if isinstance(tree, Binary):
            left, right = self._replaced(tree.left, text), self._replaced(tree.right, text)
            return Binary(tree.operator, left, right, tree.height)
        if isinstance(tree, Choice):
            condition = self._replaced(tree.condition, text)
            then = self._replaced(tree.then, text)
            return Choice(condition, then, self._replaced(tree.otherwise, text), tree.height)
        raise _StrangeError

    def _placeholder(self, reference: Reference, text: _Text) -> Tree:
        literal_list = self._compiler.list_named(reference, text.side)
        if literal_list is not None:
            return literal_list
        place = text.places.get(written(reference))
        if place is None:
            place = text.places[written(reference)] = len(text.steps)
            text.steps.append(self._compiler.of(reference, text.side))
        return Reference(f"a{place}")
