"""Preemption, and slots that refuse what they make: the audit says so from a snapshot, then the daemons do it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from broken import UNHURRIED, audited, before, break_it, cycles, every
from claims import claims, come_to, log_from_now, queued
from conftest import NEWEST, Site
from testpool import Pool

pytestmark = pytest.mark.condor
ONLY_SUITES = [NEWEST]
_ONE_SLOT = {
    **UNHURRIED,
    "NUM_CPUS": "1",
    "SLOT_TYPE_1": "100%",
    "NUM_SLOTS_TYPE_1": "1",
    "SLOT_TYPE_1_PARTITIONABLE": "False",
}


def told(pool: Pool, directory: Path) -> set[str]:
    """Return the rules with findings in a snapshot that is taken now."""
    return {finding["rule"] for finding in every(audited(pool, directory))}


def preempted(log: Callable[[], str], who: str, whose: str) -> bool:
    """Return whether the negotiator has matched ``who`` with a claim of ``whose``."""
    return any(
        f" {who}@test <" in line
        and f"preempting tester@test (AccountingGroup={whose}@test)" in line
        for line in log().splitlines()
        if " Matched " in line
    )


def test_a_job_with_a_negative_rank_is_preempted_even_by_its_own_user(
    site: Site, tmp_path: Path
) -> None:
    """PREEMPTION_REQUIREMENTS is False; with RANK = 0 nothing is preempted any more."""
    pool = break_it(site, {**_ONE_SLOT, "PREEMPTION_REQUIREMENTS": "False"})
    log = log_from_now(pool)
    queued(pool, {"ann": 1}, rank="-10")
    come_to(pool, {"ann": 1})
    assert "negative-rank-preempted" in told(pool, tmp_path)
    queued(pool, {"ann": 1})
    pool.wait(lambda: preempted(log, "ann", "ann"), 60, "a preemption", ("NegotiatorLog",))

    pool = break_it(site, {**_ONE_SLOT, "PREEMPTION_REQUIREMENTS": "False", "RANK": "0"})
    log = log_from_now(pool)
    queued(pool, {"ann": 1}, rank="-10")
    come_to(pool, {"ann": 1})
    assert "negative-rank-preempted" not in told(pool, tmp_path)
    queued(pool, {"ann": 1})
    cycles(pool, 3)
    assert not preempted(log, "ann", "ann")


def test_start_that_refuses_its_own_dynamic_slots_starts_nothing(
    site: Site, tmp_path: Path
) -> None:
    pool = break_it(site, {**UNHURRIED, "START": "Cpus > 4"})
    with before(pool):
        queued(pool, {"ann": 2})
        assert "start-refuses-dynamic-slots" in told(pool, tmp_path)
    log = log_from_now(pool)
    pool.wait(
        lambda: log().count(" Matched ") >= 2, 60, "matches that come to nothing", ("StartLog",)
    )
    assert claims(pool) == {}

    pool = break_it(site, {**UNHURRIED, "START": "TotalSlotCpus > 4 || DynamicSlot =?= true"})
    queued(pool, {"ann": 2})
    come_to(pool, {"ann": 2})
    assert "start-refuses-dynamic-slots" not in told(pool, tmp_path)


@pytest.mark.parametrize(
    ("requirements", "is_told", "preempts"),
    [
        # The better one loses its claim to the worse one.
        ("True", True, True),
        # RemoteUserPrio is no attribute of a request.
        ("TARGET.RemoteUserPrio > TARGET.SubmitterUserPrio", True, False),
        ("RemoteUserPrio > SubmitterUserPrio * 1.2", False, False),
    ],
)
def test_requirements_that_are_always_or_never_true(
    site: Site, tmp_path: Path, requirements: str, is_told: bool, preempts: bool
) -> None:
    pool = break_it(site, {**_ONE_SLOT, "PREEMPTION_REQUIREMENTS": requirements, "RANK": "0"})
    pool.tool("condor_userprio", "-setfactor", "worse@test", "5000")
    log = log_from_now(pool)
    queued(pool, {"better": 1})
    come_to(pool, {"better": 1})
    queued(pool, {"worse": 1})
    assert ("preemption-requirements-constant" in told(pool, tmp_path)) is is_told
    if preempts:
        pool.wait(lambda: preempted(log, "worse", "better"), 60, "a preemption", ("NegotiatorLog",))
    else:
        cycles(pool, 3)
        assert not preempted(log, "worse", "better")


def test_requirements_that_can_never_hold_keep_a_better_user_waiting(
    site: Site, tmp_path: Path
) -> None:
    """With the condition that the audit proposes it does not wait."""
    never, useful = (
        "TARGET.RemoteUserPrio > TARGET.SubmitterUserPrio",
        "RemoteUserPrio > SubmitterUserPrio * 1.2",
    )
    for requirements, waits in ((never, True), (useful, False)):
        pool = break_it(site, {**_ONE_SLOT, "PREEMPTION_REQUIREMENTS": requirements, "RANK": "0"})
        pool.tool("condor_userprio", "-setfactor", "worse@test", "5000")
        log = log_from_now(pool)
        queued(pool, {"worse": 1})
        come_to(pool, {"worse": 1})
        queued(pool, {"better": 1})
        assert ("preemption-requirements-constant" in told(pool, tmp_path)) is waits
        if waits:
            cycles(pool, 3)
            assert not preempted(log, "better", "worse")
        else:
            pool.wait(
                lambda log=log: preempted(log, "better", "worse"),
                60,
                "a preemption",
                ("NegotiatorLog",),
            )
