"""Expressions as ClassAds before 23.10.1 read them.

``A ?: B != C`` is ``(A ?: B) != C`` since then, as the operator binds as closely as ``[ ]``. Before
it bound less than all others: ``A ?: (B != C)``.

Follows parseExpression and parsePostfixExpression of src/classad/source.cpp, HTCondor 23.9 and
25.13.
"""

from __future__ import annotations

from collections.abc import Iterator

from htcq.classad.parser import parse_before_23_10
from htcq.classad.substitution import with_texts
from htcq.classad.tree import Binary, Choice, Span, Tree, Unary, every

_OPERATOR = "?:"


def reads_otherwise(text: str) -> bool:
    """Return whether ``text`` may have had another meaning before 23.10.1."""
    return as_before(text) is not None


def as_before(text: str) -> str | None:
    """Return ``text`` so that newer versions read it as older ones did.

    It is None where both read it in the same way.
    """
    if "?" not in text or ":" not in text:
        return None
    found = sorted(_brackets(parse_before_23_10(text)))
    return with_texts(text, found) if found else None


def _brackets(tree: Tree) -> Iterator[tuple[Span, str]]:
    """Yield the brackets that make a difference, each with its place."""
    for part in every(tree):
        if not isinstance(part, Binary) or part.operator != _OPERATOR:
            continue
        left, right = part.left, part.right
        for side, is_bare in (
            (left, left.span.start == part.span.start),
            (right, right.span.end == part.span.end),
        ):
            if is_bare and _is_long(side):
                yield Span(side.span.start, side.span.start), "("
                yield Span(side.span.end, side.span.end), ")"


def _is_long(tree: Tree) -> bool:
    """Return whether an operand is more than a name, a value, a call or something in brackets.

    A chain of the operator itself means the same in any order.
    """
    if isinstance(tree, Binary):
        return tree.operator != _OPERATOR
    return isinstance(tree, (Unary, Choice))
