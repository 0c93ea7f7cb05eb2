"""ClassAd expressions parsed into trees.

Follows the grammar of src/classad/source.cpp, HTCondor 25.14. Text that nests too deep or looks
unusual becomes a foreign tree, which the ClassAd library evaluates.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Callable

from htcq.classads import ERROR, UNDEFINED, Expr, Value
from htcq.columns.tokens import (
    END,
    NAME,
    NUMBER,
    QUOTED,
    SYMBOL,
    TEXT,
    Token,
    UnfamiliarError,
    tokens,
)
from htcq.columns.tree import (
    MY,
    TARGET,
    AdOf,
    Binary,
    Call,
    Choice,
    Foreign,
    ListOf,
    Literal,
    Reference,
    Selection,
    Subscript,
    Tree,
    Unary,
)

#: Brackets, unary operators and choices in each other; the library takes some 150 (25.14.1).
MAX_NESTING = 60
_LARGEST = 2**63 - 1
#: How tightly the binary operators bind; all are left-associative.
_BINDING = {
    "||": 1, "&&": 2, "|": 3, "^": 4, "&": 5,
    "==": 6, "!=": 6, "=?=": 6, "=!=": 6,
    "<": 7, "<=": 7, ">": 7, ">=": 7, "<<": 8, ">>": 8, ">>>": 8,
    "+": 9, "-": 9, "*": 10, "/": 10, "%": 10,
}  # fmt: skip
_UNARY = frozenset("-+!~")
_WORD_OPERATORS = {"is": "=?=", "isnt": "=!="}
_WORDS: dict[str, Value] = {"true": True, "false": False, "undefined": UNDEFINED, "error": ERROR}
_END = Token(END, "")


@lru_cache(maxsize=8192)
def parse(text: str) -> Tree:
    """Return the tree of ``text``, which the ClassAd library accepts as an expression."""
    try:
        return _Parser(text).whole()
    except UnfamiliarError:
        return Foreign()


class _Parser:
    """The parse of one text, by recursive descent."""

    def __init__(self, text: str) -> None:
        self._tokens = list(tokens(text))
        self._place = 0
        self._nesting = 0

    def whole(self) -> Tree:
        """Return the tree of the whole text."""
        tree = self._expression()
        if self._next() != _END:
            raise UnfamiliarError
        return tree

    def _next(self) -> Token:
        return self._tokens[self._place]

    def _taken(self) -> Token:
        token = self._tokens[self._place]
        if token == _END:
            raise UnfamiliarError
        self._place += 1
        return token

    def _skipped(self, symbol: str) -> bool:
        """Skip ``symbol`` if it is next."""
        found = self._next() == (SYMBOL, symbol)
        self._place += found
        return found

    def _expect(self, symbol: str) -> None:
        if not self._skipped(symbol):
            raise UnfamiliarError

    def _deeper(self, parse_part: Callable[[], Tree]) -> Tree:
        """Return what ``parse_part`` finds one level deeper."""
        self._nesting += 1
        if self._nesting > MAX_NESTING:
            raise UnfamiliarError
        tree = parse_part()
        self._nesting -= 1
        return tree

    def _expression(self) -> Tree:
        condition = self._operation()
        if not self._skipped("?"):
            return condition
        then = self._deeper(self._expression)
        self._expect(":")
        otherwise = self._deeper(self._expression)
        return Choice(condition, then, otherwise, 1 + _highest(condition, then, otherwise))

    def _operation(self) -> Tree:
        """Return operands joined by binary operators, all of one level of brackets."""
        operands, operators = [self._unary()], list[str]()
        while True:
            operator = self._operator()
            binding = _BINDING.get(operator, 0)
            while operators and _BINDING[operators[-1]] >= binding:
                right, left = operands.pop(), operands.pop()
                operands.append(Binary(operators.pop(), left, right, 1 + _highest(left, right)))
            if not binding:
                return operands[0]
            self._place += 1
            operators.append(operator)
            operands.append(self._unary())

    def _operator(self) -> str:
        """Return the operator that is next; another token's text if it is none."""
        kind, text = self._next()
        if kind == NAME:
            return _WORD_OPERATORS.get(text.lower(), "")
        return text if kind == SYMBOL else ""

    def _unary(self) -> Tree:
        kind, text = self._next()
        if kind != SYMBOL or text not in _UNARY:
            return self._postfix()
        self._place += 1
        operand = self._deeper(self._unary)
        return Unary(text, operand, 1 + operand.height)

    def _postfix(self) -> Tree:
        tree = self._primary()
        while True:
            if self._skipped("["):
                index = self._deeper(self._expression)
                self._expect("]")
                tree = Subscript(tree, index, 1 + _highest(tree, index))
            elif self._skipped("?:"):
                # Right-associative, and tighter than any unary operator.
                otherwise = self._deeper(self._postfix)
                tree = Binary("?:", tree, otherwise, 1 + _highest(tree, otherwise))
            elif self._skipped("."):
                tree = _selected(tree, self._name())
            else:
                return tree

    def _name(self) -> str:
        kind, text = self._taken()
        if kind not in (NAME, QUOTED):
            raise UnfamiliarError
        return text.lower()

    def _primary(self) -> Tree:
        kind, text = self._taken()
        if kind == NUMBER:
            return Literal(_number(text))
        if kind == TEXT:
            return Literal(self._text(text))
        if kind == QUOTED:
            return self._called(text)
        if kind == NAME:
            word = text.lower()
            if word in _WORD_OPERATORS:
                raise UnfamiliarError
            return Literal(_WORDS[word]) if word in _WORDS else self._called(text)
        return self._bracketed(text)

    def _text(self, text: str) -> str:
        """Return the string that ``text`` and the strings right after it spell."""
        while self._next().kind == TEXT:
            text = f"{text} {self._taken().text}"
        if "\\" not in text and text.count('"') == 2:
            return text[1:-1]
        value = Expr(text).evaluate()
        if not isinstance(value, str):
            raise UnfamiliarError
        return value

    def _called(self, name: str) -> Tree:
        if not self._skipped("("):
            return Reference(name.lower())
        arguments = self._until(")")
        return Call(name.lower(), arguments, 1 + _highest(*arguments))

    def _until(self, closing: str) -> tuple[Tree, ...]:
        """Return the expressions up to ``closing``, which commas separate."""
        if self._skipped(closing):
            return ()
        found = [self._deeper(self._expression)]
        while self._skipped(","):
            found.append(self._deeper(self._expression))
        self._expect(closing)
        return tuple(found)

    def _bracketed(self, symbol: str) -> Tree:
        if symbol == "(":
            tree = self._deeper(self._expression)
            self._expect(")")
            return tree
        if symbol == "{":
            items = self._until("}")
            return ListOf(items, 1 + _highest(*items))
        if symbol == "[":
            return self._ad()
        if symbol == ".":
            return Selection(None, self._name(), 3)
        if symbol == "-" and self._next().kind == NUMBER:
            # A negative number may stand where an operator may not: after "?:".
            operand = self._primary()
            return Unary("-", operand, 1 + operand.height)
        raise UnfamiliarError

    def _ad(self) -> Tree:
        attributes = []
        while not self._skipped("]"):
            name = self._name()
            self._expect("=")
            attributes.append((name, self._deeper(self._expression)))
            if self._next() != (SYMBOL, "]"):
                self._expect(";")
        heights = _highest(*(tree for _, tree in attributes))
        return AdOf(tuple(attributes), 1 + heights)


def _highest(*trees: Tree) -> int:
    # One more for the brackets that may stand around each, which count in the library.
    return 1 + max((tree.height for tree in trees), default=0)


def _selected(tree: Tree, name: str) -> Tree:
    if isinstance(tree, Reference) and tree.scope is None and tree.name in (MY, TARGET):
        return Reference(name, tree.name)
    return Selection(tree, name, 2 + tree.height)


def _number(text: str) -> int | float:
    if not text.isdigit():
        return float(text)
    if int(text) > _LARGEST or (text[0] == "0" and len(text) > 1):
        raise UnfamiliarError
    return int(text)
