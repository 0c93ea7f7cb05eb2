"""Expressions that would grow or repeat without measure are told by their text; ordinary ones are not."""

from __future__ import annotations

import pytest

from htcq.classad.growth import is_endless
from htcq.classads import ERROR, Expr
from htcq.errors import PolicyError
from htcq.pool.shared_attributes import Expressions, SharedAttributes

LIST = "{" + ",".join(f"[a={number}]" for number in range(100)) + "}"


def nested(times: int, before: str, after: str, inner: str) -> str:
    return before * times + inner + after * times


BOMBS = {
    "evalInEachContext": nested(4, "evalInEachContext(", f",{LIST})", '"x"'),
    "countMatches": nested(6, "countMatches(", f",{LIST}) > 0", "true"),
    "regexps": nested(12, 'regexps("(.*)",', r',"\1\1\1\1\1\1")', '"xxxxxxxxxxxxxxxx"'),
    "replaceAll": nested(20, 'replaceAll("(.)",', r',"\1\1\1\1")', '"x"'),
    "string": nested(28, "string({", "})", r'"\""'),
    "join": nested(8, 'join("xxxxxxxx",{', ",1,2,3,4,5,6,7,8})", '"x"'),
}
HONEST = [
    "countMatches(TARGET.Capability >= 7.5, AvailableGPUs) >= RequestGPUs",
    "evalInEachContext(Capability, AvailableGPUs)",
    "ifThenElse(countMatches(a, evalInEachContext(b, AvailableGPUs)) > 0, 1, 0)",
    (
        r'regexps("([^@]*)@(.*)", RemoteUser, "\1") =?= "ada" || regexps("(.*)[.](.*)", AcctGroup, '
        r'"\1 \2") == "x"'
    ),
    'join(".", split(strcat("a", string(Cpus)), ","))',
    "strcat(" + ",".join(f"string(A{number})" for number in range(40)) + ")",
]


def frame(**texts: str) -> SharedAttributes:
    return SharedAttributes(
        tuple((name.encode(), text.encode()) for name, text in texts.items()), Expressions()
    )


@pytest.mark.parametrize("name", list(BOMBS))
def test_a_bomb_is_refused_unread(name: str) -> None:
    with pytest.raises(PolicyError, match="takes too long or grows too large"):
        Expr(BOMBS[name])


@pytest.mark.parametrize("text", HONEST)
def test_an_ordinary_expression_is_taken(text: str) -> None:
    assert not is_endless(text)
    Expr(text)


@pytest.mark.parametrize("name", list(BOMBS))
def test_a_bomb_in_an_ad_is_an_error_and_named_and_the_others_have_their_values(name: str) -> None:
    found = frame(Weight=BOMBS[name], Cpus="2 + 2")

    assert (found.value("Weight"), found.value("Cpus")) == (ERROR, 4)
    assert found.refused() == ["Weight"]


@pytest.mark.parametrize(
    "step",
    [
        r'regexps("(.*)",LAST,"\1\1\1\1")',
        "strcat(LAST,LAST)",
        f"evalInEachContext(LAST,{LIST})",
        "string({LAST})",
    ],
)
def test_a_bomb_of_many_attributes_is_an_error(step: str) -> None:
    texts = {f"A{number}": step.replace("LAST", f"A{number - 1}") for number in range(1, 30)}
    found = frame(A0=f'"{"x" * 1000}"', **texts)

    assert found.value("A29") is ERROR
    assert "A29" in found.endless
    assert "A1" not in found.endless


def test_quotes_and_brackets_in_strings_nest_nothing() -> None:
    assert not is_endless('regexps("((((((((", "regexps(regexps(regexps(", "\\1")')
