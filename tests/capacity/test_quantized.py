"""The quantized model."""

from __future__ import annotations

import pytest

from htcq.capacity.choice import Choice, realise
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


#: Sizes of memory as machines have it, and what a kernel leaves of it.
ODD_MEMORY = (3_750, 7_951, 15_997, 64_216, 128_790, 193_000, 257_664, 385_117, 515_843, 1_031_517)


def consumed(levels: int, total: int, request: int, left: int) -> int:
    """What a claim takes of memory, by the arithmetic of the model."""
    model = Quantized({"memory": levels})
    return model.consumption({"memory": request}, {"memory": left}, {"memory": total})["memory"]


def is_idempotent(levels: int, total: int) -> bool:
    """Whether the model's arithmetic is so for each request about a level, on a slot with whole quanta left."""
    quantum = total // levels
    for quanta in {1, 2, levels // 2, levels - 1, levels} - {0}:
        left = total - (levels - quanta) * quantum
        for request in (1, quantum - 1, quantum, quantum + 1, quanta * quantum):
            taken = consumed(levels, total, max(1, request), left)
            if taken <= left and consumed(levels, total, taken, left) != taken:
                return False
    return True


@pytest.mark.parametrize("total", [*ODD_MEMORY, 16_384, 65_536, 737_280])
def test_a_node_is_refused_where_a_claim_would_consume_more_than_it_consumed(total: int) -> None:
    """Searched over nodes of 1 to 256 cpus, with a level for each core."""
    wrong = []
    for cpus in range(1, 257):
        accepted = True
        try:
            Quantized({"cpus": cpus, "memory": cpus}).check(
                {**TOTAL, "cpus": cpus, "memory": total}
            )
        except ModelError:
            accepted = False
        if accepted != is_idempotent(cpus, total):
            wrong.append(cpus)

    assert wrong == []


def test_the_refusal_has_the_figures_of_the_node_and_what_to_use_instead() -> None:
    """Of 96 levels of 385117 MB, 61 are worth 4012 MB and the others 4011."""
    with pytest.raises(ModelError) as refused:
        Quantized({"cpus": 96, "memory": 96}).check({**TOTAL, "cpus": 96, "memory": 385_117})

    assert str(refused.value) == (
        "--level memory=96: memory of this node, 385117 MiB, is no multiple of 96: a request of 4011 MiB consumes "
        "4012 MiB, and a request of 4012 MiB consumes 8024 MiB, so that the startd may refuse a match in every cycle"
    )
    assert refused.value.hint == "use --model linear, which has no levels"
    assert consumed(96, 385_117, 3970, 385_117) == 4012
    assert consumed(96, 385_117, 4012, 385_117) == 8024


def test_the_refusal_names_the_levels_that_divide_the_asset() -> None:
    with pytest.raises(ModelError) as refused:
        Quantized({"memory": 7}).check(TOTAL)

    assert refused.value.hint.endswith(", or --level memory=4")


def test_disk_is_not_proposed_where_it_is_no_multiple() -> None:
    total = {**TOTAL, "disk": 20_000_001}

    found = realise(Choice(model="quantized"), total, 1, "25.14.1", total)

    assert found == Quantized({"cpus": 8, "memory": 8})


def test_assets_without_levels_are_taken_as_asked() -> None:
    taken = Quantized({"memory": 4}).consumption({"cpus": 3, "memory": 1, "disk": 77}, TOTAL, TOTAL)

    assert taken == {"cpus": 3, "memory": 4096, "disk": 77}


def test_scheduler_splitting_has_no_gpus() -> None:
    with pytest.raises(ModelError, match="--level gpus cannot be enforced"):
        Quantized({"gpus": 2}).policy(Terms({**TOTAL, "gpus": 4}), SCHEDULER)


def test_as_many_levels_as_cores_are_proposed() -> None:
    assert proposed_levels(6) == {"cpus": 6, "memory": 6, "disk": 6}
