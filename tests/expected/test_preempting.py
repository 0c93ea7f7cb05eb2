"""Machines where one job after another is preempted (seen on 25.14.1 with RANK = random(100))."""

from __future__ import annotations

from htcq.expected.unmet import LASTS
from tests.audit.sites import Text, found
from tests.expected.pools import cycles, free, observed, only, site, waiting


def counts(started: int, preempted: int, by_rank: int = 0) -> dict[str, Text | None]:
    """Return what a startd counted in the last 20 minutes."""
    return {
        "RecentJobStarts": started, "RecentJobPreemptions": preempted,
        "RecentJobRankPreemptions": by_rank, "RecentJobUserPrioPreemptions": preempted - by_rank,
    }  # fmt: skip


def test_a_rank_that_changes_its_mind_is_named() -> None:
    execute = {"node1": "RANK = random(100)\n"}
    given = site(free(**counts(40, 32, 32)), cycles(), jobs=[waiting()], execute=execute)
    finding = only(LASTS, given)
    assert "32 of 40 jobs that started on 1 machine (node1)" in finding.message
    assert (finding.severity.word, observed(finding)["RANK"]) == ("warning", "random(100)")


def test_preemption_by_priority_names_the_negotiators_knob() -> None:
    config = "NEGOTIATOR_INTERVAL = 60\nPREEMPTION_REQUIREMENTS = True\n"
    given = site(free(**counts(40, 32)), cycles(), jobs=[waiting()], config=config)
    finding = only(LASTS, given)
    assert "0 of them by RANK and 32 by user priority" in finding.message
    assert observed(finding)["PREEMPTION_REQUIREMENTS"] == "True"


def test_a_preemption_for_each_core_is_no_pattern() -> None:
    assert not found(LASTS, site(free(**counts(16, 8)), cycles()))
    assert not found(LASTS, site(free(**counts(80, 20)), cycles())), "most of what starts lasts"


def test_what_is_preempted_is_not_told_as_a_machine_that_ends_jobs_itself() -> None:
    ended: dict[str, Text | None] = {
        "NumJobMatches": 4, "NumShadowStarts": 4, "NumJobStarts": 4, "NumJobCompletions": 0,
        "LastRemoteHost": '"slot1_1@node1"',
    }  # fmt: skip
    own = {**counts(40, 32, 32), "RecentActivationRequests": 40}
    assert len(found(LASTS, site(free(**own), cycles(), jobs=[waiting(**ended)]))) == 1
    assert (
        "began to run"
        in only(
            LASTS, site(free(**{**own, **counts(16, 4)}), cycles(), jobs=[waiting(**ended)])
        ).message
    )
