"""What a startd that runs does not have yet of its configuration; tests/condor compares with real ones."""

from __future__ import annotations

from typing import Any

import pytest

from htcq.classads import Expr
from htcq.emit.pending import hardware_changes, reconfig_pending, restart_pending
from htcq.node import Node

#: As a startd of 25.14 sends them, reduced to what is looked at.
SLOT = {
    "Name": '"slot1@node.test"',
    "SlotTypeID": "1",
    "PartitionableSlot": "true",
    "SlotWeight": "Cpus + Memory / 4.096000000000000E+03",
    "NumClaims": "8",
    "HtcqModelHash": '"0123456789ab"',
    "ConsumptionCpus": "ceiling(target.RequestCpus ?: 0)",
    "TotalCpus": "8.000000000000000E+00",
    "TotalMemory": "16384",
    "TotalGPUs": "2",
}
VALUES = {
    "NUM_SLOTS_TYPE_1": "1",
    "NUM_SLOTS_TYPE_2": "0",
    "CONSUMPTION_POLICY": "True",
    "CONSUMPTION_CPUS": "ceiling( target.RequestCpus  ?: 0 )",
    "SLOT_WEIGHT": "Cpus + Memory / 4096.0",
    "NUM_CLAIMS": "8",
    "HTCQMODELHASH": '"0123456789ab"',
}
NODE = Node(8, 16384, 20_000_000, gpus=2)


def slot(**changes: str | None) -> dict[str, str]:
    """The slot ad with other attributes; None leaves one out."""
    return {name: text for name, text in {**SLOT, **changes}.items() if text is not None}


def test_nothing_is_pending_where_all_is_as_configured() -> None:
    assert restart_pending([SLOT], VALUES) == ()
    assert reconfig_pending([SLOT], VALUES) == ()
    assert hardware_changes([SLOT], NODE, 1, VALUES) == ()


@pytest.mark.parametrize(
    ("ads", "values", "said"),
    [
        (
            [slot(ConsumptionCpus=None)],
            {},
            "CONSUMPTION_POLICY is on, and the running slots have none",
        ),
        (
            [SLOT],
            {"CONSUMPTION_POLICY": "False"},
            "CONSUMPTION_POLICY is off, and the running slots have one",
        ),
        ([SLOT], {"NUM_CLAIMS": "2 * 8"}, "NUM_CLAIMS is 16, and slot slot1@node.test has 8"),
        (
            [SLOT],
            {"SLOT_TYPE_1_NUM_CLAIMS": "4"},
            "NUM_CLAIMS is 4, and slot slot1@node.test has 8",
        ),
        ([SLOT], {"NUM_SLOTS_TYPE_1": "2"}, "1 slots of type 1 run, 2 are configured"),
        ([SLOT, slot(SlotTypeID="2")], {}, "1 slots of type 2 run, 0 are configured"),
        ([slot(PartitionableSlot=None)], {}, "slot slot1@node.test is not partitionable"),
        ([SLOT], {"NUM_CPUS": "16"}, "NUM_CPUS is 16, and the running slots have 8 cpus together"),
    ],
)
def test_what_needs_a_restart(ads: list[dict[str, str]], values: dict[str, str], said: str) -> None:
    assert restart_pending(ads, {**VALUES, **values}) == (said,)


@pytest.mark.parametrize(
    ("ad", "values", "said"),
    [
        (
            slot(SlotWeight="Cpus"),
            {},
            "SlotWeight is configured as Cpus + Memory / 4096.0, and the running slots have",
        ),
        (
            slot(HtcqModelHash=None),
            {},
            'HtcqModelHash is configured as "0123456789ab", and the running slots have none',
        ),
        (
            slot(ConsumptionCpus="1"),
            {},
            "ConsumptionCpus is configured as ceiling( target.RequestCpus ?: 0 )",
        ),
        (
            SLOT,
            {"SLOT_TYPE_1_SLOT_WEIGHT": "3"},
            "SlotWeight is configured as 3, and the running slots have",
        ),
    ],
)
def test_what_needs_a_reconfig_only(ad: dict[str, str], values: dict[str, str], said: str) -> None:
    (told,) = reconfig_pending([ad, ad], {**VALUES, **values})

    assert told.startswith(said)
    assert restart_pending([ad], {**VALUES, **values}) == ()


@pytest.mark.parametrize(
    ("node", "shares", "values", "said"),
    [
        ({"cpus": 7}, 1, {}, ("cpus 8, now 7",)),
        ({"cpus": 4}, 2, {}, ()),
        ({"cpus": 4}, 1, {"NUM_CPUS": "8"}, ()),
        ({"gpus": 0}, 1, {}, ("gpus 2, now 0",)),
        ({"memory_mb": 16300}, 1, {}, ()),
        ({"memory_mb": 8192, "gpus": 3}, 1, {}, ("gpus 2, now 3", "memory 16384, now 8192")),
        ({"custom": {"tokens": 1}}, 1, {}, ()),
    ],
)
def test_hardware_that_the_startd_does_not_have(
    node: dict[str, Any], shares: int, values: dict[str, str], said: tuple[str, ...]
) -> None:
    now = Node(**{"cpus": 8, "memory_mb": 16384, "disk_kb": 1, "gpus": 2, **node})

    assert hardware_changes([SLOT], now, shares, {**VALUES, **values}) == said


def test_a_long_expression_is_shortened() -> None:
    (told,) = reconfig_pending([SLOT], {**VALUES, "SLOT_WEIGHT": " + ".join(["Cpus"] * 50)})

    assert len(told) < 200


def test_a_flag_that_is_an_expression_is_evaluated() -> None:
    values = {**VALUES, "CONSUMPTION_POLICY": "(1 == 1)"}

    assert restart_pending([SLOT], values) == ()
    assert restart_pending([SLOT], {**values, "CONSUMPTION_POLICY": "2 > 3"}) == (
        "CONSUMPTION_POLICY is off, and the running slots have one",
    )


def test_no_expression_of_the_startd_is_evaluated(monkeypatch: pytest.MonkeyPatch) -> None:
    """The process is not confined; what is configured on this machine is root's."""
    evaluated = []
    real = Expr.evaluate
    monkeypatch.setattr(
        Expr, "evaluate", lambda self, *more: evaluated.append(self.text) or real(self, *more)
    )
    odd = dict.fromkeys(("PartitionableSlot", "TotalCpus", "TotalMemory", "NumClaims"), "6 + 1")
    ad = slot(**odd, SlotWeight="6 + 1", ConsumptionCpus="6 + 1")
    assert "slot slot1@node.test is not partitionable" in restart_pending([ad], VALUES)
    assert hardware_changes([ad], NODE, 1, VALUES) == ()
    assert len(reconfig_pending([ad], VALUES)) == 2
    assert "6 + 1" not in evaluated
