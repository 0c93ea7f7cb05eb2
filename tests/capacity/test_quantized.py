"""The quantized model."""

from __future__ import annotations

import pytest

from htcq.capacity.quantized import Quantized, proposed_levels
from htcq.errors import ModelError
from htcq.policy.consumption import SCHEDULER, Terms

TOTAL = {"cpus": 8, "memory": 16384, "disk": 20_000_000, "gpus": 0}


@pytest.mark.parametrize(
    ("levels", "message", "hint"),
    [
        (
            {"cpus": 9},
            "more levels than the node has units",
            "at most cpus=8 or count each core as several",
        ),
        ({"memory": 16385}, "more levels than the node has units", "at most memory=16384"),
        ({"memory": 0}, "--level memory=0: a level count must be positive", "try --level memory=8"),
        ({"gpus": 2}, "--level gpus: this node has none", "it has"),
        ({"railguns": 2}, "--level railguns: unknown asset", "this node has"),
    ],
)
def test_levels_that_the_node_cannot_carry_are_refused(
    levels: dict[str, int], message: str, hint: str
) -> None:
    with pytest.raises(ModelError) as refused:
        Quantized(levels).check(TOTAL)

    assert message in str(refused.value)
    assert hint in refused.value.hint


def test_assets_without_levels_are_taken_as_asked() -> None:
    taken = Quantized({"memory": 4}).consumption({"cpus": 3, "memory": 1, "disk": 77}, TOTAL, TOTAL)

    assert taken == {"cpus": 3, "memory": 4096, "disk": 77}


def test_scheduler_splitting_has_no_gpus() -> None:
    with pytest.raises(ModelError, match="--level gpus cannot be enforced"):
        Quantized({"gpus": 2}).policy(Terms({**TOTAL, "gpus": 4}), SCHEDULER)


def test_as_many_levels_as_cores_are_proposed() -> None:
    assert proposed_levels(6) == {"cpus": 6, "memory": 6, "disk": 6}
