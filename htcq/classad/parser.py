"""ClassAd expressions parsed into trees.

Follows the grammar of src/classad/source.cpp, HTCondor 25.14, with the semantics of old ClassAds:
arguments may be separated by semicolons. What stands after a choice ``A ? B : C`` that is the
whole expression is ignored, as it is there.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache
from typing import Callable

from htcq.classad.tokens import (
    BROKEN,
    END,
    LONGEST,
    NAME,
    NUMBER,
    OLD,
    QUOTED,
    SYMBOL,
    TEXT,
    WORD_OPERATORS,
    Dialect,
    Token,
    tokens,
)
from htcq.classad.tree import (
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
    Span,
    Subscript,
    Tree,
    Unary,
)
from htcq.classad.values import WORDS

#: Brackets, unary operators and choices in each other; the library takes some 150 (25.14.1).
MAX_NESTING = 60
_LARGEST = 2**63
#: What strtod of the C library reads of a real number with hexadecimal digits: no exponent.
_HEXADECIMAL_REAL = re.compile(r"-?0[xX][0-9A-Fa-f]+\.[0-9A-Fa-f]+")
#: How tightly the binary operators bind; all are left-associative.
_BINDING = {
    "||": 1, "&&": 2, "|": 3, "^": 4, "&": 5,
    "==": 6, "!=": 6, "=?=": 6, "=!=": 6,
    "<": 7, "<=": 7, ">": 7, ">=": 7, "<<": 8, ">>": 8, ">>>": 8,
    "+": 9, "-": 9, "*": 10, "/": 10, "%": 10,
}  # fmt: skip
_UNARY = frozenset("-+!~")
_RESERVED = frozenset((*WORD_OPERATORS, *WORDS))


class NotAnExpressionError(Exception):
    """A text is no ClassAd expression from ``place`` on."""

    def __init__(self, place: int) -> None:
        super().__init__(place)
        self.place = place


class TooDeepError(Exception):
    """An expression is nested deeper than it is parsed here, or longer."""


@lru_cache(maxsize=8192)
def parse(text: str, dialect: Dialect = OLD) -> Tree:
    """Return the tree of ``text``; a foreign one where it is no expression, or nested too deep."""
    try:
        return parsed_up_to(text, dialect)[0]
    except NotAnExpressionError as error:
        return Foreign(error.place)
    except TooDeepError:
        return Foreign()


@lru_cache(maxsize=1024)
def parse_before_23_10(text: str) -> Tree:
    """Return the tree as HTCondor before 23.10.1 had it, where ``?:`` bound least of all."""
    if len(text) > LONGEST:
        return Foreign()
    try:
        return _Parser(text, OLD, elvis_is_loose=True).all(whole=True)[0]
    except NotAnExpressionError as error:
        return Foreign(error.place)
    except TooDeepError:
        return Foreign()


def parsed_up_to(text: str, dialect: Dialect = OLD, whole: bool = True) -> tuple[Tree, int]:
    """Return the tree of ``text``, and the place where the expression ends.

    Without ``whole`` anything may follow it.

    Raises:
        NotAnExpressionError: the text is no ClassAd expression.
        TooDeepError: it is nested too deep.
    """
    if len(text) > LONGEST:
        raise TooDeepError
    return _Parser(text, dialect).all(whole)


class _Parser:
    """The parse of one text, by recursive descent."""

    def __init__(self, text: str, dialect: Dialect, elvis_is_loose: bool = False) -> None:
        self._tokens = tokens(text, dialect)
        self._dialect = dialect
        self._elvis_is_loose = elvis_is_loose
        self._place = 0
        self._nesting = 0

    def all(self, whole: bool) -> tuple[Tree, int]:
        """Return the tree of the whole text, and where it ends.

        What follows a choice is ignored in a line of an ad, but not in a new ClassAd.
        """
        tree = self._expression()
        last = self._tokens[self._place - 1]
        is_choice = isinstance(tree, Choice) and tree.span.end == last.end
        is_choice = is_choice and self._dialect == OLD
        if whole and not is_choice and self._next().kind != END:
            raise NotAnExpressionError(self._next().start)
        return tree, last.end

    def _next(self) -> Token:
        return self._tokens[self._place]

    def _taken(self) -> Token:
        token = self._tokens[self._place]
        if token.kind in (END, BROKEN):
            raise NotAnExpressionError(token.start)
        self._place += 1
        return token

    def _since(self, start: int) -> Span:
        """Return the place of what was taken from ``start`` on."""
        return Span(start, self._tokens[self._place - 1].end)

    def _skipped(self, symbol: str) -> bool:
        """Skip ``symbol`` if it is next."""
        found = self._tokens[self._place].is_symbol(symbol)
        self._place += found
        return found

    def _expect(self, symbol: str) -> None:
        if not self._skipped(symbol):
            raise NotAnExpressionError(self._next().start)

    def _deeper(self, parse_part: Callable[[], Tree]) -> Tree:
        """Return what ``parse_part`` finds one level deeper."""
        self._nesting += 1
        if self._nesting > MAX_NESTING:
            raise TooDeepError
        tree = parse_part()
        self._nesting -= 1
        return tree

    def _expression(self) -> Tree:
        start = self._next().start
        condition = self._operation()
        if self._elvis_is_loose and self._skipped("?:"):
            return self._defaulted(condition, self._expression, start)
        if not self._skipped("?"):
            return condition
        then = self._deeper(self._expression)
        self._expect(":")
        otherwise = self._deeper(self._expression)
        height = 1 + _highest(condition, then, otherwise)
        return Choice(condition, then, otherwise, height, self._since(start))

    def _operation(self) -> Tree:
        """Return operands joined by binary operators, all of one level of brackets."""
        starts = [self._next().start]
        operands, operators = [self._unary()], list[str]()
        while True:
            operator = self._operator()
            binding = _BINDING.get(operator, 0)
            while operators and _BINDING[operators[-1]] >= binding:
                right, left = operands.pop(), operands.pop()
                starts.pop()
                height, span = 1 + _highest(left, right), self._since(starts[-1])
                operands.append(Binary(operators.pop(), left, right, height, span))
            if not binding:
                return operands[0]
            self._place += 1
            operators.append(operator)
            starts.append(self._next().start)
            operands.append(self._unary())

    def _operator(self) -> str:
        """Return the operator that is next; another token's text if it is none."""
        token = self._tokens[self._place]
        if token.kind == NAME:
            return WORD_OPERATORS.get(token.text.lower(), "")
        return token.text if token.kind == SYMBOL else ""

    def _unary(self) -> Tree:
        token = self._tokens[self._place]
        if token.kind != SYMBOL or token.text not in _UNARY:
            return self._postfix()
        self._place += 1
        operand = self._deeper(self._unary)
        return Unary(token.text, operand, 1 + operand.height, self._since(token.start))

    def _postfix(self) -> Tree:
        start = self._next().start
        tree = self._primary()
        while True:
            if self._skipped("["):
                index = self._deeper(self._expression)
                self._expect("]")
                tree = Subscript(tree, index, 1 + _highest(tree, index), self._since(start))
            elif not self._elvis_is_loose and self._skipped("?:"):
                # Right-associative, and tighter than any unary operator.
                tree = self._defaulted(tree, self._postfix, start)
            elif self._skipped("."):
                name = self._name()
                tree = _selected(tree, name, self._since(start))
            else:
                return tree

    def _defaulted(self, tree: Tree, parse_part: Callable[[], Tree], start: int) -> Tree:
        otherwise = self._deeper(parse_part)
        height = 1 + _highest(tree, otherwise)
        return Binary("?:", tree, otherwise, height, self._since(start))

    def _name(self) -> str:
        token = self._taken()
        if token.kind == QUOTED:
            return token.text.lower()
        if token.kind != NAME or token.text.lower() in _RESERVED:
            raise NotAnExpressionError(token.start)
        return token.text.lower()

    def _primary(self) -> Tree:
        token = self._taken()
        span = Span(token.start, token.end)
        if token.kind == NUMBER:
            return Literal(_number(token.text), span=span)
        if token.kind == TEXT:
            return Literal(token.text, span=span)
        if token.kind == SYMBOL:
            return self._bracketed(token)
        word = token.text.lower()
        if token.kind == NAME and word in _RESERVED:
            if word in WORD_OPERATORS:
                raise NotAnExpressionError(token.start)
            return Literal(WORDS[word], span=span)
        if not self._skipped("("):
            return Reference(word, span=span)
        arguments = self._until(")", (",", ";"))
        return Call(word, arguments, 1 + _highest(*arguments), self._since(token.start))

    def _until(self, closing: str, separators: tuple[str, ...]) -> tuple[Tree, ...]:
        """Return the expressions up to ``closing``, which ``separators`` separate."""
        if self._skipped(closing):
            return ()
        found = [self._deeper(self._expression)]
        while any(map(self._skipped, separators)):
            found.append(self._deeper(self._expression))
        self._expect(closing)
        return tuple(found)

    def _bracketed(self, token: Token) -> Tree:
        symbol = token.text
        if symbol == "(":
            tree = self._deeper(self._expression)
            self._expect(")")
            return tree
        if symbol == "{":
            items = self._until("}", (",",))
            return ListOf(items, 1 + _highest(*items), self._since(token.start))
        if symbol == "[":
            return self._ad(token.start)
        if symbol == ".":
            name = self._name()
            return Selection(None, name, 3, self._since(token.start))
        raise NotAnExpressionError(token.start)

    def _ad(self, start: int) -> Tree:
        attributes = []
        while not self._skipped("]"):
            while self._skipped(";"):
                pass
            place = self._next().start
            name = self._name()
            if not name:
                raise NotAnExpressionError(place)
            self._expect("=")
            attributes.append((name, self._deeper(self._expression)))
            if not self._next().is_symbol("]"):
                self._expect(";")
            while self._skipped(";"):
                pass
        heights = _highest(*(tree for _, tree in attributes))
        return AdOf(tuple(attributes), 1 + heights, self._since(start))


def _highest(*trees: Tree) -> int:
    # One more for the brackets that may stand around each, which count in the library.
    return 1 + max((tree.height for tree in trees), default=0)


def _selected(tree: Tree, name: str, span: Span) -> Tree:
    if isinstance(tree, Reference) and tree.scope is None and tree.name in (MY, TARGET):
        return Reference(name, tree.name, span=span)
    return Selection(tree, name, 2 + tree.height, span)


def _number(text: str) -> int | float:
    digits = text[1:] if text[0] == "-" else text
    hexadecimal = _HEXADECIMAL_REAL.match(text)
    if hexadecimal is not None:
        return _real_of(hexadecimal.group())
    if not digits.isdigit():
        return float(text)
    value = int(text)
    # What has more than 64 bits is 0 to the library.
    return value if -_LARGEST <= value < _LARGEST else 0


def _real_of(hexadecimal: str) -> float:
    try:
        return float.fromhex(hexadecimal)
    except OverflowError:
        return -math.inf if hexadecimal[0] == "-" else math.inf
