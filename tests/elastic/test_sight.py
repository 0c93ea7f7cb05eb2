"""What a look tells of itself: how much, how old, whose clock, and what is configured."""

from __future__ import annotations

from dataclasses import replace

import pytest

from htcq.elastic.pool_health import WORKLIFE, PoolHealth, health_of
from htcq.pool.slot_ages import SlotAges
from tests.audit.sites import accounting, negotiator, pool, schedd, submitter
from tests.elastic.quotas import claimed, node

TAKEN = "2026-11-21T12:00:00+00:00"
#: The same in seconds, by date(1).
SECONDS = 1795262400


def seen(
    *ads: str, config: str | None = "", ages: SlotAges | None = None, name: str = "", **more: object
) -> PoolHealth:
    found = pool(*ads, config=config, jobs=[])
    return health_of(replace(found, taken_at=TAKEN, **more), name, 16.0, ages)  # type: ignore[arg-type]


def test_slots_that_are_part_of_others_do_not_count() -> None:
    found = seen(
        node("node1", 6),
        node("node2"),
        claimed(1, "a@x"),
        claimed(2, "a@x"),
        schedd("ap1"),
        schedd("ap2"),
    )

    assert (found.slots, found.schedds, found.pool_weight, found.taken_at) == (2, 2, 16.0, SECONDS)


def test_the_oldest_and_the_newest_ad_are_told_with_those_of_slots() -> None:
    ads = (schedd("ap", LastHeardFrom=500), submitter(LastHeardFrom=400), node())

    assert seen(*ads).heard == (400, 500)
    assert seen(*ads, ages=SlotAges(100, 450)).heard == (100, 500)
    assert seen(node()).heard is None


def test_a_clock_is_compared_when_the_collector_hears_of_it() -> None:
    ads = (
        schedd("ap", LastHeardFrom=500, MyCurrentTime=620),
        negotiator(LastHeardFrom=500, MyCurrentTime=499),
    )

    assert seen(*ads).skews == {"ap": 120, "central": -1}


@pytest.mark.parametrize(("end", "heard", "told"), [(900, 1000, 1000), (1100, 1000, 1100)])
def test_the_last_cycle_is_the_newer_of_what_is_said_of_it(end: int, heard: int, told: int) -> None:
    group = accounting(
        "<none>", IsAccountingGroup="true", NegotiatorName='"central"', LastHeardFrom=heard
    )

    assert seen(negotiator(LastNegotiationCycleEnd0=end), group).cycle_end == told


def test_another_negotiators_cycle_does_not_count() -> None:
    ads = (
        negotiator("gpu", LastNegotiationCycleEnd0=900),
        negotiator(LastNegotiationCycleEnd0=100),
    )
    found = seen(*ads, name="central")

    assert found.cycle_end == 100
    assert found.negotiators == ("central", "gpu")


@pytest.mark.parametrize(
    ("config", "lasted", "told"),
    [("", 0, 60), ("NEGOTIATOR_INTERVAL = 20\n", 5, 20), ("", 900, 900)],
)
def test_a_cycle_takes_as_long_as_configured_or_as_it_took(
    config: str, lasted: int, told: int
) -> None:
    group = accounting("<none>", IsAccountingGroup="true", NegotiatorName='"central"')

    assert (
        seen(negotiator(LastNegotiationCyclePeriod0=lasted), group, config=config).cycle_seconds
        == told
    )


def test_ceilings_of_submitters_are_told_and_those_that_are_none_are_not() -> None:
    ads = [
        accounting("a.ann@x", Ceiling=2, NegotiatorName='"central"'),
        accounting("a.bob@x", Ceiling=-1, NegotiatorName='"central"'),
        accounting("a", IsAccountingGroup="true", NegotiatorName='"central"'),
    ]

    assert seen(*ads).ceilings == {"a.ann@x": 2.0}


def test_knobs_come_with_their_places() -> None:
    text = "GROUP_NAMES = a\n# at: /etc/condor/config.d/50-x, line 7\nCLAIM_WORKLIFE = 60\n"
    found = seen(node(), config=text)

    assert found.configured is not None
    assert found.configured["GROUP_NAMES"] == ("a", "/etc/condor/config.d/50-x:7")
    assert found.worklife == 60
    assert seen(node(), config="").worklife == WORKLIFE
    assert seen(node(), config=None).configured is None


def test_what_machines_are_configured_to_do_may_be_missing_and_nothing_else() -> None:
    failed = (
        ("configuration of node1", "no answer"),
        ("46 more configurations", "not asked"),
        ("slots", "no answer"),
    )

    assert seen(node(), failed=failed).missing == ("slots: no answer",)
