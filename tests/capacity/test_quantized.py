"""The quantized model."""

from __future__ import annotations

from random import Random

import pytest

from htcq.capacity.choice import Choice, realise
from htcq.capacity.quantized import Quantized, proposed_levels
from htcq.claims.planned import Charges, job_ad
from htcq.errors import ModelError
from htcq.policy.consumption import NEGOTIATOR, SCHEDULER, Terms

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


@pytest.mark.parametrize("total", [*ODD_MEMORY, 16_384, 65_536, 737_280])
def test_a_claim_that_asks_for_what_it_consumes_consumes_the_same_on_ordinary_nodes(
    total: int,
) -> None:
    """Searched over nodes of 1 to 256 cpus with a level for each core, as they empty."""
    for cpus in range(1, 257):
        quantum, rest = divmod(total, cpus)
        if rest >= quantum:
            continue
        Quantized({"cpus": cpus, "memory": cpus}).check({**TOTAL, "cpus": cpus, "memory": total})
        for left in (total, total - quantum, total // 2, quantum):
            for request in (1, quantum - 1, quantum, quantum + 1, 2 * quantum + 1, left):
                taken = consumed(cpus, total, request, left)
                assert taken >= request
                assert consumed(cpus, total, taken, left) == taken


def test_memory_that_is_no_multiple_of_the_levels_is_accepted() -> None:
    """96 quanta of 385117 MB: 32 of them are 128372.3 MB, and a claim gets 128372 of it."""
    Quantized({"cpus": 96, "memory": 96}).check({**TOTAL, "cpus": 96, "memory": 385_117})

    assert consumed(96, 385_117, 3970, 385_117) == 4011
    assert consumed(96, 385_117, 4011, 385_117) == 4011
    assert consumed(96, 385_117, 128_365, 385_117) == 128_372
    assert consumed(96, 385_117, 128_372, 256_745) == 128_372


def test_levels_are_refused_where_their_roundings_make_room_for_a_free_claim() -> None:
    with pytest.raises(ModelError) as refused:
        Quantized({"cpus": 64}).check({**TOTAL, "cpus": 96})

    assert str(refused.value) == (
        "--level cpus=64: 64 claims of one quantum (1) leave 32 of the 96 of this node, where one more claim fits "
        "that would cost nothing"
    )
    assert refused.value.hint == "use --model linear, which has no levels, or --level cpus=48"


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


def test_the_expressions_are_idempotent_on_200_odd_nodes_as_they_empty() -> None:
    """C(C(r)) = C(r) and C(r) >= r, as HTCondor's own library evaluates the texts, portable and literal."""
    seeded = Random(33)
    for number in range(200):
        cpus = seeded.randint(1, 256)
        memory = seeded.randint(cpus * cpus + cpus, 2_000_000)
        total = {"cpus": cpus, "memory": memory, "disk": seeded.randint(10**6, 10**10)}
        model = Quantized({"cpus": cpus, "memory": cpus})
        model.check(total)
        charges = Charges(model.policy(Terms(total, literal=number % 2 == 0), NEGOTIATOR), total)
        for _ in range(6):
            left = {**total, "memory": seeded.randint(1, memory)}
            asked = seeded.randint(1, memory)
            once = memory_of(charges, left, asked)
            assert once >= asked
            assert memory_of(charges, left, once) == once
            assert once == consumed(cpus, memory, asked, left["memory"])


def memory_of(charges: Charges, left: dict[str, int], asked: int) -> int:
    """What the texts say that a claim takes of memory."""
    job = job_ad({"cpus": 1, "memory": asked, "disk": 1})
    taken = charges.consumed(charges.pslot(left), job)["memory"]
    assert taken is not None
    return int(taken)
