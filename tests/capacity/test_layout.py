"""Dividing a node into slot types."""

from __future__ import annotations

from fractions import Fraction

import pytest

from htcq.capacity.choice import Choice
from htcq.capacity.layout import SlotType, lay_out, slot_type_text
from htcq.errors import ModelError
from htcq.node import Node

NODE = Node(9, 16385, 20_000_001, gpus=3, custom={"actuators": 5})
HALF = dict.fromkeys(("cpus", "memory", "disk", "gpus"), Fraction(1, 2))


def test_one_slot_type_is_the_whole_machine() -> None:
    slot = lay_out(NODE, (SlotType(Choice()),))[0]

    assert slot.total == {"cpus": 9, "memory": 16385, "disk": 20_000_001, "gpus": 3, "actuators": 5}
    assert slot_type_text(slot.type, slot.machine, 1) == "100%"
    assert slot.policy.splitting == "negotiator"


def test_a_share_is_the_whole_part_of_it() -> None:
    """src/condor_startd.V6/slot_builder.cpp, 25.14: the startd truncates."""
    slot = lay_out(NODE, (SlotType(Choice(), 1, 2, HALF),))[0]

    assert slot.total == {"cpus": 4, "memory": 8192, "disk": 10_000_000, "gpus": 1, "actuators": 0}
    assert (
        slot_type_text(slot.type, slot.machine, 1)
        == "cpus=50%, memory=50%, disk=50%, gpus=50%, actuators=0"
    )


def test_amounts_are_given_as_amounts_and_cpus_in_shares() -> None:
    parts = {"cpus": 2, "memory": 4096, "disk": Fraction(1, 4)}
    slot = lay_out(NODE, (SlotType(Choice(cpu_shares=2), 3, 1, parts),))[0]

    assert slot.total["cpus"] == 4
    assert (
        slot_type_text(slot.type, slot.machine, 2)
        == "cpus=4, memory=4096, disk=25%, gpus=0, actuators=0"
    )


def test_no_gpus_still_means_an_asset_called_gpus() -> None:
    """HTCondor's default GPU detection lists GPUs among the resources of every machine."""
    assert lay_out(Node(1, 1024, 10**6), (SlotType(Choice()),))[0].total["gpus"] == 0


@pytest.mark.parametrize(
    ("types", "message"),
    [
        ((SlotType(Choice(), 1, 3, HALF),), "the slot types promise 12 cpus, but the node has 9"),
        (
            (SlotType(Choice(), 1, 1, {"cpus": Fraction(1)}),),
            "disk of a slot type must be a percentage|gets no memory",
        ),
        (
            (SlotType(Choice(), 1, 1, {**HALF, "disk": 5}),),
            "disk of a slot type must be a percentage",
        ),
        ((SlotType(Choice(), 1, 1, {**HALF, "memory": 0}),), "slot type 1 gets no memory"),
        (
            (SlotType(Choice(), 1, 1, HALF), SlotType(Choice(splitting="scheduler"), 2, 1, HALF)),
            "negotiator splitting and scheduler splitting on one node",
        ),
        (
            (SlotType(Choice(claims=2, share="request"), 1, 1, HALF),),
            "declares the machine resource htcqclaims",
        ),
    ],
)
def test_a_layout_that_cannot_stand_is_refused(types: tuple[SlotType, ...], message: str) -> None:
    with pytest.raises(ModelError, match=message) as refused:
        lay_out(NODE, types)

    assert refused.value.hint
