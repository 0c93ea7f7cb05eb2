"""The tree of a parsed ClassAd expression, where its parts stand in the text, and its text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, Union

from htcq.classad.values import Value, quoted_name, spelled

MY, TARGET = "my", "target"


class Span(NamedTuple):
    """The place of a part in the text: from ``start`` to before ``end``, without brackets."""

    start: int
    end: int


#: Of a part that stands in no text.
NOWHERE = Span(0, 0)


@dataclass(frozen=True, eq=False)
class Literal:
    """A number, a truth value, a string, ``undefined`` or ``error``."""

    value: Value
    height: int = 1
    span: Span = NOWHERE


@dataclass(frozen=True, eq=False)
class Reference:
    """An attribute by its name in lower case; ``scope`` is MY, TARGET or None."""

    name: str
    scope: str | None = None
    #: The scope is a reference of its own, and each looks its attribute up.
    height: int = 3
    span: Span = NOWHERE


@dataclass(frozen=True, eq=False)
class Unary:
    """One of ``- + ! ~`` and its operand."""

    operator: str
    operand: Tree
    height: int
    span: Span = NOWHERE


@dataclass(frozen=True, eq=False)
class Binary:
    """An operator between two operands; ``is`` and ``isnt`` are written ``=?=`` and ``=!=``."""

    operator: str
    left: Tree
    right: Tree
    height: int
    span: Span = NOWHERE


@dataclass(frozen=True, eq=False)
class Choice:
    """``condition ? then : otherwise``."""

    condition: Tree
    then: Tree
    otherwise: Tree
    height: int
    span: Span = NOWHERE


@dataclass(frozen=True, eq=False)
class Call:
    """A function by its name in lower case, and its arguments."""

    function: str
    arguments: tuple[Tree, ...]
    height: int
    span: Span = NOWHERE


@dataclass(frozen=True, eq=False)
class ListOf:
    """A list: ``{a, b}``."""

    items: tuple[Tree, ...]
    height: int
    span: Span = NOWHERE


@dataclass(frozen=True, eq=False)
class AdOf:
    """An ad in an expression: ``[a = 1; b = 2]``; names as they are written."""

    attributes: tuple[tuple[str, Tree], ...]
    height: int
    span: Span = NOWHERE


@dataclass(frozen=True, eq=False)
class Subscript:
    """An element of a list or an ad: ``list[index]``."""

    of: Tree
    index: Tree
    height: int
    span: Span = NOWHERE


@dataclass(frozen=True, eq=False)
class Selection:
    """An attribute of an expression, ``ad.name``; of the outermost ad where ``of`` is None."""

    of: Tree | None
    name: str
    height: int
    span: Span = NOWHERE


@dataclass(frozen=True, eq=False)
class Foreign:
    """An expression that is nested too deep, or a text that is none.

    ``broken_at`` is the place from which on the text is no ClassAd expression, -1 where it is one.
    """

    broken_at: int = -1
    height: int = 1
    span: Span = NOWHERE


Tree = Union[
    Literal, Reference, Unary, Binary, Choice, Call, ListOf, AdOf, Subscript, Selection, Foreign
]


def is_plain(items: ListOf) -> bool:
    """Return whether a list has nothing but plain values."""
    return all(isinstance(item, Literal) for item in items.items)


def parts(tree: Tree) -> tuple[Tree, ...]:
    """Return the trees right below ``tree``, as they follow each other in the text."""
    if isinstance(tree, Binary):
        return (tree.left, tree.right)
    if isinstance(tree, Unary):
        return (tree.operand,)
    if isinstance(tree, Call):
        return tree.arguments
    if isinstance(tree, Choice):
        return (tree.condition, tree.then, tree.otherwise)
    if isinstance(tree, ListOf):
        return tree.items
    if isinstance(tree, AdOf):
        return tuple(value for _, value in tree.attributes)
    if isinstance(tree, Subscript):
        return (tree.of, tree.index)
    if isinstance(tree, Selection) and tree.of is not None:
        return (tree.of,)
    return ()


def every(tree: Tree) -> Iterator[Tree]:
    """Yield ``tree`` and all below it, as they begin in the text."""
    left = [tree]
    while left:
        now = left.pop()
        yield now
        left += reversed(parts(now))


def written(tree: Tree) -> str:
    """Return a text that parses to ``tree``, with brackets around every operation."""
    if isinstance(tree, Literal):
        return spelled(tree.value)
    if isinstance(tree, Reference):
        return f"{tree.scope}.{quoted_name(tree.name)}" if tree.scope else quoted_name(tree.name)
    if isinstance(tree, Unary):
        return f"({tree.operator} {written(tree.operand)})"
    if isinstance(tree, Binary):
        return f"({written(tree.left)} {tree.operator} {written(tree.right)})"
    if isinstance(tree, Choice):
        parts = (written(tree.condition), written(tree.then), written(tree.otherwise))
        return "({} ? {} : {})".format(*parts)
    return _written_compound(tree)


def _written_compound(tree: Tree) -> str:
    if isinstance(tree, Call):
        return f"{quoted_name(tree.function)}({', '.join(map(written, tree.arguments))})"
    if isinstance(tree, ListOf):
        return f"{{{', '.join(map(written, tree.items))}}}"
    if isinstance(tree, Subscript):
        return f"{written(tree.of)}[{written(tree.index)}]"
    if isinstance(tree, AdOf):
        attributes = (f"{quoted_name(name)} = {written(value)}" for name, value in tree.attributes)
        return f"[{'; '.join(attributes)}]"
    if isinstance(tree, Selection):
        of = written(tree.of) if tree.of else ""
        # The point after a number would be the number's own.
        whole = f"({of})" if isinstance(tree.of, Literal) else of
        return f"{whole}.{quoted_name(tree.name)}"
    raise ValueError("the text of a foreign expression is not known")
