"""What holds for every range of a monitoring plugin."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from htcq.report.verdict import read_range

NUMBERS = st.decimals(-1000, 1000, places=2, allow_nan=False).map(float)


@given(NUMBERS, NUMBERS, NUMBERS)
def test_the_sign_turns_the_verdict_of_a_range_around(
    one: float, other: float, value: float
) -> None:
    start, end = sorted((one, other))
    text = f"{start:.2f}:{end:.2f}"

    assert read_range(text).alerts(value) is not read_range(f"@{text}").alerts(value)
    assert read_range(text).alerts(value) is not (start <= value <= end)


@given(NUMBERS, NUMBERS)
def test_an_end_left_out_is_infinite_and_a_start_left_out_is_none(
    bound: float, value: float
) -> None:
    assert read_range(f"{bound:.2f}:").alerts(value) is (value < bound)
    assert read_range(f"~:{bound:.2f}").alerts(value) is (value > bound)
    if bound >= 0:
        assert read_range(f"{bound:.2f}").alerts(value) is (value < 0 or value > bound)
