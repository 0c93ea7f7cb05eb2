from __future__ import annotations

from htcq.elastic.lender_reserve import LenderReserve
from tests.audit.sites import pool
from tests.elastic.quotas import claimed, group, node, quotas
from tests.elastic.test_projection import nodes, planned, waiting


def test_an_idle_lender_has_room_for_one_job_from_what_nobody_has() -> None:
    """5 % of 8 are less than a job: the largest of nine in ten jobs of the pool has 2 cpus."""
    declared = quotas(
        group("idle", {"cpus": 8}, {"cpus": 12}), group("busy", {"cpus": 8}, {"cpus": 12})
    )
    jobs = [waiting(1, "busy", 5, RequestCpus=2)]
    found = planned(pool(*nodes(2), jobs=jobs), declared, LenderReserve(0.05))

    assert (found["idle"].quota, found["idle"].headroom) == (2.0, 2.0)
    assert (found["busy"].quota, found["busy"].given) == (10.0, 0.0)


def test_a_large_lender_has_its_part_of_its_min() -> None:
    declared = quotas(group("idle", {"cpus": 80}, {"cpus": 90}))
    found = planned(pool(*nodes(11), jobs=[]), declared, LenderReserve(0.05))

    assert found["idle"].quota == found["idle"].headroom == 4.0


def test_headroom_never_goes_beyond_what_the_min_is_worth() -> None:
    declared = quotas(group("idle", {"cpus": 3}, {"cpus": 12}))
    found = planned(pool(*nodes(1), jobs=[]), declared, LenderReserve(1.0))

    assert found["idle"].quota == 3.0


def test_in_a_full_pool_those_who_borrow_give_it() -> None:
    declared = quotas(
        group("idle", {"cpus": 8}, {"cpus": 16}), group("busy", {"cpus": 8}, {"cpus": 16})
    )
    found = planned(pool(*nodes(2), jobs=[waiting(1, "busy", 50)]), declared, LenderReserve(0.25))

    assert (found["idle"].quota, found["idle"].headroom) == (2.0, 2.0)
    assert (found["busy"].quota, found["busy"].given) == (14.0, 2.0)


def test_nobody_gives_of_what_its_own_min_is_worth() -> None:
    """What jobs of no group hold is not there to be given either."""
    declared = quotas(
        group("idle", {"cpus": 8}, {"cpus": 8}), group("busy", {"cpus": 8}, {"cpus": 8})
    )
    slots = [
        node("node0"),
        node("node1", cpus_left=0),
        claimed(1, "eve@site", cpus=8, node="node1"),
    ]
    found = planned(pool(*slots, jobs=[waiting(1, "busy", 50)]), declared, LenderReserve(0.5))

    # The mins shrink to 4 of 8; busy has 8, of which it borrows 4.
    assert (found["busy"].quota, found["idle"].quota) == (6.0, 2.0)


def test_below_a_group_at_its_max_only_others_below_it_give() -> None:
    declared = quotas(
        group("above", {"cpus": 8}, {"cpus": 8}),
        group("above.idle", {"cpus": 4}, {"cpus": 8}),
        group("above.busy", {"cpus": 4}, {"cpus": 8}),
        group("beside", {"cpus": 4}, {"cpus": 16}),
    )
    found = planned(
        pool(*nodes(2), jobs=[waiting(1, "above.busy", 50)]), declared, LenderReserve(0.25)
    )

    assert found["above"].quota == 8.0
    assert (found["above.idle"].quota, found["above.busy"].quota) == (1.0, 7.0)
    assert found["beside"].headroom == 1.0
