"""reinitialize() builds the tree of groups; reading the configuration before a cycle does not."""

from __future__ import annotations

import pytest

from tests.audit.sites import found, pool

RULE = "groups-need-reconfig"
TREE = "GROUP_NAMES = a\nGROUP_QUOTA_a = 5\n"
ON = "NEGOTIATOR_READ_CONFIG_BEFORE_CYCLE = True\n"


def test_reading_the_configuration_before_each_cycle_is_found() -> None:
    (finding,) = found(RULE, pool(config=TREE + ON))
    assert finding.subject == "knob NEGOTIATOR_READ_CONFIG_BEFORE_CYCLE"


@pytest.mark.parametrize("config", [TREE, ON])
def test_by_default_or_without_groups_it_is_not(config: str) -> None:
    assert not found(RULE, pool(config=config))
