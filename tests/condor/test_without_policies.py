"""Linear weights on a pool without consumption policies, as the section of that name in htcq-models(7) has it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import NEWEST
from filling import Filled, fill, group_knobs, submit
from fleet import Fleet, fleet_pool
from mixed_site import COSTS, LINEAR, MACHINES, above_info, biology, chem, configured

pytestmark = pytest.mark.condor
ONLY_SUITES = (NEWEST,)

#: Both are below what any node weighs.
QUOTAS = {"biology": 25.0, "chem": 30.0}
NODES = ("a1", "b1")


@pytest.fixture(scope="module")
def fleet(suite: str) -> Iterator[Fleet]:
    """The pool, not configured yet."""
    with fleet_pool(suite, {node: MACHINES[node] for node in NODES}) as found:
        yield found


def filled_with(fleet: Fleet, directory: Path, leftovers: bool) -> Filled:
    """Configure the pool with or without leftovers and let two groups fill it."""
    splitting = "none"
    if leftovers:
        splitting = "scheduler"
    knobs = group_knobs(QUOTAS, NEGOTIATOR_CONSIDER_PREEMPTION=False)
    configured(fleet, directory, (*LINEAR, "--splitting", splitting), knobs)
    submit(fleet, [biology(20), chem("ben", 20)])
    return fill(fleet)


def test_quotas_hold_where_no_leftovers_are_handed_out(fleet: Fleet, tmp_path: Path) -> None:
    """Each match is one claim: a group whose quota is below every slot's weight is served up to it."""
    filled = filled_with(fleet, tmp_path, leftovers=False)

    for group, quota in QUOTAS.items():
        assert quota <= filled.usage[group] < quota + COSTS[group]
    # Nodes whose memory is used up have cores left that no waiting job can use.
    assert above_info(fleet, tmp_path) - {"stranded-assets"} == set()


def test_leftovers_hand_out_a_whole_slot(fleet: Fleet, tmp_path: Path) -> None:
    """One match hands over all of an empty node, and the access point fills it, whatever the quota is."""
    filled = filled_with(fleet, tmp_path, leftovers=True)

    assert any(filled.usage[group] > 2 * quota for group, quota in QUOTAS.items()), filled
    assert "slot-exceeds-quota" in above_info(fleet, tmp_path)
