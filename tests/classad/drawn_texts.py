"""Texts of expressions, drawn at random: strings with backslashes and quotes at any place, all
spellings of numbers, quoted names, comments, scopes, lists and ads, and what is broken."""

from __future__ import annotations

from random import Random

#: What strings are made of.
PIECES = (
    "\\", "\\", '"', '\\"', "\\\\", "'", "a", "b", "n", "t", "x41", "0", "101", "w+", "\\w", "\\d+", "\\n", "^", "$", ".*",
    " ", "\t", "\n", "\x01", "\x7f", "é", "ß", "\u20ac", "@", "$(X)", "/", "//", "/*", "*/", ";", "]", "[", "?", ":", "TARGET.A",
    "\udce9", "\udcff",
)  # fmt: skip
NUMBERS = (
    "0", "1", "7", "00", "010", "08", "08.5", "0x1F", "0X", "1.5", ".5", "5.", "1e3", "1E+3", "1e", "1e-2", "-1", "-.5", "-010", "-08",
    "-0x1F", "-0x", "- 3", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809",
    "99999999999999999999", "1L", "10K", "1.5.2", "1e400", "0.1e-5", "+4", "--2", "1 .5",
    "0x1F.5", "-0X1.8", "0x1.1e", "0xE.5e-3", "0x5.", "-0x5.", "0x.5", "0x1.8p1", "-0x1.5.a",
)  # fmt: skip
NAMES = (
    "A", "B", "C", "MY.A", "TARGET.B", "my . c", "Target.A", "'A'", "'odd name'", "'it\\'s'", "''", "MY.'A'", "A.B", ".A", "A.b.c",
    "is", "isnt", "true", "False", "undefined", "ERROR", "truely", "_x", "x_1", "x1", "'true'", "A.true", "é",
)  # fmt: skip
BINARY = (
    "==", "!=", "=?=", "=!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%", "&&", "||", "&", "|", "^", "<<", ">>", ">>>", "?:", "? :",
    "is", "isnt", "ISNT", "=", "= =", "=!", ",", "",
)  # fmt: skip
SPACES = (
    "",
    " ",
    " ",
    "  ",
    "\t",
    "\n",
    "/* c */",
    "/**/",
    "// c\n",
    "/*/ */",
    "// open",
    "/* open",
    " \\ ",
)
FUNCTIONS = ("strcat", "size", "isUndefined", "ifThenElse", "regexp", "toLower", "'size'", "noSuch")


def string(draw: Random) -> str:
    """Return a string in quotes, in most cases a closed one."""
    inner = "".join(draw.choice(PIECES) for _ in range(draw.randrange(7)))
    if draw.random() < 0.4:
        inner = inner.replace('"', '\\"')
    return f'"{inner}"' if draw.random() < 0.97 else f'"{inner}'


def expression(draw: Random, depth: int = 3) -> str:
    """Return an expression, or what looks like one."""
    kind = draw.randrange(14) if depth else draw.randrange(4)
    if kind < 2:
        return string(draw)
    if kind < 4:
        return draw.choice(NUMBERS if kind == 2 else NAMES)
    if kind < 8:
        return f"{_inner(draw, depth)}{draw.choice(BINARY)}{_inner(draw, depth)}"
    if kind == 8:
        return f"{draw.choice('-+!~')}{_inner(draw, depth)}"
    return _compound(draw, depth, kind)


def _compound(draw: Random, depth: int, kind: int) -> str:
    some = [_inner(draw, depth) for _ in range(draw.randrange(4))]
    if kind == 9:
        return f"{_inner(draw, depth)}?{_inner(draw, depth)}:{_inner(draw, depth)}"
    if kind == 10:
        separator = draw.choice((",", ",", ", ", ";", ",,"))
        return f"{draw.choice(FUNCTIONS)}({separator.join(some)})"
    if kind == 11:
        return f"{{{','.join(some)}}}[{draw.randrange(3)}]"
    if kind == 12:
        values = "; ".join(f"{draw.choice('abc')} = {each}" for each in some)
        return f"[{draw.choice(('', ';'))}{values}].{draw.choice('abc')}"
    return f"({_inner(draw, depth)})"


def _inner(draw: Random, depth: int) -> str:
    text = expression(draw, depth - 1)
    if draw.random() < 0.5:
        return text
    return f"{draw.choice(SPACES)}{text}{draw.choice(SPACES)}"
