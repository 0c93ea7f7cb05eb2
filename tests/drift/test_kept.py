"""What is kept as texts, and what it means when it is read."""

from __future__ import annotations

import pytest

from htcq.drift.kept import texts_of, weight_of, weight_text
from htcq.drift.observation import (
    KINDS,
    DriftObservation,
    GroupObservation,
    QuotaSetting,
    WeightUse,
)
from htcq.drift.retention import Retention, retention_of
from htcq.settings import DriftSettings


def test_an_observation_is_told_in_texts() -> None:
    static, dynamic = QuotaSetting(20, True, True, False), QuotaSetting(0.5, False, False, True)
    groups = (
        GroupObservation("a", declared=static),
        GroupObservation("b", configured=dynamic),
        GroupObservation("c"),
    )
    weights = (WeightUse("Cpus", 3, 24.0),)
    texts = texts_of(
        DriftObservation("p", "n", 1, 24.0, groups, weights, {"X": "1"}, doubts=("old", "odd"))
    )

    assert texts == {
        ("declared", "a", "static 20 accept_surplus"),
        ("configured", "b", "dynamic 0.5 autoregroup"),
        ("weight", "Cpus", "3 slots, weight 24"),
        ("setting", "X", "1"),
        ("doubt", "", "old"),
        ("doubt", "", "odd"),
    }
    assert {kind for kind, _, _ in texts} == {*KINDS} - {"damage"}


@pytest.mark.parametrize("weight", [0.0, 24.0, 0.1, 1 / 3, 1e300, -1.5])
def test_a_weight_is_read_back_to_the_last_digit(weight: float) -> None:
    use = WeightUse("Cpus + 1", 7, weight)

    assert weight_of("Cpus + 1", weight_text(use)) == use


@pytest.mark.parametrize(
    "text", ["", "3 slots", "x slots, weight 1", "3 slots, weight x", "3 slots, weight 1 2"]
)
def test_other_texts_are_no_weights(text: str) -> None:
    assert weight_of("Cpus", text) is None


def test_a_site_decides_how_long_what_is_kept() -> None:
    assert retention_of(DriftSettings("x", 1, 2, 3)) == Retention(1, 2, 3)
    assert retention_of(DriftSettings()) == Retention()
