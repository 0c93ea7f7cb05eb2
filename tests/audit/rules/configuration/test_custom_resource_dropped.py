"""ResAttributes.cpp:init_machine_resources drops what MACHINE_RESOURCE_NAMES does not list."""

from __future__ import annotations

import pytest

from tests.audit.sites import found, lines, pool, slot

RULE = "custom-resource-dropped"


@pytest.mark.parametrize(
    "knob", ["MACHINE_RESOURCE_tokens = 4", "MACHINE_RESOURCE_INVENTORY_tokens = /usr/bin/tokens"]
)
def test_an_asset_that_is_not_listed_is_found(knob: str) -> None:
    text = f"MACHINE_RESOURCE_NAMES = GPUs\n{knob}\n"
    (finding,) = found(RULE, pool(slot(), execute={"node1": text, "node2": text}))
    assert (finding.subject, finding.count) == ("asset tokens", 2)
    assert lines(finding) == ["MACHINE_RESOURCE_NAMES = GPUs tokens"]


@pytest.mark.parametrize(
    "text",
    [
        "MACHINE_RESOURCE_tokens = 4",
        "MACHINE_RESOURCE_NAMES = GPUs, TOKENS\nMACHINE_RESOURCE_tokens = 4",
        "MACHINE_RESOURCE_NAMES =\nMACHINE_RESOURCE_tokens = 4",
        "MACHINE_RESOURCE_NAMES = GPUs\nMACHINE_RESOURCE_tokens =",
    ],
)
def test_an_asset_that_is_listed_or_needs_no_list_is_not(text: str) -> None:
    assert not found(RULE, pool(slot(), execute={"node1": f"{text}\n"}))
