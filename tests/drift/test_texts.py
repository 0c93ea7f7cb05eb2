"""A quota as text says the same when it is read back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from htcq.drift.observation import QuotaSetting
from htcq.drift.texts import setting_of, setting_text

SETTINGS = st.builds(
    QuotaSetting, st.floats(0, 2**31 - 1), st.booleans(), st.booleans(), st.booleans()
)


@pytest.mark.parametrize(
    ("setting", "text"),
    [
        (QuotaSetting(20.0, True, False, False), "static 20"),
        (QuotaSetting(0.25, False, True, True), "dynamic 0.25 accept_surplus autoregroup"),
    ],
)
def test_a_setting_is_one_line(setting: QuotaSetting, text: str) -> None:
    assert setting_text(setting) == text


@given(SETTINGS)
def test_no_digit_is_lost(setting: QuotaSetting) -> None:
    assert setting_of(setting_text(setting)) == setting


@pytest.mark.parametrize("text", ["", "static", "static many", "some 20", "20", "static 20,5"])
def test_anything_else_is_no_setting(text: str) -> None:
    assert setting_of(text) is None
