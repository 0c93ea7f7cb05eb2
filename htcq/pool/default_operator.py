"""The operator ``?:`` as ClassAds before 23.10.1 read it.

``A ?: B != C`` is ``(A ?: B) != C`` since then, as the operator binds as closely as ``[ ]``. Before
it bound less than all others: ``A ?: (B != C)``.

Follows parseExpression and parsePostfixExpression of src/classad/source.cpp, HTCondor 23.9 and
25.13.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_OPERATOR, _IF, _ELSE = "?:", "?", ":"
_TOKEN = re.compile(
    r"""\s*(?:
    (?P<text>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
    |(?P<operator>\?\s*:)
    |(?P<long>=\?=|=!=|[=!<>]=|&&|\|\||>>>|>>|<<)
    |(?P<other>[\w.]+|.)
    )""",
    re.VERBOSE | re.DOTALL,
)
_CLOSES = {"(": ")", "[": "]", "{": "}"}
#: What ends an expression without being a part of it; a nested ad assigns with =.
_BETWEEN = frozenset((",", ";", "="))
#: HTCondor does not parse what is nested deeper.
_MAX_DEPTH = 200


def reads_otherwise(text: str) -> bool:
    """Return whether ``text`` may have had another meaning before 23.10.1."""
    if _OPERATOR not in text:
        return False
    return as_before(text) is not None


def as_before(text: str) -> str | None:
    """Return ``text`` so that newer versions read it as older ones did.

    It is None where both read it in the same way.
    """
    if _OPERATOR not in text:
        return None
    reader = _Reader(list(_tokens(text)))
    found = reader.expressions("")
    if reader.differs and not reader.too_deep:
        return found
    return None


def _tokens(text: str) -> Iterator[str]:
    for match in _TOKEN.finditer(text):
        if match["operator"]:
            yield _OPERATOR
        else:
            token = match[0].strip()
            if token:
                yield token


class _Reader:
    """Reads tokens by the older grammar, and writes parentheses where that makes a difference."""

    def __init__(self, tokens: list[str]) -> None:
        self._tokens, self._place = tokens, 0
        #: Whether any operator takes in more by the older grammar.
        self.differs = False
        #: Whether it has given up, as the expression is nested too deep.
        self.too_deep = False
        self._depth = 0

    def expressions(self, close: str) -> str:
        """Return everything up to the bracket ``close``, or to the end."""
        written: list[str] = []
        while self._place < len(self._tokens):
            token = self._tokens[self._place]
            if token == close:
                break
            if token in _BETWEEN:
                written.append(token)
                self._place += 1
                continue
            written += self._expression(close)
            # An else without its if is no expression, and goes on as it is.
            if self._place < len(self._tokens) and self._tokens[self._place] == _ELSE:
                written.append(_ELSE)
                self._place += 1
        return " ".join(written)

    def _expression(self, close: str) -> list[str]:
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            self.too_deep = True
            self._place = len(self._tokens)
        found = self._written(close)
        self._depth -= 1
        return found

    def _written(self, close: str) -> list[str]:
        left: list[str] = []
        while self._place < len(self._tokens):
            token = self._tokens[self._place]
            if token in (close, _ELSE) or token in _BETWEEN:
                return left
            self._place += 1
            if token in _CLOSES:
                inner = self.expressions(_CLOSES[token])
                self._place += 1
                left.append(f"{token}{inner}{_CLOSES[token]}")
            elif token == _OPERATOR:
                right = self._expression(close)
                self.differs = self.differs or _is_long(left) or _is_long(right)
                return ["(", *left, ")", _OPERATOR, "(", *right, ")"]
            elif token == _IF:
                then = self._expression(close)
                self._place += 1
                return [*left, _IF, *then, _ELSE, *self._expression(close)]
            else:
                left.append(token)
        return left


def _is_long(tokens: list[str]) -> bool:
    """Return whether an operand is more than a name, a value, a call or something in brackets.

    A chain of the operator itself means the same in any order.
    """
    if _OPERATOR in tokens:
        return False
    if tokens[:1] == ["-"] and tokens[1:] and tokens[1][0].isdigit():
        tokens = tokens[1:]
    plain = [token for token in tokens if not token.startswith(("(", "[", "{"))]
    return len(plain) > 1
