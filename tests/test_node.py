"""Node facts."""

from __future__ import annotations

from typing import Any

import pytest

from htcq.errors import InputError
from htcq.node import SCHEMA, Node, node_facts, node_from_facts

FACTS: dict[str, Any] = {"cpus": 16, "memory_mb": 65536, "disk_kb": 10**8}


def test_five_keys_suffice() -> None:
    node = node_from_facts({**FACTS, "gpus": 2, "custom": {"Actuators": 8}})

    assert node.assets() == {"cpus": 16, "memory": 65536, "disk": 10**8, "gpus": 2, "actuators": 8}


def test_a_node_without_gpus_has_no_such_asset() -> None:
    assert list(node_from_facts(FACTS).assets()) == ["cpus", "memory", "disk"]


def test_unknown_keys_are_left_to_later_versions() -> None:
    assert node_from_facts(FACTS) == node_from_facts({**FACTS, "something_new": [1, 2]})


def test_printed_facts_carry_their_schema() -> None:
    assert node_facts(Node(1, 2, 3))["schema"] == SCHEMA


@pytest.mark.parametrize(
    ("facts", "message", "hint"),
    [
        ({"cpus": 1}, "node: memory_mb, disk_kb missing", "htcq probe --json"),
        ({**FACTS, "cpus": 0}, "node: cpus is 0", "at least 1"),
        ({**FACTS, "cpus": 1.5}, "node: cpus is 1.5", "whole number"),
        ({**FACTS, "cpus": True}, "node: cpus is True", "whole number"),
        ({**FACTS, "memory_mb": "64GiB"}, "node: memory_mb is '64GiB'", "whole number"),
        ({**FACTS, "gpus": -1}, "node: gpus is -1", "at least 0"),
        ({**FACTS, "custom": ["a"]}, "node: custom is ['a']", "JSON dict"),
        ({**FACTS, "custom": {"a": "x"}}, "node: custom.a is 'x'", "whole number"),
        ({**FACTS, "custom": {"a": -2}}, "node: custom resource 'a' is -2", "negative"),
        ({**FACTS, "custom": {"a\ninclude : /bin/touch x |": 2}}, "is no name", "letters, digits"),
        (
            {**FACTS, "custom": {"a b": 2}},
            "node: custom resource 'a b' is no name",
            "letters, digits",
        ),
        ({**FACTS, "custom": {"": 2}}, "node: custom resource '' is no name", "letters, digits"),
        (
            {**FACTS, "custom": {"Swap": 2}},
            "node: custom resource 'Swap' has a reserved name",
            "another name",
        ),
        ({**FACTS, "hostname": 5}, "node: hostname is 5", "JSON str"),
        ({**FACTS, "gpu_devices": [{"colour": "red"}]}, "node: gpu_devices:", "complete file"),
        ({**FACTS, "gpu_devices": [7]}, "node: gpu_devices:", "complete file"),
        ({**FACTS, "sources": [{"fact": "cpus"}]}, "node: sources:", "complete file"),
        ([1], "node: not a JSON object", "cpus"),
    ],
)
def test_facts_that_cannot_be_are_refused(facts: Any, message: str, hint: str) -> None:
    with pytest.raises(InputError) as refused:
        node_from_facts(facts)

    assert message in str(refused.value)
    assert hint in refused.value.hint


@pytest.mark.parametrize("key", ["gpu_devices", "sources", "notes"])
@pytest.mark.parametrize("value", [None, 5, True])
def test_a_list_that_is_none_is_refused_in_one_line(key: str, value: object) -> None:
    with pytest.raises(InputError):
        node_from_facts({**FACTS, key: value})
