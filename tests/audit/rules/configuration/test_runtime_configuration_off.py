"""Both switches are off by default, and only what a SETTABLE_ATTRS_* lists may be set (condor_config.cpp, 25.14)."""

from __future__ import annotations

import pytest

from tests.audit.sites import found, look, pool, slot

RULE = "runtime-configuration-off"


@pytest.mark.parametrize(
    "text",
    [
        "SETTABLE_ATTRS_CONFIG = SLOT_WEIGHT",
        "NEGOTIATOR_SETTABLE_ATTRS_ADMINISTRATOR = GROUP_QUOTA_*",
    ],
)
def test_a_list_without_a_switch_is_found(text: str) -> None:
    (finding,) = found(RULE, pool(slot(), config=f"{text}\n"))
    assert "both off" in finding.message


@pytest.mark.parametrize("switch", ["ENABLE_RUNTIME_CONFIG", "ENABLE_PERSISTENT_CONFIG"])
def test_a_switch_without_a_list_is_found(switch: str) -> None:
    (finding,) = found(RULE, pool(slot(), config=f"{switch} = True\n"))
    assert finding.message.startswith(f"{switch} is on")


@pytest.mark.parametrize(
    "text",
    [
        "ENABLE_RUNTIME_CONFIG = True\nSETTABLE_ATTRS_CONFIG = SLOT_WEIGHT",
        "ENABLE_RUNTIME_CONFIG = True\nDEFRAG.SETTABLE_ATTRS_ADMINISTRATOR = DEFRAG_MAX_CONCURRENT_DRAINING",
        "SETTABLE_ATTRS_CONFIG =",
        "A = 1",
    ],
)
def test_both_or_none_are_not(text: str) -> None:
    assert not found(RULE, pool(slot(), config=f"{text}\n"))


def test_without_any_configuration_it_is_not_checked() -> None:
    assert look(RULE, pool(slot())).not_checked
