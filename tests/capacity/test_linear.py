"""The linear model: what a claim costs, what it is charged and what the node loses are one number."""

from __future__ import annotations

from fractions import Fraction

import pytest

from htcq.capacity.choice import Choice
from htcq.capacity.kinds import NodeKind, check_kinds, choose
from htcq.capacity.layout import SlotType, lay_out
from htcq.capacity.linear import Linear
from htcq.capacity.plan import plan_slot
from htcq.capacity.prices import even_prices
from htcq.capacity.shape import Shape
from htcq.errors import HtcqError, InputError, ModelError
from htcq.node import Gpu, Node
from htcq.policy.consumption import NEGOTIATOR, SCHEDULER, Terms

#: One core and one GiB are worth the same; a GPU as much as eight cores.
WEIGHTS = {"cpus": Fraction(1), "memory": Fraction(1, 4096), "gpus": Fraction(8)}
TOTAL = {"cpus": 16, "memory": 131072, "disk": 10**8, "gpus": 4}


def node(cores: int, memory_mb: int, **facts: object) -> Node:
    """Return a node with disk enough."""
    return Node(cores, memory_mb, 10**9, **facts)  # type: ignore[arg-type]


def test_a_node_of_its_own_prices_weighs_its_cores() -> None:
    for cores, memory in ((2, 24064), (20, 24105), (7, 15_999), (256, 1_572_864)):
        slot = lay_out(node(cores, memory), (SlotType(Choice()),))[0]
        assert plan_slot(slot, []).weight == pytest.approx(cores, rel=1e-5)


def test_the_expressions_are_the_same_on_every_slot() -> None:
    policy = Linear(WEIGHTS).policy(Terms(TOTAL), NEGOTIATOR)

    assert policy.weight == "Cpus + Memory / 4096.0 + 8 * (GPUs ?: 0)"
    assert policy.consumption["memory"] == "max({1, ceiling(target.RequestMemory ?: 0)})"
    assert policy.consumption["gpus"] == "ceiling(target.RequestGPUs ?: 0)"
    assert set(policy.modify.values()) == {"UNDEFINED"}
    assert policy.schedd_weight == (
        "max({1, ceiling(max({1, ceiling(RequestCpus ?: 0)}) + max({1, ceiling(RequestMemory ?: "
        "0)}) / 4096.0"
        " + 8 * ceiling(RequestGPUs ?: 0))})"
    )
    assert policy.claims(literal=False) == "$(NUM_CPUS)"
    assert Linear(WEIGHTS).policy(Terms(TOTAL), SCHEDULER).weight == policy.weight


def test_a_node_without_gpus_takes_the_same_weights() -> None:
    slot = lay_out(node(8, 32768), (SlotType(Choice(weights=WEIGHTS)),))[0]
    cpu_job, gpu_job = plan_slot(slot, [Shape({"cpus": 1}), Shape({"cpus": 1, "gpus": 1})]).jobs

    assert "gpus" not in {asset for asset, amount in cpu_job.consumption.items() if amount}
    assert gpu_job.fits == 0


def test_a_cpu_job_takes_no_gpu_and_a_gpu_job_pays_for_its_own() -> None:
    slot = lay_out(node(16, 131072, gpus=4), (SlotType(Choice(weights=WEIGHTS)),))[0]
    cpu_job, gpu_job = plan_slot(
        slot, [Shape({"cpus": 1, "memory": 4096}), Shape({"cpus": 1, "memory": 4096, "gpus": 1})]
    ).jobs

    assert (cpu_job.match_cost, cpu_job.carved["gpus"]) == (2, 0)
    assert (gpu_job.match_cost, gpu_job.carved["gpus"]) == (10, 1)


def test_the_scale_multiplies_all_weights() -> None:
    slot = lay_out(node(16, 65536), (SlotType(Choice(weights=WEIGHTS, scale=Fraction(10))),))[0]

    assert plan_slot(slot, []).weight == 320
    assert slot.counted.describe() == "linear, weights cpus=1, memory=0.25/GiB, gpus=8, scale 10"


def test_shares_of_a_core_weigh_their_part_of_it() -> None:
    slot = lay_out(node(8, 32768), (SlotType(Choice(weights=WEIGHTS, cpu_shares=4)),))[0]
    job = plan_slot(slot, [Shape({"cpus": 0.25, "memory": 1024})]).jobs[0]

    assert (slot.total["cpus"], job.carved["cpus"], job.match_cost, job.standing_charge) == (
        32,
        1,
        0.5,
        0.5,
    )


# Cards
# ----------------------------------------------------------------------------------------------------------

CARDS = {**WEIGHTS, "gpus:a100": Fraction(16), "gpus:a100-sxm4-80gb": Fraction(20)}


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (("NVIDIA A100-PCIE-40GB",) * 2, 16),
        (("NVIDIA A100-SXM4-80GB",) * 2, 20),
        (("Tesla V100",) * 2, 8),
        (("NVIDIA A100-PCIE-40GB", "Tesla V100"), 8),
        ((), 8),
    ],
)
def test_cards_weigh_by_their_name(names: tuple[str, ...], expected: int) -> None:
    """On a node with cards of several names each has one weight: which card a match takes is not known before it."""
    cards = tuple(Gpu(f"GPU-{number}", name) for number, name in enumerate(names))
    slot = lay_out(node(16, 65536, gpus=2, gpu_devices=cards), (SlotType(Choice(weights=CARDS)),))[
        0
    ]
    job = plan_slot(slot, [Shape({"cpus": 1, "memory": 4096, "gpus": 1})]).jobs[0]

    assert job.match_cost == job.standing_charge == 2 + expected
    # A schedd does not know which card its job will get.
    assert job.schedd_weight == 22


# Bad input
# ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("weights", "message", "hint"),
    [
        ({"cpus": 1, "memroy": 1}, "--weight memroy: unknown asset", "did you mean memory?"),
        ({"cpus": 1, "licences": 1}, "--weight licences: unknown asset", "optional_assets"),
        ({"gpus": 8}, "neither cpus nor memory", "--weight cpus=1"),
    ],
)
def test_weights_that_cannot_be_are_refused(
    weights: dict[str, int], message: str, hint: str
) -> None:
    choice = Choice(weights={asset: Fraction(weight) for asset, weight in weights.items()})
    with pytest.raises(ModelError) as refused:
        lay_out(node(8, 32768), (SlotType(choice),))

    assert message in str(refused.value)
    assert hint in refused.value.hint


def test_a_resource_that_only_other_nodes_have_can_weigh() -> None:
    choice = Choice(
        weights={"cpus": Fraction(1), "licences": Fraction(2)}, optional_assets=("licences",)
    )
    without, having = node(8, 32768), node(8, 32768, custom={"licences": 3})

    assert [
        plan_slot(lay_out(each, (SlotType(choice),))[0], []).weight for each in (without, having)
    ] == [8, 14]


# Prices
# ---------------------------------------------------------------------------------------------------------


def test_each_asset_is_worth_the_same_in_all() -> None:
    fleet = [{"cpus": 32, "memory": 65536, "gpus": 0}, {"cpus": 64, "memory": 524288}]
    prices = even_prices(fleet)

    assert prices["cpus"] == Fraction(1, 2)
    assert float(prices["memory"] * (65536 + 524288)) == pytest.approx(48, rel=1e-5)


@pytest.mark.parametrize(
    ("share", "expected"), [(None, 16 / 112 / 3), (Fraction(1, 4), 0.25), (Fraction(0), 0)]
)
def test_gpus_stand_for_their_share(share: Fraction | None, expected: float) -> None:
    fleet = [{"cpus": 96, "memory": 10**6, "gpus": 0}, {"cpus": 16, "memory": 10**5, "gpus": 4}]
    prices = even_prices(fleet, share)
    amounts = {asset: sum(each[asset] for each in fleet) for asset in ("cpus", "memory", "gpus")}

    assert float(prices["gpus"] * 4) / 112 == pytest.approx(expected, rel=1e-4)
    assert float(sum(prices[asset] * amount for asset, amount in amounts.items())) == pytest.approx(
        112, rel=1e-5
    )


@pytest.mark.parametrize(
    ("fleet", "share"),
    [([], None), ([{"cpus": 8, "memory": 1000}], Fraction(1, 2)), ([{"cpus": 8, "memory": 9}], 1)],
)
def test_a_fleet_without_what_is_weighed_is_refused(
    fleet: list[dict[str, int]], share: Fraction | None
) -> None:
    with pytest.raises(ModelError) as refused:
        even_prices(fleet, share)

    assert refused.value.hint


# Kinds of node
# --------------------------------------------------------------------------------------------------

PLAIN = (SlotType(Choice(weights=WEIGHTS)),)
GPU = NodeKind("gpu", "TotalGPUs > 0", (SlotType(Choice(weights=CARDS)),))
LARGE = NodeKind("large", "TotalMemory >= 262144", PLAIN)


def test_a_node_has_the_model_of_its_kind() -> None:
    assert choose(PLAIN, (GPU, LARGE), node(8, 4096, gpus=1)).kind == "gpu"
    assert choose(PLAIN, (GPU, LARGE), node(8, 300_000)).kind == "large"
    assert choose(PLAIN, (GPU, LARGE), node(8, 4096)).kind == ""


@pytest.mark.parametrize(
    ("kinds", "facts", "message"),
    [
        (
            (GPU, LARGE),
            {"memory_mb": 300_000, "gpus": 1},
            "is of two kinds, nodes.gpu and nodes.large",
        ),
        ((GPU,), {}, "is of no kind"),
        ((NodeKind("x", "TotalGPU > 0", PLAIN),), {}, "nodes.x.match names totalgpu"),
        ((NodeKind("x", '"text"', PLAIN),), {}, "nodes.x.match is neither true nor false"),
    ],
)
def test_kinds_that_leave_it_open_are_refused(
    kinds: tuple[NodeKind, ...], facts: dict[str, int], message: str
) -> None:
    one = Node(**{"cpus": 8, "memory_mb": 4096, "disk_kb": 10**6, **facts})  # type: ignore[arg-type]
    with pytest.raises(InputError) as refused:
        choose((), kinds, one)

    assert message in str(refused.value)
    assert refused.value.hint


def test_a_kind_of_no_node_is_refused() -> None:
    check_kinds((GPU, LARGE), ["gpu", "large", ""])
    with pytest.raises(HtcqError, match=r"nodes.large: match = .* is true for no node"):
        check_kinds((GPU, LARGE), ["gpu"])
