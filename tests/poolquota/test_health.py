"""Ailments of pools that are written down: each is found with its amounts, and a pool that works has none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from htcq.operations.pool_source import pool_of
from htcq.pool.left_out import LeftOut
from htcq.pool.pool import AccountantLog, Pool
from htcq.poolquota import health
from htcq.poolquota.health import ailments, foreign_schedds
from htcq.poolquota.unread import unread
from htcq.store.snapshot import open_snapshot
from tests.audit.sites import (
    Text,
    accounting,
    collector,
    dynamic_slot,
    job,
    negotiator,
    pool,
    schedd,
    slot,
    submitter,
)

NOW = 1_793_607_300
TAKEN = "2026-11-02T08:15:00+00:00"
CM = '"central"'
GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "negotiation-2"


def matchmaker(**changes: Text | None) -> str:
    """Return a negotiator that was heard of 100 s ago and finished a cycle 2 s before that."""
    own: dict[str, Text | None] = {
        "LastHeardFrom": NOW - 100, "MyCurrentTime": NOW - 100, "DaemonStartTime": NOW - 90_000,
        "LastNegotiationCycleTime0": NOW - 103, "LastNegotiationCycleEnd0": NOW - 102,
        "LastNegotiationCycleDuration0": 1, "LastNegotiationCyclePeriod0": 60,
    }  # fmt: skip
    return negotiator(**{**own, **changes})


def published(ago: int = 30, by: str = "central") -> str:
    """Return the accounting ad of the root, which comes after each cycle."""
    return accounting(
        "<none>", NegotiatorName=f'"{by}"', IsAccountingGroup="true", LastHeardFrom=NOW - ago
    )


def ill(
    *ads: str,
    config: str = "",
    failed: Sequence[tuple[str, str]] = (),
    negotiators: Sequence[str] | None = None,
    named: str = "central",
    **changes: object,
) -> dict[str, str]:
    """Return the ailments of a pool of ``ads`` by id; with a negotiator that works if none is given."""
    there = [matchmaker(), published()] if negotiators is None else list(negotiators)
    found = pool(*ads, *there, config=config, complete=False)
    found = replace(found, taken_at=TAKEN, negotiator=named, failed=tuple(failed), **changes)  # type: ignore[arg-type]
    return {each.id: each.text for each in ailments(found)}


def test_a_pool_that_works_has_none() -> None:
    assert (
        ill(
            slot(LastHeardFrom=NOW - 200),
            schedd(LastHeardFrom=NOW - 200),
            collector(LastHeardFrom=NOW - 800),
        )
        == {}
    )


def test_what_is_read_after_a_daemon_that_hangs_makes_no_other_old() -> None:
    """The slots were read 300 s after the schedds and the negotiator."""
    late = slot(LastHeardFrom=NOW + 300)
    assert ill(late, schedd(LastHeardFrom=NOW - 100), config="SCHEDD_INTERVAL = 60\n") == {}
    assert list(ill(late, schedd(LastHeardFrom=NOW - 500), config="SCHEDD_INTERVAL = 60\n")) == [
        "schedd-silent"
    ]


@pytest.mark.parametrize("path", sorted(GOLDEN.iterdir()), ids=lambda path: path.name)
def test_recorded_pools_that_worked_have_none(path: Path) -> None:
    assert ailments(pool_of(open_snapshot(path), "recorded")) == ()


def test_no_negotiator() -> None:
    assert list(ill(slot(), negotiators=[], named="")) == ["negotiator-absent"]


def test_without_the_collectors_ads_nothing_is_certain() -> None:
    (found,) = ailments(Pool("snap"))
    assert (found.id, found.certain) == ("collector-unread", False)


@pytest.mark.parametrize(
    ("why", "silent"),
    [
        ("no answer within 5 s", True),
        (
            (
                "cannot connect to <10.0.0.1:9618>: Connection refused; what the collector has "
                "serves instead"
            ),
            True,
        ),
        ("it is there, but does not answer as HTCondor's daemons do", True),
        ("refused: nagios@site has no READ authorisation there (ALLOW_READ)", False),
    ],
)
def test_a_negotiator_that_does_not_answer(why: str, silent: bool) -> None:
    found = ill(slot(), failed=[("central configuration", why), ("priorities", why)])
    assert found == (
        {"negotiator-silent": f"the negotiator central does not answer: {why}"} if silent else {}
    )


def test_a_negotiator_in_a_long_cycle_answers_nobody_and_is_well() -> None:
    busy = [matchmaker(LastNegotiationCycleDuration1=300), published(ago=250)]
    assert ill(slot(), negotiators=busy, failed=[("priorities", "no answer within 60 s")]) == {}


def test_a_negotiator_that_cycles_no_more() -> None:
    late = [
        matchmaker(LastNegotiationCyclePeriod0=2, LastNegotiationCycleEnd0=NOW - 141),
        published(ago=141),
    ]
    found = ill(
        slot(), negotiators=late, config="NEGOTIATOR_INTERVAL = 2\nNEGOTIATOR_CYCLE_DELAY = 1\n"
    )
    text = "the negotiator central is late: no cycle for 103 s, NEGOTIATOR_INTERVAL is 2 s, "
    assert found == {"negotiator-late": f"{text}its longest recent cycle took 1 s"}


def test_a_late_negotiator_is_told_with_the_interval_that_is_set() -> None:
    """NEGOTIATOR_CYCLE_DELAY keeps cycles apart as well, but it is another knob."""
    late = [
        matchmaker(LastNegotiationCyclePeriod0=2, LastNegotiationCycleEnd0=NOW - 941),
        published(ago=941),
    ]
    config = "NEGOTIATOR_INTERVAL = 2\nNEGOTIATOR_CYCLE_DELAY = 20\n"
    found = ill(slot(), negotiators=late, config=config)
    assert "NEGOTIATOR_INTERVAL is 2 s" in found["negotiator-late"]


def test_a_negotiator_that_never_cycled_since_it_started() -> None:
    never = dict.fromkeys(("LastNegotiationCycleTime0", "LastNegotiationCycleEnd0"))
    old, young = ([matchmaker(**never, DaemonStartTime=NOW - 100 - ago)] for ago in (4000, 20))
    assert "no cycle since its start for 4000 s" in ill(slot(), negotiators=old)["negotiator-late"]
    assert ill(slot(), negotiators=young) == {}


@pytest.mark.parametrize(
    ("changes", "ago", "config"),
    [
        # Only its own ad is known, which comes each 300 s.
        (
            {
                "LastHeardFrom": NOW - 290,
                "MyCurrentTime": NOW - 290,
                "LastNegotiationCycleEnd0": NOW - 330,
            },
            None,
            "",
        ),
        # Long cycles, of which one runs.
        ({"LastNegotiationCycleDuration0": 400, "LastNegotiationCycleEnd0": NOW - 700}, 700, ""),
        # The interval was made shorter, and the negotiator has not read that.
        (
            {f"LastNegotiationCyclePeriod{place}": 600 for place in range(3)},
            590,
            "NEGOTIATOR_INTERVAL = 10\n",
        ),
        ({}, 800, "NEGOTIATOR_INTERVAL = 5 * 60\n"),
        # Its clock is two hours behind the collector's.
        (
            {
                "MyCurrentTime": NOW - 7300,
                "LastNegotiationCycleEnd0": NOW - 7310,
                "DaemonStartTime": NOW - 9999,
            },
            None,
            "",
        ),
    ],
)
def test_a_negotiator_that_is_slow_is_not_late(
    changes: dict[str, Text], ago: int | None, config: str
) -> None:
    there = [matchmaker(**changes), *([] if ago is None else [published(ago)])]
    assert ill(slot(), negotiators=there, config=config) == {}


def test_of_several_negotiators_the_one_of_the_capture_counts() -> None:
    other = matchmaker(
        Name='"other"',
        LastNegotiationCycleEnd0=NOW - 90_000,
        LastNegotiationCycleTime0=NOW - 90_000,
    )
    there = [matchmaker(), other, published(), published(80_000, "other")]
    assert list(ill(slot(), negotiators=there)) == ["other-negotiator-late"]
    assert list(ill(slot(), negotiators=there, named="other")) == ["negotiator-late"]
    # Where the capture names none it is about the one that works.
    assert list(ill(slot(), negotiators=there[::-1], named="")) == ["other-negotiator-late"]


def test_a_negotiator_that_restarts_again_and_again() -> None:
    found = ill(slot(), collector(RecentUpdatesInitial_Negotiator=7))
    assert "6 times in the last 20 minutes" in found["negotiator-crash"]
    assert ill(slot(), collector(RecentUpdatesInitial_Negotiator=3)) == {}


def test_negotiators_that_condor_had_may_have_moved_are_not_said_to_crash() -> None:
    ad = collector(RecentUpdatesInitial_Negotiator=7)
    found = ill(slot(), ad, config="MASTER_NEGOTIATOR_CONTROLLER = HAD\n")
    assert "after crashes or as condor_had moves them: 6 times" in found["negotiator-crash"]
    assert "HADLog" in found["negotiator-crash"]
    assert "condor_had" not in ill(slot(), ad)["negotiator-crash"]


@pytest.mark.parametrize(
    "knob",
    ["GROUP_QUOTA_chem = -20", "GROUP_QUOTA_chem = 20 cores", "GROUP_QUOTA_DYNAMIC_chem = 20%"],
)
def test_the_knob_that_ends_it_is_named(knob: str) -> None:
    config = f"GROUP_NAMES = chem\n{knob}\n"
    found = ill(slot(), negotiators=[], named="", config=config)
    assert list(found) == ["negotiator-absent", "negotiator-crash"]
    assert knob.partition(" = ")[0] in found["negotiator-crash"]


def test_a_schedd_that_does_not_answer() -> None:
    silent = [
        ("jobs of access1", "no answer within 5 s"),
        ("jobs of access2", "refused: x has no READ authorisation"),
    ]
    found = ill(schedd(), schedd("access2"), failed=silent)
    assert found == {
        "schedd-silent": "the schedd access1 does not answer: no answer within 5 s; its jobs are not known"
    }
    assert list(ill(schedd(LastHeardFrom=NOW - 1000))) == ["schedd-silent"]


def test_a_schedd_that_flocks_from_another_pool_is_that_pools_matter() -> None:
    own, other = (
        schedd(CollectorHost='"central:9618"'),
        schedd("far", CollectorHost='"cm.example.org:9618"'),
    )
    failed = [("jobs of far", "no answer within 5 s")]
    assert ill(own, other, collector(), failed=failed) == {}
    tagged = submitter("eve@far", ScheddName='"far"', SubmitterTag='"central:9618"', IdleJobs=3)
    assert foreign_schedds(pool(schedd("far"), tagged)) == {"far"}
    # Where no schedd calls this collector by a name that is known, each may be its own.
    assert list(ill(other, collector(), failed=failed)) == ["schedd-silent"]


def test_a_collector_full_of_ghosts() -> None:
    def nodes(gone: int, **changes: Text) -> list[str]:
        ages = [7000 if number < gone else 100 for number in range(20)]
        return [
            slot(f"slot1@node{number}", LastHeardFrom=NOW - age, **changes)
            for number, age in enumerate(ages)
        ]

    assert ill(*nodes(2)) == {}
    assert "the ads of 3 of 20 machines are out of date" in ill(*nodes(3))["stale-ads"]
    # A machine is one, whatever its jobs take of it.
    carved = [
        dynamic_slot(f"slot1_{number}@node19", LastHeardFrom=NOW - 100) for number in range(20)
    ]
    offline = slot("slot1@node20", Offline="true")
    text = ill(*nodes(3), *carved, offline)["stale-ads"]
    assert "the ads of 3 of 21 machines are out of date" in text
    assert ill(*nodes(20, Offline="true")) == {}
    assert ill(*nodes(3, ClassAdLifetime=86_400)) == {}
    assert ill(*nodes(3), config="UPDATE_INTERVAL = 3600\n") == {}


def test_ads_that_are_hours_old_all_together() -> None:
    old = pool(slot(LastHeardFrom=NOW - 8000), matchmaker(LastHeardFrom=NOW - 8000), complete=False)
    found = {each.id: each.text for each in ailments(replace(old, taken_at=TAKEN))}
    assert "the newest came 8000 s before the capture" in found["stale-ads"]


@pytest.mark.parametrize(
    ("size", "limit", "grown"), [(10**9, 10**6, True), (10**6, 10**6, False), (10**9, 10**9, False)]
)
def test_an_accountants_log_that_grows(size: int, limit: int, grown: bool) -> None:
    assert (
        list(ill(slot(), accountant_log=AccountantLog(size, limit))) == ["accountant-log"] * grown
    )


def test_what_is_left_out_counts_by_its_part() -> None:
    many = pool(*(slot(f"slot1@node{number}") for number in range(200)))
    left_out = LeftOut("slot", 1, ("x: its Name is no text",))
    assert unread(replace(many, left_out=(left_out,))) == ()
    assert unread(replace(many, left_out=(replace(left_out, count=3),))) != ()


def test_queries_that_failed_are_missing_but_for_what_no_verdict_needs() -> None:
    failed = (
        ("slots", "too large"),
        ("jobs of access1", "refused: x"),
        ("configuration of node1", "no answer within 5 s"),
    )
    assert unread(replace(pool(slot(), schedd()), failed=failed)) == (
        "slots: too large",
        "jobs of access1: refused: x",
    )


def test_queues_of_one_user_are_not_those_of_the_pool() -> None:
    """condor_q without -allusers: the ads of the others say that jobs wait."""
    ads = (
        slot(), schedd("access1"),
        submitter("ada@site", IdleJobs=3), submitter("bob@site", IdleJobs=30),
    )  # fmt: skip
    jobs = [job("1.0", ScheddName='"access1"')]
    found = ailments(pool(*ads, matchmaker(), published(), jobs=jobs, complete=False))
    assert [each.text for each in found if each.id == "queues-partial"] == [
        "the queues that were read have no job of bob@site, of whom the collector counts 30 idle "
        "jobs: why these wait is not known (condor_q needs -allusers)"
    ]
    (lost,) = [
        each.text
        for each in ailments(pool(*ads[:1], *ads[2:], matchmaker(), jobs=jobs, complete=False))
        if each.id == "queues-partial"
    ]
    assert lost.endswith("is not known (the collector has no ad of access1)")
    jobs.append(job("2.0", ScheddName='"access1"', User='"bob@site"', Owner='"bob"'))
    found = ailments(pool(*ads, matchmaker(), published(), jobs=jobs, complete=False))
    assert "queues-partial" not in {each.id for each in found}


def test_a_schedd_without_an_ad_was_asked_by_nobody() -> None:
    """A capture asks the schedds that the collector knows; the negotiator goes by the submitters."""
    ads = (slot(LastHeardFrom=NOW), schedd("access2", LastHeardFrom=NOW))
    both = (submitter(IdleJobs=1), submitter("bob@site", ScheddName='"access2"', IdleJobs=30))
    jobs = pool(slot(), jobs=[job("2.0", ScheddName='"access2"', User='"bob@site"')]).jobs
    found = ill(*ads, *both, jobs=jobs)
    assert list(found) == ["queues-partial"]
    assert "of whom the collector counts 1 idle jobs" in found["queues-partial"]
    assert found["queues-partial"].endswith("(the collector has no ad of access1)")
    # Of those that it has asked it knows all jobs.
    assert ill(*ads, schedd(LastHeardFrom=NOW), *both, jobs=jobs) == {}


def test_every_schedd_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A large pool has thousands of failed requests, and answers after every cycle."""
    looks: list[str] = []
    for name in ("foreign_schedds", "_silent"):
        whole = getattr(health, name)
        monkeypatch.setattr(
            health, name, lambda given, f=whole, n=name: looks.append(n) or f(given)
        )
    ailments(pool(slot(), schedd(), matchmaker()))
    assert sorted(looks) == ["_silent", "foreign_schedds"]
