"""Every kind of difference has its words."""

from __future__ import annotations

from typing import get_args

import pytest

from htcq.drift.compare import QuotaDifference, What
from htcq.report.views.drift_sentences import amount, told


@pytest.mark.parametrize("what", get_args(What))
def test_every_difference_can_be_told(what: What) -> None:
    assert told(QuotaDifference("bio", what, 1.0, 2.0)).strip()


@pytest.mark.parametrize(
    ("difference", "words"),
    [
        (QuotaDifference("bio", "quota", 20.0, 12.5), "quota declared 20, but configured 12.5"),
        (
            QuotaDifference("bio", "kind", "static", "dynamic"),
            "declared static, but configured dynamic",
        ),
        (
            QuotaDifference("bio", "accept-surplus", True, False),
            "accept_surplus declared true, but configured false",
        ),
        (
            QuotaDifference("bio", "not-configured", 20.0, None),
            "declared with a quota of 20, but not configured",
        ),
        (
            QuotaDifference("bio", "not-declared", None, 0.25),
            "configured with a quota of 0.25, but not declared",
        ),
        (QuotaDifference("bio", "effective", 10.0, 20.0), "quota published 10 where 20 should be"),
    ],
)
def test_both_sides_are_told(difference: QuotaDifference, words: str) -> None:
    assert told(difference) == words


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (20.0, "20"),
        (1_234_567.25, "1234567.25"),
        (1 / 3, "0.333333"),
        (-1e-9, "0"),
        (float("nan"), "nan"),
    ],
)
def test_an_amount_has_no_exponent_and_no_sign_of_nothing(value: float, text: str) -> None:
    assert amount(value) == text
