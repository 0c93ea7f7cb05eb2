"""What stands in the place of a sound value: what a stranger, a mistake or a crash would put there."""

from __future__ import annotations

import json
from random import Random
from typing import Any

#: Bytes that a terminal, a parser or a log would trip over; the last ones are no UTF-8.
_ODD = (
    *(
        b"\x00",
        b"\x1b[2J\x1b]0;owned\x07",
        b"\r",
        b"\x7f",
        b"\x9b31m",
        b"\xff\xfe",
        b"\xed\xa0\x80",
        b"\xc3",
    ),
    *(
        "\u202egnp.exe".encode(),
        "\u2028".encode(),
        "\u200b".encode(),
        "é".encode(),
        "\U0001f4a9".encode(),
    ),
    *(
        b"=cmd|' /C calc'!A0",
        b"<script>alert(1)</script>",
        b"%s%n{}{0}",
        b"'; DROP TABLE looks; --",
        b"../../x",
    ),
)
_NUMBERS = (
    *("²".encode(), "١٢".encode(), b"0x" + b"f" * 400),
    *(
        b"0",
        b"-0.0",
        b"-1",
        b"1e999",
        b"-1e999",
        b"1e308",
        b"5e-324",
        b"0x10",
        b"1_000",
        "²".encode(),
        "١٢".encode(),
        b"0x" + b"f" * 400,
        b"2147483648",
        b"1e15",
    ),
    *(
        b"9223372036854775808",
        b"-9223372036854775809",
        b"9" * 30,
        b"9" * 400,
        b"9" * 5000,
        b"0." + b"3" * 400,
    ),
)
_WORDS = (
    b"",
    b" ",
    b"a",
    b"a" * 10_000,
    b"a b",
    b"nan",
    b"inf",
    b"true",
    b"null",
    b"None",
    b"undefined",
    b"error",
)
_FOREIGN = (b"$ENV(HTCQ_FUZZ_SECRET)", b"$(SELF)", b"$$(X)", b"{{ 7*7 }}", b"`id`", b"$(id)")
#: Of the value of this variable nothing may be printed.
SECRET = "fuzz-secret-4711"

_EXPRESSIONS = (
    *(
        b"undefined",
        b"error",
        b"true",
        b'""',
        b'"',
        b'"\\377"',
        b"{1,2}",
        b"[a=1]",
        b"{",
        b"[",
        b"(",
        b")",
        b"1 ? : 2",
    ),
    *(
        b"Cpus",
        b"SlotWeight",
        b"MY.SlotWeight",
        b"TARGET.Rank",
        b"Requirements && Start",
        b"Rank + Rank",
        b"'a b'",
    ),
    *(
        b"a" * 1200,
        b"(" * 300,
        b"(" * 5000,
        b"{" * 2000,
        b"[a=" * 1000,
        b"1" + b"+1" * 9000,
        b"-" * 5000 + b"1",
    ),
    *(
        b"!" * 3000 + b"true",
        b"a." * 1000 + b"a",
        b"(" * 150 + b"1" + b")" * 150,
        b"ifThenElse(" * 200,
        b"x?:" * 3000,
    ),
    *(
        b"time()",
        b"random()",
        b'eval("SlotWeight")',
        b"Cpus/0",
        b"Cpus % 0",
        b"1/0.0",
        b'userHome("root")',
    ),
    *(
        b'strcat("\\033[2J", Name)',
        b'"\\n\\r\\t\\0"',
        b'"Cpus Memory Disk ( 9 x"',
        b"TARGET.'*'",
        b"-9223372036854775808/-1",
    ),
    *(
        b'regexps("(a+)+$", "' + b"a" * 40 + b'b", "x")',
        b"size(" + b"strcat(Name," * 50,
        b"pow(10, 400)",
        b"int(1e300)",
    ),
    *(
        b'join(",", split("' + b"a " * 2000 + b'"))',
        b"sum({1, 2, 1e308, 1e308})",
        b"quantize(1, {})",
        b"max({})",
    ),
    *(
        b'real("nan")',
        b'real("inf")',
        b'int("nan")',
        b"ifThenElse(time() % 2 == 0, 1, 2)",
        b"Memory =?= Memory",
    ),
)
_BOMBS = (
    b"evalInEachContext(" * 6 + b"1" + b",{[a=1],[a=2],[a=3],[a=4]})" * 6,
    b'regexps(".", regexps(".", regexps(".", "'
    + b"a" * 200
    + b'", "'
    + b"\\\\0" * 60
    + b'"), "'
    + b"\\\\0" * 60
    + b'"), "x")',
    b"strcat(Name, Name, Name, Name)",
)
_KNOBS = (
    *(
        b"$(SLOT_WEIGHT)",
        b"$(A",
        b"$(A:$(B:$(C)))",
        b"x \\",
        b"@=end",
        b"$INT(A)",
        b"$CHOICE(A,B)",
        b"$F(A)",
        b"$EVAL(1/0)",
    ),
    *(
        b"$STRING(A,%s)",
        b"$RANDOM_CHOICE(1,2)",
        b"$(DOLLAR)(A)",
        b"$ENV(PATH)",
        b"physics, $ENV(HTCQ_FUZZ_SECRET)",
    ),
    *(
        b"a, b, a, A, <none>",
        b"a.b.c.d, a..b, .a, a.",
        b"," * 3000,
        b"$SUBSTR(A,9,9)",
        b"$DIRNAME($(A))",
    ),
)
#: Whole lines of a configuration that do more than set a knob.
KNOB_LINES = (
    *(
        b"include : /etc/passwd",
        b"include command : touch MARK |",
        b"include : touch MARK |",
        b"include output : x",
    ),
    *(
        b"use ROLE : Execute",
        b"use SECURITY : HOST_BASED",
        b"use NONSENSE : x",
        b"error : stop here",
        b"warning : hm",
    ),
    *(
        b"if true",
        b"if defined X",
        b"else",
        b"endif",
        b"@x",
        b"A @=end\nno end",
        b"A = \\",
        b"LOCAL_CONFIG_FILE = x",
    ),
    *(
        b"LOCAL_CONFIG_DIR = .",
        b"LOCAL_CONFIG_FILE = touch MARK |",
        b"REQUIRE_LOCAL_CONFIG_FILE = True",
        b"\xff = 1",
    ),
    *(
        b"A" * 70_000 + b" = 1",
        b"A = $(B)\nB = $(A)",
        b"[section]",
        b"# at: /etc/x, line 3",
        b"A += $(A)$(A)$(A)",
    ),
    *(
        b"include : MARK",
        b"include ifexist : x",
        b"include command into MARK : echo A = 1",
        b"A : B",
        b"-A = 1",
    ),
)
#: What is no TOML, or a surprising one.
_TOML = (
    *(
        b"1e999",
        b"nan",
        b"-inf",
        b"1979-05-27",
        b"1979-05-27T07:32:00Z",
        b"12:00:00",
        b"[]",
        b"{}",
        b'""',
        b"[[]]",
    ),
    *(
        b"[1, 'a', {}]",
        b"{ cpus = 1e999 }",
        b'{ memory = "1e999GiB" }',
        b'"unlimited"',
        b"9" * 5000,
        b"[" * 2000,
    ),
    *(
        b"{a=" * 500,
        b'"""',
        b"true",
        b"0x7fffffffffffffffff",
        b'"\\u0000"',
        b'"\\u001b[2J"',
        b'"a\\nb"',
        b'"{{ 7*7 }}"',
    ),
    *(
        b'"-1GiB"',
        b'"1/0"',
        b'"0.25/GiB/GiB"',
        b'"100%"',
        b'"-5%"',
        b'"1h"',
        b'"9999999999h"',
        b'"1e400s"',
        b"-1",
    ),
)
_JSON = (
    b"[" * 100_000,
    b'{"a":' * 5000,
    b"NaN",
    b"-Infinity",
    b"1e999",
    b'"\\ud800"',
    b"9" * 5000,
    b",",
    b'{"a":1,"a":2}',
)
#: Values for a file of such a kind; those of every kind come besides.
_OF_KIND = {"ads": _EXPRESSIONS, "config": _KNOBS, "toml": _TOML, "json": _JSON, "jsonl": _JSON}


def text_value(rng: Random, kind: str) -> bytes:
    """Return what stands for a value in a text of ``kind``."""
    if kind == "ads" and rng.random() < 0.02:
        return rng.choice(_BOMBS)
    own = _OF_KIND.get(kind, ())
    if own and rng.random() < 0.5:
        return rng.choice(own)
    value = rng.choice(rng.choice((_ODD, _NUMBERS, _WORDS, _FOREIGN)))
    quoted = kind in ("ads", "toml") and rng.random() < 0.4
    return b'"' + value + b'"' if quoted else value


def word_value(rng: Random) -> str:
    """Return what stands for a word of a command line."""
    value = rng.choice(rng.choice((_ODD, _NUMBERS, _WORDS, _FOREIGN, _TOML[:10])))
    return value.replace(b"\x00", b"").decode("utf-8", "surrogateescape")


def json_value(rng: Random) -> Any:
    """Return what stands for a value of JSON; what JSON itself has no word for is written as Python does."""
    value = rng.choice((*_ODD, *_NUMBERS, *_WORDS, *_FOREIGN)).decode("utf-8", "replace")
    plain: tuple[Any, ...] = (
        None, True, False, 0, -1, 1, 0.5, -0.0, 10**30, -(10**400), 1e308, float("inf"), float("nan"), [], {}, [[]],
        "\ud800", {"": 0}, {"a": {"a": {}}}, ["a"] * 1000, 2**63, 1e-320, "1e999", [None], {"\x1b[2J": 1},
        {"a\nb": 1}, json.loads("[" * 200 + "]" * 200),
    )  # fmt: skip
    return rng.choice((value, rng.choice(plain)))
