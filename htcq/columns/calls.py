"""Calls of functions in an evaluation.

Functions of numbers and of types are array operations; the library evaluates the others.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from htcq.classads import Missing, as_number
from htcq.columns import functions, states
from htcq.columns.column import UNKNOWN, Column, select, with_state
from htcq.columns.library import PURE, Library
from htcq.columns.tree import (
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

#: A call that nests deeper is left to the library with all around it.
_MAX_HEIGHT = 40
_ARGUMENTS_OF_CHOICE = 3


class Evaluation(Protocol):
    """What evaluates the arguments of a call (:class:`htcq.columns.evaluation.Evaluation`)."""

    def of(self, tree: Tree, side: int) -> Column:
        """Return the values of ``tree`` in the ad of ``side``."""

    def choice(self, condition: Tree, then: Tree, otherwise: Tree, side: int) -> Column:
        """Return ``then`` where ``condition`` holds, else ``otherwise``."""

    def list_named(self, tree: Reference, side: int) -> ListOf | None:
        """Return the list of plain values that an attribute is in all rows; None if it is not."""


class _StrangeError(Exception):
    """A part of a call that does not stand for a plain value."""


@dataclass
class _Text:
    """A call with its references replaced by A0, A1, …, and their values."""

    side: int
    columns: list[Column] = field(default_factory=list)
    places: dict[str, int] = field(default_factory=dict)


class Calls:
    """The functions of one evaluation."""

    def __init__(self, evaluation: Evaluation, library: Library) -> None:
        self._evaluation, self._library = evaluation, library

    def of(self, call: Call, side: int) -> Column:
        """Return the value of ``call`` in the ad of ``side``."""
        function, arguments = call.function, call.arguments
        if function == "ifthenelse" and len(arguments) == _ARGUMENTS_OF_CHOICE:
            condition, then, otherwise = arguments
            return self._evaluation.choice(condition, then, otherwise, side)
        if len(arguments) != 1:
            return self.by_library(call, side)
        if function in functions.TYPES:
            return functions.is_type(function, self._evaluation.of(arguments[0], side))
        if function in functions.OF_NUMBER:
            return self._of_number(function, self._evaluation.of(arguments[0], side))
        items = arguments[0]
        if function in functions.BOUNDS and isinstance(items, ListOf):
            columns = [self._evaluation.of(item, side) for item in items.items]
            return functions.bound(function, columns)
        return self.by_library(call, side)

    def _of_number(self, function: str, column: Column) -> Column:
        """Return a function of numbers; strings and all else are left to the library."""
        numbers = column.is_in(states.NUMBERS)
        if not column.possible & states.NUMBERS:
            return self._library.of(f"{function}(A0)", (column,))
        result = functions.of_number(function, column)
        if not column.possible & ~states.NUMBERS:
            return result
        rest = with_state(column, numbers, states.UNKNOWN)
        return select(numbers, result, self._library.of(f"{function}(A0)", (rest,)))

    def by_library(self, tree: Tree, side: int) -> Column:
        """Return the value of ``tree`` by the library, once for each distinct set of values."""
        if tree.height > _MAX_HEIGHT:
            return UNKNOWN
        text = _Text(side)
        try:
            found = written(self._replaced(tree, text))
        except (_StrangeError, ValueError):
            return UNKNOWN
        return self._library.of(found, text.columns)

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
        literal_list = self._evaluation.list_named(reference, text.side)
        if literal_list is not None:
            return literal_list
        place = text.places.get(written(reference))
        if place is None:
            place = text.places[written(reference)] = len(text.columns)
            text.columns.append(self._evaluation.of(reference, text.side))
        return Reference(f"a{place}")
