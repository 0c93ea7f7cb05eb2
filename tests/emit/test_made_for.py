"""The comment that says which node a file was made for, and what has changed since."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from htcq.capacity.choice import Choice
from htcq.capacity.layout import SlotType, lay_out
from htcq.emit import EXECUTE
from htcq.emit.made_for import hardware_changes, made_for_text, node_made_for, same_node
from htcq.emit.render import configuration
from htcq.node import Node

NODE = Node(
    16, 65536, 20_000_000, gpus=2, custom={"licences": 3}, condor_cpus=32, hostname="a.test"
)


@pytest.mark.parametrize("literal", [False, True])
def test_a_file_tells_the_node_that_it_was_made_for(literal: bool) -> None:
    text = configuration(EXECUTE, NODE, lay_out(NODE, (SlotType(Choice()),), literal), literal)

    assert node_made_for(text, replace(NODE, cpus=1, memory_mb=1, gpus=0, custom={})) == NODE


def test_free_disk_space_is_kept_in_the_literal_form_alone() -> None:
    assert "20000000" not in made_for_text(NODE, literal=False)
    assert "20000000" in made_for_text(NODE, literal=True)


@pytest.mark.parametrize(
    "text", ["", "# Made for: nothing", '# Made for: {"cpus": 0}', "# Made for: [1]"]
)
def test_a_file_without_a_readable_comment_tells_nothing(text: str) -> None:
    assert node_made_for(text, NODE) is None


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, ()),
        ({"cpus": 15}, ("cpus 16, now 15",)),
        ({"gpus": 0}, ("gpus 2, now 0",)),
        ({"custom": {"tokens": 1}}, ("licences 3, now 0", "tokens 0, now 1")),
        ({"memory_mb": 65535}, ()),
        ({"memory_mb": 66000}, ()),
        ({"memory_mb": 64000}, ("memory 65536, now 64000",)),
        ({"disk_kb": 1}, ()),
        ({"cpus": 17, "memory_mb": 131072}, ("cpus 16, now 17", "memory 65536, now 131072")),
    ],
)
def test_other_amounts_are_other_hardware(changes: dict[str, Any], said: tuple[str, ...]) -> None:
    assert hardware_changes(NODE, replace(NODE, **changes)) == said


def test_a_file_of_another_node_is_known() -> None:
    assert same_node(NODE, replace(NODE, cpus=1))
    assert not same_node(NODE, replace(NODE, hostname="b.test"))
