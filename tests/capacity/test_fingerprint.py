"""The hash by which nodes that read the same settings are known."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import pytest

from htcq.capacity.choice import Choice
from htcq.capacity.fingerprint import fingerprint, settled
from htcq.capacity.layout import SlotType, lay_out
from htcq.node import Node
from htcq.settings import Given, settings_from

WEIGHTS = {"cpus": Fraction(1), "memory": Fraction(1, 4096)}


def of(**settings: Any) -> str:
    """The hash of one slot type with these settings."""
    return fingerprint([("", [SlotType(Choice(**settings))])])


def test_it_is_twelve_hexadecimal_digits() -> None:
    assert re.fullmatch("[0-9a-f]{12}", of(weights=WEIGHTS))


def test_the_spelling_of_an_amount_does_not_count() -> None:
    one, other = (
        Given({"weights": {"cpus": cpus, "memory": memory}}).choice()
        for cpus, memory in (("1", "0.25/GiB"), (1, "0.250/GiB"))
    )

    assert fingerprint([("", [SlotType(one)])]) == fingerprint([("", [SlotType(other)])])


def test_nor_do_the_order_of_assets_a_default_that_is_given_and_force() -> None:
    backwards = dict(reversed(list(WEIGHTS.items())))

    assert of(weights=WEIGHTS) == of(weights=backwards, model="linear", forced=True)
    assert of(claims=4) == of(claims=4, share="even")
    assert of(levels={"cpus": 4}) == of(levels={"cpus": 4}, rule="min")


@pytest.mark.parametrize(
    "settings",
    [
        {"weights": {**WEIGHTS, "memory": Fraction(1, 4095)}},
        {"weights": {**WEIGHTS, "gpus": Fraction(8)}},
        {"weights": WEIGHTS, "scale": Fraction(2)},
        {"weights": WEIGHTS, "splitting": "scheduler"},
        {"weights": WEIGHTS, "optional_assets": ("licences",)},
        {"charges": {"cpus": Fraction(1), "memory": Fraction(4096)}},
        {"claims": 1},
    ],
)
def test_every_number_counts(settings: dict[str, Any]) -> None:
    assert of(**settings) != of(weights=WEIGHTS)


def test_how_a_node_is_divided_counts() -> None:
    choice = Choice(weights=WEIGHTS)
    half, one_cpu = (
        SlotType(choice, parts={"cpus": Fraction(1, 2)}),
        SlotType(choice, parts={"cpus": 1}),
    )
    every = [SlotType(choice), SlotType(choice, count=2), SlotType(choice, number=2), half, one_cpu]

    assert len({fingerprint([("", [each])]) for each in every}) == len(every)
    assert fingerprint([("", [SlotType(choice, parts={"cpus": Fraction(1)})])]) != fingerprint(
        [("", [one_cpu])]
    )


def test_the_numbers_that_a_model_proposes_are_those_of_the_node() -> None:
    small, large = Node(8, 16384, 20_000_000), Node(16, 65536, 20_000_000)
    slots = [lay_out(node, (SlotType(Choice()),))[0] for node in (small, small, large)]
    first, again, other = (fingerprint([("", [settled(slot)])]) for slot in slots)

    assert first == again != other
    assert settled(slots[0]).choice.weights == slots[0].counted.weights  # type: ignore[attr-defined]


def test_hardware_does_not_count_where_the_site_gives_the_numbers() -> None:
    types = (SlotType(Choice(weights=WEIGHTS)),)
    slots = [
        lay_out(node, types)[0]
        for node in (Node(8, 16384, 20_000_000), Node(64, 524288, 1_000_000))
    ]

    assert len({fingerprint([("", [settled(slot)])]) for slot in slots}) == 1


def test_kinds_of_node_count_whatever_their_order() -> None:
    plain = {"weights": {"cpus": 1, "memory": "0.25/GiB"}}
    gpu = {"match": "TotalGPUs > 0", "weights": {"cpus": 1, "memory": "0.25/GiB", "gpus": 8}}
    big = {"match": "TotalCpus > 32", "weights": {"cpus": 2, "memory": "0.25/GiB"}}
    one, other = (
        settings_from({"capacity": plain, "nodes": dict(nodes)}).kinds
        for nodes in _orders(gpu, big)
    )
    forwards, backwards = (
        fingerprint([(kind.match, kind.types) for kind in kinds]) for kinds in (one, other)
    )

    assert forwards == backwards != fingerprint([(one[0].match, one[0].types)])


def _orders(gpu: dict[str, Any], big: dict[str, Any]) -> list[list[tuple[str, dict[str, Any]]]]:
    named = [("gpu", gpu), ("big", big)]
    return [named, named[::-1]]
