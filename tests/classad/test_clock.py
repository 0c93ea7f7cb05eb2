"""What looks at the clock, as LookupInScope of HTCondor 25.14 has it: every ad answers CurrentTime."""

from __future__ import annotations

import pytest

from htcq.classad.clock import at_time
from htcq.classads import Ad, Expr

NOW = "1764000000"


@pytest.mark.parametrize(
    ("text", "timed"),
    [
        ("time()", NOW),
        ("TIME ( ) - A", f"{NOW} - A"),
        ("CurrentTime", NOW),
        ("MY.CurrentTime > 5", f"{NOW} > 5"),
        ("my . 'currenttime'", NOW),
        ("TARGET.CurrentTime", NOW),
        (".CurrentTime", NOW),
        ("[a = 1].CurrentTime", NOW),
        ("[a = CurrentTime].a", f"[a = {NOW}].a"),
        ("A ?: CurrentTime", f"A ?: {NOW}"),
        ("CurrentTime.b", f"{NOW} .b"),
        ("[CurrentTime = 5; a = CurrentTime].a", "[CurrentTime = 5; a = CurrentTime].a"),
        ("[CurrentTime = 5].CurrentTime", "[CurrentTime = 5].CurrentTime"),
        ('"time() CurrentTime"', '"time() CurrentTime"'),
        ("1 /* time() */", "1 /* time() */"),
        ("MyCurrentTime + time(1) + Time", "MyCurrentTime + time(1) + Time"),
    ],
)
def test_the_time_stands_where_the_clock_is_looked_at(text: str, timed: str) -> None:
    assert at_time(text, NOW) == timed


@pytest.mark.parametrize(
    "text",
    ["CurrentTime", "MY.CurrentTime", "TARGET.CurrentTime", ".CurrentTime", "[a = 1].CurrentTime"],
)
def test_the_library_answers_each_with_the_clock(text: str) -> None:
    my, target = Ad({"Z": 1}), Ad({"Z": 2})
    value = Expr(text).evaluate(my, target)

    assert isinstance(value, int)
    assert abs(value - int(Expr("time()").evaluate(my, target))) < 5  # type: ignore[arg-type]


def test_an_attribute_of_that_name_stays() -> None:
    text = "CurrentTime + MY.CurrentTime + TARGET.CurrentTime"

    assert at_time(text, NOW, own=True) == f"CurrentTime + MY.CurrentTime + {NOW}"
    assert at_time(text, NOW, theirs=True) == f"{NOW} + {NOW} + TARGET.CurrentTime"
