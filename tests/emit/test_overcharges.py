"""Models under which some jobs are charged more than they are admitted for are refused."""

from __future__ import annotations

from fractions import Fraction

import pytest

from htcq.capacity.choice import Choice
from htcq.capacity.fleet_node import FleetNode
from htcq.capacity.layout import SlotType, lay_out
from htcq.capacity.shape import Shape
from htcq.emit.overcharges import overcharges, refuse_overcharges
from htcq.errors import PolicyError
from htcq.node import Node

CLAIMS = Choice(model="minimum-charge", charges={"cpus": Fraction(1), "memory": Fraction(4096)})
LINEAR = Choice(weights={"cpus": Fraction(1), "memory": Fraction(1, 4096)})
HUNGRY = Shape({"cpus": 2, "memory": 32768, "disk": 1024})
WIDE = Shape({"cpus": 16, "memory": 4096, "disk": 1024})


def _nodes(choice: Choice) -> list[FleetNode]:
    hardware = {"small": (32, 65536), "large": (64, 524288)}
    nodes = {name: Node(cpus, memory, 10**8) for name, (cpus, memory) in hardware.items()}
    return [
        FleetNode(name, node, lay_out(node, (SlotType(choice),))) for name, node in nodes.items()
    ]


def test_the_worst_is_named_with_its_numbers() -> None:
    """16 jobs of 2 cpus and 32 GiB fill 64 cpus and 512 GiB, which weigh 64, and are charged 8 each."""
    with pytest.raises(PolicyError) as refused:
        refuse_overcharges(_nodes(CLAIMS)[1:], [HUNGRY])

    assert str(refused.value) == (
        "refused, since groups could exceed their quotas: a job of cpus=2,memory=32 GiB,disk=1 "
        "MiB on nodes of kind "
        "64 cpus, 512 GiB has a match cost of 4 and a standing charge of 8 (x2)"
    )
    assert "--force" in refused.value.hint


def test_all_kinds_and_shapes_are_looked_at() -> None:
    found = {
        (one.kind, one.shape.amounts["cpus"]) for one in overcharges(_nodes(CLAIMS), [HUNGRY, WIDE])
    }

    assert found == {("32 cpus, 64 GiB", 16), ("64 cpus, 512 GiB", 2)}
    with pytest.raises(PolicyError, match=r"\(and 1 more\)"):
        refuse_overcharges(_nodes(CLAIMS), [HUNGRY, WIDE])


def test_without_jobs_typical_ones_are_looked_at() -> None:
    with pytest.raises(PolicyError):
        refuse_overcharges(_nodes(CLAIMS), [])


@pytest.mark.parametrize(
    "choice",
    [
        LINEAR,
        Choice(preset="simple"),
        Choice(model="fixed", claims=4, share="request", splitting="scheduler"),
    ],
    ids=["linear", "simple", "scheduler"],
)
def test_sound_models_pass(choice: Choice) -> None:
    refuse_overcharges(_nodes(choice), [HUNGRY, WIDE])
