"""Families of expressions and ads that no generator would draw: edges of the library and of the engine."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from htcq.classads import ERROR, UNDEFINED
from htcq.columns.column import Cell
from tests.columns.ads import Ads


class Family(NamedTuple):
    """Expressions about some ads, and how many rows may be left to the library: None is any number."""

    name: str
    expressions: tuple[str, ...]
    my: Ads
    target: Ads | None = None
    may_fall_back: int | None = None


_SLOTS = Ads(
    {
        "Start": "Cpus > 1 && TARGET.RequestCpus <= Cpus",
        "SlotWeight": "Cpus",
        "Features": '{"avx", "SSE"}',
    },
    {
        "Cpus": (1, 2, 4, 8),
        "Memory": (1024, 2048.5, None, UNDEFINED),
        "Arch": ("X86_64", "x86_64", "aarch64", ERROR),
        "Name": ("slot1@a", "slot1@b", "SLOT1@A", None),
    },
)
_JOB = Ads(
    {
        "Requirements": "TARGET.Arch == MyArch && TARGET.Cpus >= RequestCpus",
        "Rank": "Cpus * 10 + Memory",
    },
    {"RequestCpus": (2,), "MyArch": ("X86_64",), "RequestMemory": (1024,)},
)
_CIRCLES = Ads(
    {
        "Self": "Self", "SelfOr": "Self || true", "OrSelf": "true || Self", "Asked": "isUndefined(Asked)",
        "Left": "Right + 1", "Right": "Left + 1", "Across": "TARGET.Back", "InList": "{InList, 1}",
        "Member": "member(1, InList)", "Choice": "N > 1 ? Choice : 3", "Twice": "Twice + Twice ?: 5",
    },
    {"N": (1, 2)},
)  # fmt: skip
_BACK = Ads({"Back": "TARGET.Across ?: 7", "Fine": "TARGET.N + 1"}, {"Other": (1,)})


def _references(count: int) -> Ads:
    texts = {f"A{number}": f"A{number + 1}" for number in range(count)}
    return Ads({**texts, f"A{count}": "N + 1"}, {"N": (1, 2, None)})


def _doubling(count: int, *values: Cell) -> Ads:
    texts = {f"A{number}": f"A{number + 1} + A{number + 1}" for number in range(count)}
    return Ads({**texts, f"A{count}": "N"}, {"N": values})


def _nested(count: int) -> tuple[str, ...]:
    return (
        "(" * count + "Cpus" + ")" * count,
        "!" * count + "true",
        "- " * count + "Cpus",
        "Cpus > 1 ? " * count + "1" + " : 2" * count,
        "Cpus == 1 ? 1 : " * count + "2",
        "Nowhere ?: " * count + "Cpus",
        "floor(" * count + "Cpus" + ")" * count,
        "ifThenElse(Cpus > 1, " * count + "Cpus" + ", 0)" * count,
    )


def _chains(count: int) -> tuple[str, ...]:
    return (
        " + ".join(["Cpus"] * count),
        " && ".join(["Cpus > 0"] * count),
        " || ".join(f"Cpus == {number + 10}" for number in range(count)),
        " =?= ".join(["Cpus"] * count),
        "max({" + ", ".join(["Cpus", "1.5", "Nowhere"] * count) + "})",
        'stringListMember(Arch, "'
        + ",".join(f"a{number}" for number in range(count))
        + ',X86_64")',
    )


_HIDDEN = Ads(
    {"MY": "[Cpus = 99]", "Wide": "MY.Cpus"}, {"Cpus": (1, 2), "target": (3, None), "Ad": (4, 5)}
)
_NAMES = Ads(
    {},
    {
        "True": (1, 2), "Is": (3, 4), "a b": (5, 6), "CPUS": (7, 8), "_": (9, 10), "Undefined": (11, 12),
        "CurrentTime": (13, 14), "x86_64": (15, None),
    },
)  # fmt: skip
_COVERED = Ads(
    {"Own": "TARGET.Own + 1", "Two": "Own * 2", "Quiet": "undefined"},
    {"Own": (1, None, UNDEFINED, ERROR, "a"), "Quiet": (None, 1, None, 2, None)},
)
_EDGES = Ads(
    {},
    {
        "I": (2**63 - 1, -(2**63) + 1, 2**53 + 1, 0, -1, 1, 64),
        "R": (2.0**63, -(2.0**63), 2.0**53, -0.0, float("nan"), float("inf"), float("-inf")),
        "S": ("", "é", "É", "Z", "_", "[", "z"),
    },
)
_WRONG_COUNTS = tuple(
    f"{name}({arguments})"
    for name in (
        "isUndefined",
        "floor",
        "int",
        "min",
        "ifThenElse",
        "strcat",
        "member",
        "regexp",
        "split",
        "size",
    )
    for arguments in ("", "1", "1, 2", "1, 2, 3", "1, 2, 3, 4", "Cpus", "Nowhere, error")
)

FAMILIES = (
    Family("conditions of a slot", ("Start", "Requirements", "SlotWeight", "MY.Start =?= true", "Rank"), _SLOTS, _JOB, 0),
    Family("conditions of a job", ("Requirements", "Rank", "MY.Rank > 20", "TARGET.Start"), _JOB, _SLOTS, 0),
    Family("lists of a slot", ('member("AVX", TARGET.Features)', "size(Features)", "TARGET.Features[0]"), _JOB, _SLOTS),
    Family(
        "circles",
        (*_CIRCLES.texts, "TARGET.Back", "TARGET.Fine", "isError(Left)", "Left ?: 3", "false && Self", "true || Self"),
        _CIRCLES, _BACK,
    ),
    Family("references after each other", ("A0", "A50", "A100"), _references(90)),
    Family("references beyond the depth of the library", ("A0", "A10", "A150", "A400"), _references(420)),
    Family("sums that double beyond the steps of the library", ("A0",), _doubling(25, 1)),
    Family("sums that double, a little", ("A0", "A0 > 3", "A7 =?= A8"), _doubling(12, 1, 2.5, None), None, 0),
    Family("nested a little", _nested(20), _SLOTS, None, 0),
    Family("nested as deep as the library parses", _nested(74), _SLOTS),
    Family("chains", _chains(60), _SLOTS, None, 0),
    Family("chains beyond the depth of the library", _chains(450), _SLOTS),
    Family("attributes that hide scopes", ("MY.Cpus", "TARGET.Cpus", "Wide", "target", "Ad", "ad.Cpus", "MY"), _HIDDEN, _JOB),
    Family(
        "names like words",
        ("'True'", "'is' + 1", "'a b'", "MY.'a b'", "cpus", "_", "MY.'Undefined'", "CurrentTime", "X86_64", "'TRUE' is 1"),
        _NAMES,
    ),
    Family("attributes that own ones cover", ("Own", "Two", "MY.Own", "TARGET.Two", "Quiet", "Quiet ?: 9"), _COVERED, replace(_COVERED)),
    Family("both sides have rows", ("I > TARGET.Cpus", "I + R", "S < TARGET.S"), _EDGES, replace(_EDGES)),
    Family(
        "edges of numbers",
        (
            "I + 1", "I - 2", "I * 2", "I / -1", "I % -1", "-I", "~I", "I << 1", "I << I", "I >> I", "I >>> I", "I >>> 1",
            "I == R", "I < R", "I =?= R", "R + 1e308 * 10", "R * -1", "R / R", "R / 0", "R / 0.0", "0 / R", "R % 2",
            "I / 0", "I % 0", "int(R)", "floor(R)", "round(R)", "real(I)", "!R", "R && true", "R ? 1 : 2", "-R", "+R",
            "min({I, R})", "max({R, I})", "min({R, 0})", "max({true, false})", "min({true})", "max({I, true, R})",
            "min({I, S})", "max({I, error, undefined})", "min({})", "min({undefined})", "pow(2, I)", "quantize(I, 64)",
            "quantize(R, {1, 2.5})", "R == R", "R =?= R", "R =!= R", "I == true", "true < R", "true + true", "-true",
            "string(R)", "string(I)", "isReal(I * R)", "I & 255", "I | R", "I ^ true",
        ),
        _EDGES,
    ),
    Family(
        "edges of strings",
        (
            "S < \"Z\"", "S >= TARGET.MyArch", "S == \"É\"", "S =?= \"é\"", "S + \"a\"", "S && true", "!S", "S ? 1 : 2",
            "S < 1", "S == undefined", "S == error", "strcmp(S, \"_\")", "stricmp(S, \"Z\")", "toLower(S)", "size(S)",
            "substr(S, 0, 1)", "size(substr(S, 0, 1))", "strcat(S, I, R)", "regexp(S, \"z\")", "member(S, {\"Z\", \"é\"})",
            "S <= S", "\"\" < S", "S == \"z\" ?: 3", "int(S)", "S[0]", "S.x", "split(S)[0]", "{S, \"z\"}[0] == \"z\"",
        ),
        _EDGES, _JOB,
    ),
    Family("wrong numbers of arguments", _WRONG_COUNTS, _SLOTS),
    Family(
        "logic with each state",
        tuple(
            f"({one}) {operator} ({two})"
            for operator in ("&&", "||", "?:", "==", "=?=", "+")
            for one in ("Name == \"slot1@a\"", "Memory", "Arch", "Cpus > 2", "unknownFunction(1)", "error", "Features")
            for two in ("Memory > 1", "Arch == \"x86_64\"", "undefined", "error", "countMatches(Cpus > 1, {1})", "\"a\"")
        ),
        _SLOTS, _JOB,
    ),
    Family(
        "ads as a whole",
        (
            'join(MY.Name, MY)', 'join(",", TARGET)', 'strcat("", Whole)', 'envV1ToV2(string(MY))', "size(string(MY))",
            "string(TARGET.Whole)", "string(self)", "string(PARENT.ad)", "string(.LEFT)", "string(MY.MY)",
        ),
        Ads({"Whole": "MY"}, {"Name": ("a", "a", "b"), "Unseen": (1, 2, 2)}), _JOB,
    ),
    Family(
        "evaluation of names put together",
        ('eval("Cpus")', 'eval(strcat("C", "pus")) + 1', "debug(Cpus) == 2", "unparse(Cpus)", "unresolved(Nowhere + 1)"),
        _SLOTS, _JOB,
    ),
)  # fmt: skip
