"""The tree of a parsed ClassAd expression, and its text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Union

from htcq.classads import Value, spelled

MY, TARGET = "my", "target"


@dataclass(frozen=True, eq=False)
class Literal:
    """A number, a truth value, a string, ``undefined`` or ``error``."""

    value: Value
    height: int = 1


@dataclass(frozen=True, eq=False)
class Reference:
    """An attribute by its name in lower case; ``scope`` is MY, TARGET or None."""

    name: str
    scope: str | None = None
    #: The scope is a reference of its own, and each looks its attribute up.
    height: int = 3


@dataclass(frozen=True, eq=False)
class Unary:
    """One of ``- + ! ~`` and its operand."""

    operator: str
    operand: Tree
    height: int


@dataclass(frozen=True, eq=False)
class Binary:
    """An operator between two operands; ``is`` and ``isnt`` are written ``=?=`` and ``=!=``."""

    operator: str
    left: Tree
    right: Tree
    height: int


@dataclass(frozen=True, eq=False)
class Choice:
    """``condition ? then : otherwise``."""

    condition: Tree
    then: Tree
    otherwise: Tree
    height: int


@dataclass(frozen=True, eq=False)
class Call:
    """A function by its name in lower case, and its arguments."""

    function: str
    arguments: tuple[Tree, ...]
    height: int


@dataclass(frozen=True, eq=False)
class ListOf:
    """A list: ``{a, b}``."""

    items: tuple[Tree, ...]
    height: int


@dataclass(frozen=True, eq=False)
class AdOf:
    """An ad in an expression: ``[a = 1; b = 2]``; names as they are written."""

    attributes: tuple[tuple[str, Tree], ...]
    height: int


@dataclass(frozen=True, eq=False)
class Subscript:
    """An element of a list or an ad: ``list[index]``."""

    of: Tree
    index: Tree
    height: int


@dataclass(frozen=True, eq=False)
class Selection:
    """An attribute of an expression, ``ad.name``; of the outermost ad where ``of`` is None."""

    of: Tree | None
    name: str
    height: int


@dataclass(frozen=True, eq=False)
class Foreign:
    """An expression that only the ClassAd library can take apart."""

    height: int = 1


Tree = Union[
    Literal, Reference, Unary, Binary, Choice, Call, ListOf, AdOf, Subscript, Selection, Foreign
]


def is_plain(items: ListOf) -> bool:
    """Return whether a list has nothing but plain values."""
    return all(isinstance(item, Literal) for item in items.items)


def written(tree: Tree) -> str:
    """Return a text that parses to ``tree``, with brackets around every operation."""
    if isinstance(tree, Literal):
        return spelled(tree.value)
    if isinstance(tree, Reference):
        return f"{tree.scope}.'{tree.name}'" if tree.scope else f"'{tree.name}'"
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
        return f"{tree.function}({', '.join(map(written, tree.arguments))})"
    if isinstance(tree, ListOf):
        return f"{{{', '.join(map(written, tree.items))}}}"
    if isinstance(tree, Subscript):
        return f"{written(tree.of)}[{written(tree.index)}]"
    if isinstance(tree, AdOf):
        attributes = (f"'{name}' = {written(value)}" for name, value in tree.attributes)
        return f"[{'; '.join(attributes)}]"
    if isinstance(tree, Selection):
        return f"{written(tree.of) if tree.of else ''}.'{tree.name}'"
    raise ValueError("the text of a foreign expression is not known")
