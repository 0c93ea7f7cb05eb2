"""What conditions are made of: the texts of their parts, without the brackets around them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from htcq.classad.parser import parse
from htcq.classad.tree import Binary, Call, Foreign, Tree, written

_COMPARISONS = frozenset({"<", "<=", ">", ">="})
_CHOICE = "ifthenelse"
#: The same texts come again and again: jobs and slots differ by numbers much more than by
#: expressions.
_remembered = lru_cache(maxsize=4096)


class Comparison(NamedTuple):
    """Two texts, and which of them shall be larger."""

    left: str
    operator: str
    right: str


@_remembered
def conjuncts(text: str) -> Sequence[str]:
    """Return the texts that must all hold for ``text`` to hold."""
    return _operands(text, "&&")


@_remembered
def disjuncts(text: str) -> Sequence[str]:
    """Return the texts of which ``text`` takes the first that holds."""
    return _operands(text, "||")


@_remembered
def comparison(text: str) -> Comparison | None:
    """Return the comparison by size that ``text`` is; None where it is anything else."""
    tree = parse(text)
    if not isinstance(tree, Binary) or tree.operator not in _COMPARISONS:
        return None
    left = tree.left
    if isinstance(left, Binary) and left.operator in _COMPARISONS and _is_first(left, tree):
        return None
    return Comparison(_text(text, left), tree.operator, _text(text, tree.right))


@_remembered
def choice(text: str) -> tuple[str, str, str] | None:
    """Return the three arguments of ``ifThenElse``; None where ``text`` is no call of it."""
    tree = parse(text)
    if not isinstance(tree, Call) or tree.function != _CHOICE or len(tree.arguments) != 3:
        return None
    condition, then, otherwise = (_text(text, each) for each in tree.arguments)
    return condition, then, otherwise


@_remembered
def bare(text: str) -> str:
    """Return ``text`` without the brackets around all of it."""
    return _text(text, parse(text))


def same(text: str, other: str) -> bool:
    """Return whether two expressions are one, whatever their spaces, brackets and cases."""
    trees = parse(text), parse(other)
    if any(isinstance(each, Foreign) for each in trees):
        return text == other
    return written(trees[0]) == written(trees[1])


def _operands(text: str, operator: str) -> Sequence[str]:
    """Return the operands of a chain of ``operator``; of other expressions all of it."""
    tree, found = parse(text), list[Tree]()
    while isinstance(tree, Binary) and tree.operator == operator:
        found.append(tree.right)
        is_chain, tree = _is_first(tree.left, tree), tree.left
        if not is_chain:
            break
    return [_text(text, each) for each in (tree, *reversed(found))]


def _is_first(left: Tree, tree: Tree) -> bool:
    """Return whether ``tree`` begins with ``left``, without brackets around that."""
    return left.span.start == tree.span.start


def _text(text: str, tree: Tree) -> str:
    if isinstance(tree, Foreign):
        return text.strip()
    return text[tree.span.start : tree.span.end]
