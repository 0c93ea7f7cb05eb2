"""Random ads and expressions, each drawn from a seed: values at the edges of every type, and every operator."""

from __future__ import annotations

import random
from typing import NamedTuple

from htcq.classads import ERROR, UNDEFINED, parsed
from htcq.columns.column import Cell
from tests.columns.ads import Ads

_LARGEST, _LOWEST = 2**63 - 1, -(2**63)
NUMBERS: tuple[Cell, ...] = (
    0, 1, 2, 3, -1, -2, 7, -7, 8, 63, 64, 100, 1024, 4096, _LARGEST, _LARGEST - 1, _LOWEST + 1, 2**53 + 1,
    0.0, -0.0, 0.5, 1.0, 1.5, -1.5, 2.5, 2.0**53, 2.0**63, -(2.0**63), 1e308, -1e308, 1e-320,
    float("inf"), float("-inf"), float("nan"),
)  # fmt: skip
TEXTS: tuple[Cell, ...] = (
    "", "a", "A", "b", "aB", "Ab", "ab ", "_", "Z", "[", "x86_64", "X86_64", "LINUX", "a,b", "A, B c", "12",
    "1.5", " 7x", "true", "undefined", "25.14.1", "$CondorVersion: 25.14.1 2026-10-16 $", "a.*", "(", 'a"b', "a\\b",
    "é", "É", "ñ€",
)  # fmt: skip
CELLS: tuple[Cell, ...] = (*NUMBERS, *TEXTS, True, False, UNDEFINED, ERROR, None)
POOLS: tuple[tuple[Cell, ...], ...] = (
    NUMBERS, TEXTS, CELLS, (True, False), (1, 2, 3, None), (1.5, 2.0), (0, 1), ("a", "A", "b"),
)  # fmt: skip
LITERALS = (
    "0", "1", "2", "-1", "3", "63", "64", "1024", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
    "0.0", "-0.0", "1.5", ".5", "1e308", "1e400", "2e-3", "true", "false", "TRUE", "undefined", "Error",
    '""', '"a"', '"A"', '"b"', '"x86_64"', '"a,b"', '"é"', '"a\\"b"', '"\\n\\101"', '"a" "b"', '"12"', '"1.5"',
    "{1, 2.5, 3}", '{"a", "b"}', "{}", "{undefined, 1}", "[a = 1; b = A1]", "[a = 1].a", "{4, 8}[0]",
    'real("nan")', 'real("inf")', '-real("inf")', "010", "0x10", "1K", "5 /* c */",
)  # fmt: skip
NAMES = (
    "A1",
    "A2",
    "A3",
    "B1",
    "B2",
    "B3",
    "Own",
    "Both",
    "Expr1",
    "Expr2",
    "Expr3",
    "Loop",
    "'A1'",
    "nowhere",
)
SCOPES = ("", "", "", "MY.", "TARGET.", "my.", "Target . ")
#: What a site's policy has, mostly: the engine must know all of it.
PLAIN_LITERALS = tuple(text for text in LITERALS[:34] if "é" not in text)
STRANGE = (
    "MY", "TARGET", "other.B1", "LEFT.A1", ".A1", "MY.MY.A1", "TARGET.TARGET.A1", "TARGET.MY.B1", "self.A1", "parent.A1",
    "ad.A1", "A1.x", "MY.other", "symmetricMatch", "RIGHT.B1", "Nested.x", "Nested.y", "Items[0]", "Items[A1]", "Items",
)  # fmt: skip
BINARY = (
    "+", "-", "*", "/", "%", "<", "<=", ">", ">=", "==", "!=", "=?=", "=!=", " is ", " isnt ", "&&", "||", "&", "|",
    "^", "<<", ">>", ">>>", "?:", "&&", "||", "==", "=?=",
)  # fmt: skip
UNARY = ("-", "+", "!", "~", "- ", "!!")
#: Functions, with the numbers of arguments that are tried.
FUNCTIONS = {
    "isUndefined": (1,), "isError": (1,), "isString": (1,), "isInteger": (1,), "isReal": (1,), "isBoolean": (1,),
    "isList": (1,), "isClassAd": (1, 0), "int": (1, 2), "real": (1,), "string": (1,), "bool": (1,), "floor": (1,),
    "ceiling": (1,), "ceil": (1,), "round": (1,), "pow": (2,), "quantize": (2,), "ifThenElse": (3, 3, 2),
    "strcat": (2, 3), "toLower": (1,), "toUpper": (1,), "substr": (2, 3), "strcmp": (2,), "stricmp": (2,),
    "regexp": (2, 3), "stringListMember": (2, 3), "stringListIMember": (2,), "member": (2,), "identicalMember": (2,),
    "size": (1,), "sum": (1,), "avg": (1,), "min": (1,), "max": (1, 2), "versionGE": (2,), "versioncmp": (2,),
    "split": (1, 2), "join": (2,), "stringListSize": (1,), "stringListsIntersect": (2,), "regexps": (3,),
    "anyCompare": (3,), "unknownFunction": (1,), "debug": (1,), "eval": (1,), "splitUserName": (1,), "interval": (1,),
}  # fmt: skip
_SHARED_NAMES = ("Expr1", "Expr2", "Expr3", "Loop", "Nested", "Items")


#: Functions that the library is not asked for row by row.
PLAIN_FUNCTIONS = tuple(
    name
    for name in FUNCTIONS
    if name not in ("unknownFunction", "debug", "eval", "split", "isClassAd")
)


class Case(NamedTuple):
    """Two kinds of ads, one of which may have many rows, and expressions about them."""

    my: Ads
    target: Ads | None
    expressions: tuple[str, ...]


def case(seed: str, expressions: int = 5, rows: int = 6) -> Case:
    """Return the case of ``seed``; every second one has nothing that only the library knows."""
    draw = Draw(random.Random(seed))
    many_are_my = draw.dice.random() < 0.5
    my = draw.ads(rows if many_are_my else 1, "A")
    target = draw.ads(1 if many_are_my else rows, "B")
    if draw.dice.random() < 0.05:
        target = draw.ads(len(my), "B")
    found: list[str] = []
    while len(found) < expressions:
        text = draw.expression(draw.dice.choice((1, 2, 3, 4)))
        if parsed(text) is not None:
            found.append(text)
    return Case(my, target if draw.dice.random() < 0.9 else None, tuple(found))


class Draw:
    """What is drawn from one seed."""

    def __init__(self, dice: random.Random) -> None:
        self.dice = dice
        self._plain = dice.random() < 0.5

    def ads(self, rows: int, letter: str) -> Ads:
        """Return some ads whose attributes begin with ``letter``, mostly."""
        dice = self.dice
        own: dict[str, tuple[Cell, ...]] = {}
        for name in (f"{letter}1", f"{letter}2", f"{letter}3", "Both", "Own"):
            if dice.random() < 0.9:
                pool = dice.choice(POOLS)
                own[name] = tuple(dice.choice(pool) for _ in range(rows))
        if not own:
            own["Own"] = (1,) * rows
        texts = {}
        for name in _SHARED_NAMES:
            if dice.random() < 0.5:
                texts[name] = self._shared_text(name)
        if dice.random() < 0.3:
            # The own cells cover it where they are not absent.
            texts["Own"] = self.expression(1)
        if not self._plain and dice.random() < 0.1:
            texts[dice.choice(("MY", "target", "other"))] = dice.choice(("1", "B1", "[A1 = 3]"))
        return Ads(texts, own)

    def _shared_text(self, name: str) -> str:
        if name == "Nested":
            return f"[x = {self.expression(1)}; y = 2]"
        if name == "Items":
            return f"{{{self.expression(0)}, {self.expression(0)}}}"
        if name == "Loop":
            start = self.dice.choice(("Loop", "Expr1", "TARGET.Loop", "TARGET.Expr2"))
            return f"{start} {self.dice.choice(BINARY)} {self.expression(1)}"
        return self.expression(self.dice.choice((0, 1, 2)))

    def expression(self, depth: int) -> str:
        """Return an expression in which operations stand at most ``depth`` deep in each other."""
        dice = self.dice
        if depth == 0 or dice.random() < 0.1:
            return self._leaf()
        kind = dice.random()
        if kind < 0.5:
            left, right = self.expression(depth - 1), self.expression(depth - 1)
            text = f"{left} {dice.choice(BINARY)} {right}"
        elif kind < 0.6:
            text = f"{dice.choice(UNARY)}{self.expression(depth - 1)}"
        elif kind < 0.7:
            parts = [self.expression(depth - 1) for _ in range(3)]
            text = f"{parts[0]} ? {parts[1]} : {parts[2]}"
        else:
            text = self._call(depth)
        return f"({text})" if dice.random() < 0.5 else text

    def _call(self, depth: int) -> str:
        dice = self.dice
        name = dice.choice(PLAIN_FUNCTIONS if self._plain else tuple(FUNCTIONS))
        count = dice.choice(FUNCTIONS[name])
        arguments = [self.expression(depth - 1) for _ in range(count)]
        if name in ("min", "max", "sum", "avg", "size") and arguments and dice.random() < 0.8:
            items = ", ".join(self.expression(depth - 1) for _ in range(dice.choice((1, 2, 3))))
            arguments = [f"{{{items}}}"]
        return f"{name}({', '.join(arguments)})"

    def _leaf(self) -> str:
        kind = self.dice.random()
        if kind < 0.55:
            return self.dice.choice(SCOPES) + self.dice.choice(NAMES)
        if self._plain:
            return self.dice.choice(PLAIN_LITERALS)
        return self.dice.choice(LITERALS if kind < 0.95 else STRANGE)
