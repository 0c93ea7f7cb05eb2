"""The fixed model."""

from __future__ import annotations

import pytest

from htcq.capacity.fixed import TOKEN, Fixed
from htcq.errors import ModelError
from htcq.policy.consumption import NEGOTIATOR, SCHEDULER, Terms

TOTAL = {"cpus": 8, "memory": 16384, "disk": 20_000_000, "gpus": 0}


@pytest.mark.parametrize(
    ("model", "message", "hint"),
    [
        (Fixed(0), "--claims 0: must be positive", "number of jobs"),
        (
            Fixed(9),
            "cannot carve more claims than there are cpus (8)",
            "at most --claims 8, or count each core",
        ),
        (Fixed(9, "request"), "cannot carve more claims than there are cpus (8)", "--claims 8"),
        (
            Fixed(6, "none"),
            "--share none: the startd gives every claim at least 1 cpu and 1 MB",
            "--force",
        ),
        (Fixed(2, assets=("gpus",)), "--asset gpus: this node has none", "it has"),
        (Fixed(2, assets=("railguns",)), "--asset railguns: unknown asset", "this node has"),
    ],
)
def test_what_the_startd_cannot_carve_is_refused(model: Fixed, message: str, hint: str) -> None:
    with pytest.raises(ModelError) as refused:
        model.check(TOTAL)

    assert message in str(refused.value)
    assert hint in refused.value.hint


def test_forced_claims_of_nothing_may_be_more_than_cpus() -> None:
    model = Fixed(12, "none", forced=True)
    model.check(TOTAL)

    assert model.weight(TOTAL, TOTAL) == 12
    assert model.consumption({"cpus": 1, "memory": 100}, TOTAL, TOTAL) == {
        "cpus": 0,
        "memory": 0,
        TOKEN: 1,
    }


def test_an_even_share_is_the_mth_part_and_more_does_not_fit() -> None:
    model = Fixed(3)
    small = model.consumption({"cpus": 1, "memory": 1, "disk": 1, "gpus": 0}, TOTAL, TOTAL)
    large = model.consumption({"cpus": 3, "memory": 1, "disk": 1, "gpus": 0}, TOTAL, TOTAL)

    assert (small["cpus"], small["memory"]) == (2, 16384 // 3)
    assert large["cpus"] > TOTAL["cpus"]


def test_what_an_even_share_takes_does_not_depend_on_what_is_left() -> None:
    """385117 MB for 96 claims are 4011.6 MB: each gets 4011, and 4012 do not fit."""
    total = {"cpus": 96, "memory": 385_117, "disk": 20_000_000}
    model, asks = Fixed(96), {"cpus": 1, "memory": 4011, "disk": 1}
    left = {**total, "memory": 4100}

    assert model.consumption(asks, total, total)["memory"] == 4011
    assert model.consumption(asks, left, total)["memory"] == 4011
    assert model.consumption({**asks, "memory": 4012}, left, total)["memory"] > 4100


def test_shares_that_leave_room_for_more_claims_than_asked_for_are_refused() -> None:
    total = {"cpus": 96, "memory": 385_117, "disk": 20_000_000}
    Fixed(64).check(total)
    with pytest.raises(ModelError) as refused:
        Fixed(64, assets=("cpus",)).check(total)

    assert str(refused.value) == (
        "--claims 64: shares of cpus leave room for more claims than that"
    )
    assert "--asset memory" in refused.value.hint


def test_tokens_count_what_no_asset_counts() -> None:
    model = Fixed(5, "request")
    policy = model.policy(Terms(TOTAL), NEGOTIATOR)
    left = {**TOTAL, TOKEN: 2}

    assert policy.provides == {TOKEN: 5}
    assert model.weight(left, TOTAL) == 2
    assert model.consumption({"cpus": 2}, left, TOTAL) == {"cpus": 2, TOKEN: 1}


@pytest.mark.parametrize("share", ["even", "request"])
def test_every_claim_weighs_1(share: str) -> None:
    policy = Fixed(4, share).policy(Terms(TOTAL), NEGOTIATOR)

    assert policy.schedd_weight == "1"
    assert policy.weight.startswith("ifThenElse(DynamicSlot =?= true, 1, ")


def test_with_scheduler_splitting_the_startd_counts() -> None:
    policy = Fixed(4, "request").policy(Terms(TOTAL), SCHEDULER)

    assert policy.start == "DynamicSlot =?= true || (NumDynamicSlots ?: 0) < 4"
    with pytest.raises(ModelError, match="--share none has no meaning with --splitting scheduler"):
        Fixed(4, "none").policy(Terms(TOTAL), SCHEDULER)
    with pytest.raises(ModelError, match="--asset gpus cannot be enforced"):
        Fixed(2, assets=("gpus",)).policy(Terms({**TOTAL, "gpus": 4}), SCHEDULER)
