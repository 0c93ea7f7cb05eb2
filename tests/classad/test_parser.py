"""The parser: what it reads it reads as the ClassAd library does, and it says where it does not."""

from __future__ import annotations

import itertools

import pytest

from htcq.classad.parser import parse
from htcq.classad.tree import Binary, Foreign, Reference, every, written
from htcq.classads import Expr, parsed
from htcq.columns.engine import Engine
from tests.columns.ads import bits, differences
from tests.columns.test_operators import FEW, TRIPLES

TEXTS = (
    "A", "MY.A", "my . a", "TARGET.A", "'A'", "MY.'A'", "1", "1.5", ".5", "1e3", "1E-3", "true", "TRUE", "Undefined",
    "error", '"text"', '"a\\"b"', '"\\n"', "- 1", "-1", "--1", "1-1", "A -1", "A - -1", "!A", "~3", "+A",
    "A ?: B", "A ? : B", "A ?: -1", "A ? B : C", "A ? B : C ? 1 : 2", "A ?: B ?: C", "-A ?: 2", "A is B", "A IsNt B",
    "{}", "{1, 2}[1]", "{1, 2}[A]", "[a = 1; b = A;]", "[a = 1].a", "[a = 1][\"a\"]", "size({1, A})", "f()",
    "A\t==\nB", "A=?=B", "A=!=B", "A!=B", "1<2<3", "1|2^3&4", "1<<2>>>1", "2+3*4%5/6-7", "A&&B||C", "A||B&&C", "1==2!=3",
    "(((A)))", "A.b", "{[x = 1], [x = 2]}[1].x", ".A", "A[0][1]", "isUndefined ( A )",
    "5 /* five */", "A // all", "f(1; 2)", "9223372036854775808", '"\\351"', '"C:\\dir\\"', "A ? B : C and more", "-010",
)  # fmt: skip


@pytest.mark.parametrize("text", [text.replace('\\"a\\"', '"a"') for text in TEXTS])
def test_what_is_read_means_the_same_when_it_is_written_again(text: str) -> None:
    tree = parse(text)
    again = Expr(written(tree))

    assert not isinstance(tree, Foreign)
    for row in range(len(TRIPLES)):
        ad = TRIPLES.ad(row)
        assert bits(again.evaluate(ad)) == bits(Expr(text).evaluate(ad))


@pytest.mark.parametrize(
    "text",
    [
        "1 2", "A =", "(A", "A)", "{1,}", "f(1,)", "1K", "010", "0x1F", "1.", "A ? B", "", "is", "A;", "A; B = 1", "A ]",
        '"a" "b"', "A.true", "/* open",
    ],
)  # fmt: skip
def test_what_the_library_refuses_is_not_read(text: str) -> None:
    assert parsed(text) is None
    assert isinstance(parse(text), Foreign)


def test_a_part_knows_where_it_stands() -> None:
    text = "( MY.A + f(B) * -C ) /* c */ == 2 ? {1, (x)} : [a = .B].a"
    found = [text[each.span.start : each.span.end] for each in every(parse(text))]

    assert found == [
        text, "( MY.A + f(B) * -C ) /* c */ == 2", "MY.A + f(B) * -C", "MY.A", "f(B) * -C", "f(B)", "B", "-C", "C", "2",
        "{1, (x)}", "1", "x", "[a = .B].a", "[a = .B]", ".B",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "place"), [("A && ", 5), ("(A", 2), ("A @ B", 2), ("f(A B)", 4), ('A == "open', 5)]
)
def test_what_is_no_expression_is_told_with_its_place(text: str, place: int) -> None:
    tree = parse(text)

    assert isinstance(tree, Foreign)
    assert tree.broken_at == place


def test_all_operators_on_all_levels_of_brackets() -> None:
    level = "1 || 2 && 3 | 4 ^ 5 & 6 == 7 < 8 << 9 + 10 * -("
    text = level * 25 + "A" + ")" * 25

    assert isinstance(parse(text), Binary)
    assert isinstance(parse(level * 40 + "A" + ")" * 40), Foreign)
    assert differences(Engine(), text, TRIPLES) == []


def test_scopes_are_known_whatever_their_case() -> None:
    found = [parse(text) for text in ("mY.Cpus", "Target.CPUS", "Cpus")]

    assert [(each.scope, each.name) for each in found if isinstance(each, Reference)] == [
        ("my", "cpus"),
        ("target", "cpus"),
        (None, "cpus"),
    ]


def test_the_few_values_differ() -> None:
    assert len({bits(value) for value in FEW}) == len(FEW)
    assert len(list(itertools.chain(TRIPLES.own["A"]))) == len(TRIPLES)
