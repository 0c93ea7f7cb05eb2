"""What the gaps between match costs and standing charges mean, in words."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from htcq.capacity.choice import Choice
from htcq.capacity.fleet import plan_fleet
from htcq.capacity.fleet_node import FleetNode
from htcq.capacity.layout import SlotType, lay_out
from htcq.capacity.shape import Shape
from htcq.node import Node
from htcq.report.views.fleet import fleet_json
from htcq.report.views.fleet_sentences import gap_sentences, quotas_hold, weight_sentence

NODE = Node(8, 16384, 10**8)
JOB = Shape({"cpus": 1, "memory": 8192, "disk": 1024})
WEIGHTS = {"cpus": Fraction(1), "memory": Fraction(1, 4096)}


def _node(weight: str = "", **settings: Any) -> FleetNode:
    """Return a node with a model, and another slot weight than the model's."""
    (slot,) = lay_out(NODE, (SlotType(Choice(**(settings or {"weights": WEIGHTS}))),))
    policy = replace(slot.policy, weight=weight) if weight else slot.policy
    return FleetNode("node", NODE, (replace(slot, policy=policy),))


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        (_node(), ["every charge equals its match cost: quotas hold"]),
        # A published policy: the minimum over the assets on dynamic slots as well.
        (
            _node("min({Cpus, floor(Memory / 2048)})"),
            ["claims are charged x0.25 of their match cost (job 1): usage leaks"],
        ),
        # The match costs what cpus lose, the claim is charged by its memory.
        (
            _node("ifThenElse(DynamicSlot =?= true, Memory / 2048, Cpus)"),
            ["quotas can be exceeded up to x4 (job 1)"],
        ),
        (
            _node("ifThenElse(DynamicSlot =?= true, 1, 8)"),
            ["quotas do not hold (job 1): a match costs nothing there, and its claim is charged"],
        ),
        (
            _node(weights=WEIGHTS, splitting="scheduler"),
            [
                (
                    "the access point fills the slot that a match hands over: a group can exceed its "
                    "quota by a whole slot"
                )
            ],
        ),
    ],
)
def test_a_gap_is_said_in_words(node: FleetNode, expected: list[str]) -> None:
    plan = plan_fleet([node], [JOB])

    assert list(gap_sentences(plan)) == expected
    assert quotas_hold(plan) is ("quotas hold" in expected[0])


def test_a_factor_without_bound_is_null() -> None:
    plan = plan_fleet([_node("ifThenElse(DynamicSlot =?= true, 1, 8)")], [JOB])

    assert fleet_json(plan)["fleet"]["quotas"]["max_factor"] == {
        "factor": None,
        "job": 1,
        "kind": "8 cpus, 16 GiB",
    }


def test_jobs_that_fit_nowhere_tell_nothing_of_quotas() -> None:
    plan = plan_fleet([_node()], [Shape({"cpus": 99})])

    assert list(gap_sentences(plan)) == ["no job fits anywhere: nothing is known of quotas"]
    assert fleet_json(plan)["fleet"]["quotas"]["max_factor"] is None


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        (_node(), "the node weighs 12 empty and 12 busy"),
        (
            _node("ifThenElse(DynamicSlot =?= true, Memory / 2048, Cpus)"),
            "the node weighs 8 empty and from 8 to 14 busy",
        ),
    ],
)
def test_what_a_node_weighs(node: FleetNode, expected: str) -> None:
    assert weight_sentence(plan_fleet([node], [JOB])) == expected
