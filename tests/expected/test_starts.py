"""Jobs that should have started: matches without a claim, and what explains them otherwise."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from htcq.expected.unmet import MISSING
from htcq.pool.pool import Pool
from tests.audit.sites import Text, found, schedd
from tests.expected.pools import (
    LATELY,
    NOW,
    access_point,
    claim,
    cycles,
    free,
    observed,
    only,
    site,
    waiting,
)

_REJECTED: dict[str, Text | None] = {
    "LastRejMatchReason": '"no match found"', "LastRejMatchTime": NOW - 60,
}  # fmt: skip
_OF_ANOTHER: dict[str, Text | None] = {"RemoteUser": '"bob@site"', "AccountingGroup": '"bob@site"'}


def test_matches_that_come_to_no_claim() -> None:
    """Seen on 25.14.1 with a startd that refuses REQUEST_CLAIM: a match each cycle, and nothing else happens."""
    execute = {"node1": "DENY_DAEMON = *\nNUM_CPUS = 8\nEXECUTE = /e\n"}
    finding = only(MISSING, site(free(), cycles(1, 2), jobs=[waiting()], execute=execute))
    assert (
        "considered 6 requests and matched 3, of which no claim of slot1@node1" in finding.message
    )
    assert observed(finding)["DENY_DAEMON"] == "*"
    assert "EXECUTE" not in observed(finding)


def test_knobs_that_other_machines_have_otherwise_come_first() -> None:
    """Seen on 25.14.1 with ALLOW_DAEMON of a central manager that is gone, on one machine of many."""
    usual = "ALLOW_DAEMON = condor@site\nNETWORK_INTERFACE = 10.0.0.1\nDENY_WRITE = bad.net\n"
    other = usual.replace("condor@site", "condor@old")
    own = {f"node{n}": usual.replace("10.0.0.1", f"10.0.0.{n}") for n in (2, 3, 4)}
    own["node1"] = other
    finding = only(MISSING, site(free(), cycles(1, 2), jobs=[waiting()], execute=own))
    assert list(observed(finding))[:2] == ["ALLOW_DAEMON", "DENY_WRITE"]
    alone = site(free(), cycles(1, 2), jobs=[waiting()], execute={"node1": other})
    assert next(iter(observed(only(MISSING, alone)))) == "DENY_WRITE"


def test_jobs_of_one_id_at_two_access_points_are_two() -> None:
    other = {"ScheddName": '"access2"', "User": '"ada@site"'}
    late = waiting("1.0", since=LATELY, **other)
    ads = (free(), cycles(1, 2), access_point(), schedd("access2"))
    finding = only(MISSING, site(*ads, jobs=[waiting("1.0"), late]))
    assert finding.subject == "job access1#1.0"


def test_machines_that_fail_in_different_ways_are_told_one_by_one() -> None:
    """Seen on 25.14.1 with an address where nobody listens, and with another that shares no method."""
    slots = (free(TotalSlotCpus=1, Cpus=1), free("slot1@node2", Machine='"node2"'))
    execute = {"node1": "TCP_FORWARDING_HOST = 127.0.0.9\n", "node2": "DENY_DAEMON = *\n"}
    wants = [waiting(f"{n}.0", Requirements=f'TARGET.Machine == "node{n}"') for n in (1, 2)]
    findings = found(MISSING, site(*slots, cycles(1, 2), jobs=wants, execute=execute))
    told = {each.subject: observed(each) for each in findings}
    assert told["job 1.0"]["TCP_FORWARDING_HOST"] == "127.0.0.9"
    assert told["job 2.0"]["DENY_DAEMON"] == "*"


def test_a_schedd_that_offers_nothing_is_named_with_its_knobs() -> None:
    """Seen on 25.14.1 with RESERVED_SWAP above the machine's swap: no cycle considers a request."""
    access = {"access1": "RESERVED_SWAP = 10000000\n"}
    finding = only(MISSING, site(free(), cycles(0, 0), jobs=[waiting()], access=access))
    assert observed(finding)["RESERVED_SWAP"] == "10000000"
    assert "SchedLog of access1" in finding.advice


def test_where_something_changes_the_negotiators_own_reason_decides() -> None:
    others = claim("slot1_1@node2", since=LATELY, **_OF_ANOTHER)
    begins = [free(), others, cycles(1, 2)]
    assert found(MISSING, site(*begins, jobs=[waiting(**_REJECTED)]))
    lately = [free(since=NOW - 1000), others, cycles(1, 2)]
    assert not found(MISSING, site(*lately, jobs=[waiting()])), "its turn may not have come"
    limited = {**_REJECTED, "LastRejMatchReason": '"submitter limit exceeded"'}
    assert not found(MISSING, site(*begins, jobs=[waiting(**limited)]))
    old = {**_REJECTED, "LastRejMatchTime": NOW - 4000}
    assert not found(MISSING, site(*lately, jobs=[waiting(**old)]))
    assert not found(MISSING, site(*begins, jobs=[waiting(**{**old, **limited})]))


def _beside(*changes: str, **job: Text | None) -> Pool:
    """Return a pool where node1 has been free all the time, and jobs of ada came and went on node2."""
    others = claim("slot1_1@node2", since=LATELY, RemoteScheddName='"access1"')
    return site(free(), others, cycles(1, 2), *changes, jobs=[waiting(**job)])


def test_a_machine_that_is_passed_over_while_others_of_the_submitter_start() -> None:
    finding = only(MISSING, _beside(access_point()))
    assert "no claim of slot1@node1 came" in finding.message


def test_a_limit_that_ended_a_moment_ago_explains_it() -> None:
    share = cycles(1, 2) + 'LastNegotiationCycleSubmittersShareLimit1 = "ada@site"\n'
    others = claim("slot1_1@node2", since=LATELY)
    assert not found(MISSING, site(free(), others, share, jobs=[waiting()]))
    full = access_point(MaxJobsRunning=10, TotalRunningJobs=9)
    assert not found(MISSING, _beside(full))
    assert not found(MISSING, _beside(VacateReason='"x"', JobCoolDownExpiration=LATELY))
    told = waiting(
        "2.0", LastRejMatchReason='"submitter limit exceeded"', LastRejMatchTime=NOW - 60
    )
    assert not found(MISSING, site(free(), others, cycles(1, 2), jobs=[waiting(), told]))


def test_a_startd_that_answers_nobody() -> None:
    others = claim("slot1_1@node2", since=LATELY)
    silent = [("configuration of node1", "no answer within 60 s")]
    begins = [free(), others, cycles(1, 2)]
    finding = only(MISSING, site(*begins, jobs=[waiting()], failed=silent))
    assert observed(finding)["configuration of node1"] == "no answer within 60 s"


@pytest.mark.parametrize(
    "slot",
    [
        free(since=LATELY),
        free(NumDynamicSlots=1, NumDynamicSlotsTime=LATELY),
        free(NumDynamicSlots=1),
    ],
)
def test_a_slot_that_was_not_free_all_the_time_explains_it(slot: str) -> None:
    assert not found(MISSING, site(slot, cycles(1, 2), jobs=[waiting(**_REJECTED)]))


def test_a_slot_that_was_split_long_ago_does_not() -> None:
    split = free(NumDynamicSlots=1, NumDynamicSlotsTime=NOW - 9000)
    assert found(MISSING, site(split, cycles(1, 2), jobs=[waiting(**_REJECTED)]))


def _of_twenty_cycles(*others: str, jobs: Sequence[str], config: str = "", **own: Text) -> Pool:
    """Return a pool where others come and go, and 20 cycles have had no use for node1."""
    busy = claim("slot1_1@node2", since=LATELY, **_OF_ANOTHER)
    here = free(**{"NumDynamicSlots": 1, "NumDynamicSlotsTime": NOW - 9000, **own})
    return site(here, busy, access_point(), *others, cycles(1, 2), jobs=jobs, config=config)


def test_after_so_many_cycles_every_job_has_had_its_turn() -> None:
    """Seen on 25.14.1 with MaxJobsRunning of a user's record: the schedd offers no job of his."""
    finding = only(MISSING, _of_twenty_cycles(jobs=[waiting("1.0"), waiting("1.1")]))
    assert "access1 may not offer them" in finding.message
    assert "condor_qusers -long" in finding.advice
    # A group may have had no quota left until now.
    groups = "GROUP_NAMES = a\nGROUP_QUOTA_a = 8\n"
    assert not found(MISSING, _of_twenty_cycles(jobs=[waiting()], config=groups))
    assert not found(MISSING, _of_twenty_cycles(jobs=[waiting(since=NOW - 1000)]))
    lately = _of_twenty_cycles(jobs=[waiting()], NumDynamicSlotsTime=NOW - 1000)
    assert not found(MISSING, lately)
    full = access_point(MaxJobsRunning=10, TotalRunningJobs=9)
    assert not found(MISSING, _of_twenty_cycles(full, jobs=[waiting()]))


def test_a_slot_that_leaves_its_state_for_each_claim_that_it_refuses_was_free() -> None:
    """Seen on 25.14.1: 32 claims, no start, and EnteredCurrentState two seconds ago."""
    split = {"NumDynamicSlots": 0, "NumDynamicSlotsTime": NOW - 9000}
    asked = {"RecentClaimRequests": 32, "RecentActivationRequests": 0}
    others = claim("slot1_1@node2", since=LATELY, **_OF_ANOTHER)
    given = site(
        free(since=LATELY, **split, **asked), others, cycles(1, 2), jobs=[waiting(**_REJECTED)]
    )
    finding = only(MISSING, given)
    assert list(observed(finding))[:2] == ["RecentClaimRequests", "RecentActivationRequests"]
    assert finding.advice.startswith("StartLog of node1 says why it refuses each claim")
    used = {**asked, "RecentActivationRequests": 32}
    given = site(
        free(since=LATELY, **split, **used), others, cycles(1, 2), jobs=[waiting(**_REJECTED)]
    )
    assert not found(MISSING, given)
