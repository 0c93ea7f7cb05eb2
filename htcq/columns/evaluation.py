"""One expression about pairs of ads, evaluated for all rows at once.

Attributes are looked up as in a match (src/classad/attrrefs.cpp:FindExpr and
src/classad/matchClassad.cpp, HTCondor 25.14): a name without a scope in the ad that holds the
expression, then in the other ad. An attribute that is an expression is evaluated in the scope of
the ad that holds it. What cannot be evaluated here is unknown, and the rows that depend on it are
left to the ClassAd library: circles, too deep a nesting, names of the match itself.
"""

from __future__ import annotations

from htcq.columns import arithmetic, comparison, logic, states
from htcq.columns.calls import Calls
from htcq.columns.column import UNKNOWN, Column, constant, select
from htcq.columns.library import Library
from htcq.columns.table import Evaluated, Table
from htcq.columns.tree import (
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
_UNDEFINED = constant(states.UNDEFINED)


class Evaluation:
    """The evaluation of expressions with two ads, ``my`` and ``target``, of which one has rows."""

    def __init__(self, my: Table, target: Table | None, library: Library) -> None:
        self._tables = (my, target)
        self._library = library
        self._calls = Calls(self, library)
        #: Values of attributes that look at the other ad, by side and name.
        self._known: dict[tuple[int, str], Evaluated] = {}
        self._under_way: set[tuple[int, str]] = set()
        self._height = self._levels = self._steps = 0
        #: How often an expression of each side looked at the other one.
        self._looked_across = [0, 0]

    def of(self, tree: Tree, side: int = 0) -> Column:
        """Return the values of ``tree`` in the ad of ``side``: 0 is MY."""
        self._steps += 1
        if isinstance(tree, Reference):
            return self._reference(tree, side)
        if isinstance(tree, Literal):
            return self._library.literal(tree)
        if self._height + tree.height > MAX_HEIGHT or self._levels > MAX_LEVELS:
            return UNKNOWN
        self._levels += 1
        found = self._compound(tree, side)
        self._levels -= 1
        return found

    def _compound(self, tree: Tree, side: int) -> Column:
        if isinstance(tree, Binary):
            return self._chain(tree, side)
        if isinstance(tree, Unary):
            return self._unary(tree.operator, self.of(tree.operand, side))
        if isinstance(tree, Choice):
            return self.choice(tree.condition, tree.then, tree.otherwise, side)
        if isinstance(tree, Call):
            return self._calls.of(tree, side)
        return self._calls.by_library(tree, side)

    def _chain(self, tree: Binary, side: int) -> Column:
        """Return the value of operators that follow each other, from the left."""
        chain = [tree]
        while isinstance(chain[-1].left, Binary):
            chain.append(chain[-1].left)
        value = self.of(chain[-1].left, side)
        for each in reversed(chain):
            value = self._binary(each, value, side)
        return value

    def _binary(self, tree: Binary, left: Column, side: int) -> Column:
        operator = tree.operator
        if operator in ("&&", "||"):
            if logic.decided(operator, left):
                return logic.joined(operator, left, _UNDEFINED)
            return logic.joined(operator, left, self.of(tree.right, side))
        if operator == "?:":
            if not left.possible & states.UNDEFINED:
                return left
            return logic.defaulted(left, self.of(tree.right, side))
        right = self.of(tree.right, side)
        if operator in comparison.COMPARISONS:
            return comparison.compared(operator, left, right, self._library.strings)
        if operator in comparison.IDENTITIES:
            return comparison.identical(operator, left, right)
        if operator in arithmetic.ARITHMETIC:
            return arithmetic.computed(operator, left, right)
        return arithmetic.bitwise(operator, left, right)

    def _unary(self, operator: str, operand: Column) -> Column:
        if operator == "!":
            return logic.opposite(operand)
        if operator == "-":
            return arithmetic.negated(operand)
        return arithmetic.plus(operand) if operator == "+" else arithmetic.inverted(operand)

    def choice(self, condition: Tree, then: Tree, otherwise: Tree, side: int) -> Column:
        """Return ``then`` where ``condition`` holds, else ``otherwise``."""
        found = self.of(condition, side)
        branch = logic.always(found)
        if branch is not None:
            return self.of(then if branch else otherwise, side)
        return logic.chosen(found, self.of(then, side), self.of(otherwise, side))

    def _reference(self, tree: Reference, side: int) -> Column:
        name = tree.name
        if name in SPECIAL:
            return UNKNOWN
        if tree.scope is not None:
            return self._scoped(tree.scope, name, side)
        own = self._attribute(side, name)
        if not own.possible & states.ABSENT:
            return own
        absent = own.is_in(states.ABSENT)
        return select(absent, _present(self._across(side, name)), own)

    def _scoped(self, scope: str, name: str, side: int) -> Column:
        table = self._tables[side]
        if table is not None and table.has(scope):
            # An attribute of that name hides the scope.
            return UNKNOWN
        if scope == MY:
            return _present(self._attribute(side, name))
        assert scope == TARGET
        return _present(self._across(side, name))

    def list_named(self, tree: Reference, side: int) -> ListOf | None:
        """Return the list of plain values that an attribute is in all rows; None if it is not."""
        if tree.name in SPECIAL:
            return None
        sides = [side, 1 - side]
        if tree.scope is not None:
            sides = [side if tree.scope == MY else 1 - side]
        for each in sides:
            self._looked_across[side] += each != side
            table = self._tables[each]
            if table is not None and table.has(tree.name):
                found = None if table.own(tree.name) else table.schema.attribute(tree.name)
                return found if isinstance(found, ListOf) and is_plain(found) else None
        return None

    def _across(self, side: int, name: str) -> Column:
        """Return the attribute ``name`` of the other ad."""
        self._looked_across[side] += 1
        return self._attribute(1 - side, name)

    def _attribute(self, side: int, name: str) -> Column:
        """Return the attribute ``name`` of one ad; ABSENT in the rows that lack it."""
        table = self._tables[side]
        if table is None:
            return constant(states.ABSENT)
        own = table.own(name)
        if own is not None and not own.possible & states.ABSENT:
            return own
        shared = self._shared(table, side, name)
        return shared if own is None else select(own.is_in(states.ABSENT), shared, own)

    def _shared(self, table: Table, side: int, name: str) -> Column:
        found = table.schema.attribute(name)
        if found is None:
            return constant(states.ABSENT)
        if isinstance(found, Column):
            return found
        key = (side, name)
        known = table.evaluated.get(name)
        if known is None and key in self._known:
            self._looked_across[side] += 1
            known = self._known[key]
        if known is not None:
            # The library evaluates it anew at each place.
            self._steps += known.steps
            return known.column if self._steps <= MAX_STEPS else UNKNOWN
        if key in self._under_way:
            return UNKNOWN
        return self._evaluated(table, key, found)

    def _evaluated(self, table: Table, key: tuple[int, str], tree: Tree) -> Column:
        side, name = key
        before, height, steps = self._looked_across[side], self._height, self._steps
        self._under_way.add(key)
        # Both what refers to the attribute and the attribute itself count.
        self._height += tree.height + 2
        self._levels += 1
        value = self.of(tree, side) if self._height <= MAX_HEIGHT else UNKNOWN
        self._levels -= 1
        self._height = height
        self._under_way.discard(key)
        found = Evaluated(value, self._steps - steps)
        alone = self._looked_across[side] == before and not value.possible & states.UNKNOWN
        if alone:
            table.evaluated[name] = found
        else:
            self._known[key] = found
        return value


def _present(column: Column) -> Column:
    """Return ``column`` with undefined for the rows that are absent."""
    if not column.possible & states.ABSENT:
        return column
    return select(column.is_in(states.ABSENT), _UNDEFINED, column)
