"""What a confined process hands over is believed by type, range and size alone."""

from __future__ import annotations

from typing import Any

import pytest

from htcq.drift.ledger import LedgerEntry
from htcq.drift.observation import DriftObservation, GroupObservation, QuotaSetting, WeightUse
from htcq.errors import ConfinementError
from htcq.operations.handed_over import record_of, text_of, value_of

OBSERVATION = DriftObservation(
    pool="pool", negotiator="central", time=1795262400, pool_weight=16.0,
    groups=(
        GroupObservation("a", configured=QuotaSetting(4.0, True, False, True), effective=3.5),
        GroupObservation("b", declared=QuotaSetting(0.25, False, True, False)),
    ),
    weights=(WeightUse("Cpus", 2, 16.0),), settings={"SLOT_WEIGHT": "Cpus"},
    ledger=(LedgerEntry("a", "cpus", 1, 2, 3),),
)  # fmt: skip


def test_a_record_comes_back_as_it_was() -> None:
    assert record_of(DriftObservation, value_of(text_of(OBSERVATION))) == OBSERVATION


def test_a_number_that_is_not_finite_becomes_what_a_history_keeps_of_it() -> None:
    found = value_of(text_of((float("nan"), float("inf"), -float("inf"))))

    assert isinstance(found, list)
    assert found[0] == 0
    assert -found[2] == found[1] > 1e300


@pytest.mark.parametrize(
    "text",
    [b"", b"{", b"\xff", b"NaN", b"[Infinity]", b"1e999", b"9" * 5000, b"[" * 100000],
)
def test_what_is_not_strict_json_is_refused(text: bytes) -> None:
    with pytest.raises(ConfinementError, match="is not JSON"):
        value_of(text)


def changed(**changes: Any) -> Any:
    found: Any = value_of(text_of(OBSERVATION))
    return {**found, **changes}


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ([], "an object"),
        ("pool", "an object"),
        (changed(more=1), "DriftObservation"),
        ({}, "DriftObservation"),
        (changed(time="now"), "time is not int"),
        (changed(time=1.5), "time is not int"),
        (changed(time=True), "time is not int"),
        (changed(time=2**63), "time is not int"),
        (changed(pool_weight=False), "pool_weight is not float"),
        (changed(pool_weight=None), "pool_weight is not float"),
        (changed(pool=None), "pool is not str"),
        (changed(groups={}), "groups is not a list"),
        (changed(groups=[{}]), "groups is not GroupObservation"),
        (changed(doubts=[1]), "doubts is not str"),
        (changed(settings=[]), "settings is not an object"),
        (changed(settings={"A": 1}), "settings is not str"),
    ],
)
def test_what_is_not_of_the_type_of_its_field_is_refused(value: Any, why: str) -> None:
    with pytest.raises(ConfinementError, match=f"not {why}|{why}$"):
        record_of(DriftObservation, value)
