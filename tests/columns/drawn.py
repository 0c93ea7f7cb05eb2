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


class Case(NamedTuple):
    """Two kinds of ads, one of which may have many rows, and expressions about them."""

    my: Ads
    target: Ads | None
    expressions: tuple[str, ...]


def case(seed: str, expressions: int = 5, rows: int = 6) -> Case:
    """Return the case of ``seed``."""
    dice = random.Random(seed)
    many_are_my = dice.random() < 0.5
    my = _ads(dice, rows if many_are_my else 1, "A")
    target = _ads(dice, 1 if many_are_my else rows, "B")
    found: list[str] = []
    while len(found) < expressions:
        text = expression(dice, dice.choice((1, 2, 3, 4)))
        if parsed(text) is not None:
            found.append(text)
    return Case(my, target if dice.random() < 0.9 else None, tuple(found))


def _ads(dice: random.Random, rows: int, letter: str) -> Ads:
    own: dict[str, tuple[Cell, ...]] = {}
    for name in (f"{letter}1", f"{letter}2", f"{letter}3", "Both", "Own"):
        if dice.random() < 0.9:
            pool = dice.choice((NUMBERS, TEXTS, CELLS, (True, False), (1, 2, 3, None), (1.5, 2.0)))
            own[name] = tuple(dice.choice(pool) for _ in range(rows))
    if rows == 1 and not own:
        own["Own"] = (1,)
    texts = {}
    for name in _SHARED_NAMES:
        if dice.random() < 0.5:
            texts[name] = _shared_text(dice, name)
    if dice.random() < 0.3:
        # The own cells cover it where they are not absent.
        texts["Own"] = expression(dice, 1)
    return Ads(texts, own)


def _shared_text(dice: random.Random, name: str) -> str:
    if name == "Nested":
        return f"[x = {expression(dice, 1)}; y = 2]"
    if name == "Items":
        return f"{{{expression(dice, 0)}, {expression(dice, 0)}}}"
    if name == "Loop":
        return f"{dice.choice(('Loop', 'Expr1', 'TARGET.Loop'))} {dice.choice(BINARY)} {expression(dice, 1)}"
    return expression(dice, dice.choice((0, 1, 2)))


def expression(dice: random.Random, depth: int) -> str:
    """Return the text of an expression in which operations stand at most ``depth`` deep in each other."""
    if depth == 0 or dice.random() < 0.1:
        return _leaf(dice)
    kind = dice.random()
    if kind < 0.5:
        left, right = expression(dice, depth - 1), expression(dice, depth - 1)
        text = f"{left} {dice.choice(BINARY)} {right}"
    elif kind < 0.6:
        text = f"{dice.choice(UNARY)}{expression(dice, depth - 1)}"
    elif kind < 0.7:
        parts = [expression(dice, depth - 1) for _ in range(3)]
        text = f"{parts[0]} ? {parts[1]} : {parts[2]}"
    else:
        text = _call(dice, depth)
    return f"({text})" if dice.random() < 0.5 else text


def _call(dice: random.Random, depth: int) -> str:
    name = dice.choice(tuple(FUNCTIONS))
    count = dice.choice(FUNCTIONS[name])
    arguments = [expression(dice, depth - 1) for _ in range(count)]
    if name in ("min", "max", "sum", "avg", "size") and arguments and dice.random() < 0.8:
        items = ", ".join(expression(dice, depth - 1) for _ in range(dice.choice((1, 2, 3))))
        arguments = [f"{{{items}}}"]
    return f"{name}({', '.join(arguments)})"


def _leaf(dice: random.Random) -> str:
    kind = dice.random()
    if kind < 0.55:
        return dice.choice(SCOPES) + dice.choice(NAMES)
    return dice.choice(LITERALS) if kind < 0.95 else dice.choice(STRANGE)
