"""Machines where nothing that starts lasts (each was seen on daemons of 25.14.1: tests/condor/test_unmet.py)."""

from __future__ import annotations

from htcq.expected.unmet import LASTS, STARTS
from tests.audit.sites import Text, found
from tests.expected.pools import (
    LATELY,
    LONG_AGO,
    access_point,
    claim,
    cycles,
    free,
    observed,
    only,
    site,
    waiting,
)

_ON_NODE1 = '"slot1_1@node1"'


def ended(id_: str = "1.0", times: int = 4, **changes: Text | None) -> str:
    """Return an idle job that began to run so often, last on node1."""
    own: dict[str, Text | None] = {
        "NumJobMatches": times, "NumShadowStarts": times, "NumJobStarts": times,
        "NumJobCompletions": 0, "LastRemoteHost": _ON_NODE1,
        "VacateReason": '"PREEMPT expression evaluated to True"',
    }  # fmt: skip
    return waiting(id_, **{**own, **changes})


def test_what_starts_is_ended_at_once_and_the_reason_is_told() -> None:
    execute = {"node1": "PREEMPT = True\nNUM_CPUS = 8\n"}
    finding = only(
        LASTS,
        site(
            free(RecentJobStarts=16, RecentActivationRequests=16),
            cycles(),
            jobs=[ended()],
            execute=execute,
        ),
    )
    assert "began to run on node1 (8 cores), and none lasted (PREEMPT" in finding.message
    assert observed(finding)["PREEMPT"] == "True"
    assert observed(finding)["RecentJobStarts"] == "16"


def test_an_environment_that_no_starter_can_read_is_evidence_without_what_it_says() -> None:
    execute = {"node1": 'STARTER_JOB_ENVIRONMENT = "LOGIN=ada B=it\'s"\nVO_HOOK_JOB_EXIT = /x\n'}
    counted = free(RecentJobStarts=16, RecentActivationRequests=16)
    finding = only(LASTS, site(counted, cycles(), jobs=[ended()], execute=execute))
    own = observed(finding)
    assert own["STARTER_JOB_ENVIRONMENT"] == '"LOGIN=[removed] B=[removed]\'[removed]"'
    assert own["VO_HOOK_JOB_EXIT"] == "/x"


def test_what_may_end_jobs_comes_first_and_what_cannot_is_counted() -> None:
    """Seen on 25.14.1 with SINGULARITY_JOB = True and no container runtime that works."""
    set_there = (
        "EXECUTE = /e\nUID_DOMAIN = site\nALLOW_WRITE = *\nNETWORK_INTERFACE = 127.0.0.1\n"
        "SLOT1_USER = s1\nSINGULARITY_JOB = True\n"
    )
    many = free(RecentJobStarts=16, RecentActivationRequests=16)
    given = site(many, cycles(), jobs=[ended()], execute={"node1": set_there})
    finding = only(LASTS, given)
    knobs = [each for each in observed(finding) if each.isupper()]
    assert knobs == ["SINGULARITY_JOB", "EXECUTE"]
    assert observed(finding)["other knobs that are set"] == "4"
    assert finding.advice.startswith("SINGULARITY_JOB of node1; StartLog")
    plain = site(many, cycles(), jobs=[ended()], execute={"node1": "EXECUTE = /e\n"})
    assert finding.advice.endswith(only(LASTS, plain).advice)


def test_accounts_of_slots_are_shown_where_nothing_starts() -> None:
    """Seen on 25.14.1 with SLOT1_USER of an account that the machine lacks."""
    never = ended(NumJobStarts=0, NumShadowStarts=4)
    execute = {"node1": "SLOT1_USER = s1\nPREEMPT = True\nALLOW_WRITE = *\n"}
    here = free(RecentJobStarts=0, RecentActivationRequests=4)
    finding = only(STARTS, site(here, cycles(), jobs=[never], execute=execute))
    assert [each for each in observed(finding) if each.isupper()] == ["SLOT1_USER"]


def test_a_machine_that_runs_short_jobs_to_their_end_may_lose_one() -> None:
    many = free(RecentJobStarts=200, RecentActivationRequests=200)
    assert not found(LASTS, site(many, cycles(), jobs=[ended()]))


def test_jobs_that_were_ended_once_count_where_the_startd_counts_many_starts() -> None:
    jobs = [ended(f"1.{proc}", times=1) for proc in range(12)]
    assert found(
        LASTS, site(free(RecentJobStarts=16, RecentActivationRequests=16), cycles(), jobs=jobs)
    )
    # A drain, a restart or a preemption ends each job once.
    assert not found(
        LASTS, site(free(RecentJobStarts=4, RecentActivationRequests=4), cycles(), jobs=jobs)
    )
    assert not found(LASTS, site(free(), cycles(), jobs=jobs))


def test_a_machine_where_a_job_lasts_is_believed_and_so_is_one_that_is_drained() -> None:
    many = free(RecentJobStarts=16, RecentActivationRequests=16)
    assert not found(LASTS, site(many, claim(since=LONG_AGO), cycles(), jobs=[ended()]))
    assert found(LASTS, site(many, claim(since=LATELY), cycles(), jobs=[ended()]))
    drained = free(
        RecentJobStarts=16, RecentActivationRequests=16, Draining="true", State='"Drained"'
    )
    assert not found(LASTS, site(drained, cycles(), jobs=[ended()]))


def test_jobs_that_come_to_their_own_end_and_are_tried_again_are_not() -> None:
    """With on_exit_remove or max_retries a job starts often and completes as often."""
    assert not found(
        LASTS,
        site(
            free(RecentJobStarts=16, RecentActivationRequests=16),
            cycles(),
            jobs=[ended(NumJobCompletions=4)],
        ),
    )
    assert not found(
        LASTS,
        site(
            free(RecentJobStarts=16, RecentActivationRequests=16),
            cycles(),
            jobs=[ended(NumJobCompletions=None)],
        ),
    )


def test_jobs_that_a_machine_puts_on_hold_before_they_run() -> None:
    held: dict[str, Text | None] = {
        "JobStatus": 5, "HoldReasonCode": 19, "NumShadowStarts": 1, "NumJobStarts": 0,
        "LastRemoteHost": _ON_NODE1,
    }  # fmt: skip
    jobs = [waiting(f"1.{proc}", **held) for proc in range(3)]
    finding = only(STARTS, site(free(), cycles(), jobs=jobs))
    assert "3 jobs, such as 1.0, went on hold on node1" in finding.message
    assert not found(STARTS, site(free(), cycles(), jobs=jobs[:2])), "an accident"
    # A missing input file is the user's.
    missing = [waiting(f"1.{proc}", **{**held, "HoldReasonCode": 13}) for proc in range(3)]
    assert not found(STARTS, site(free(), cycles(), jobs=missing))


def test_the_knobs_of_an_access_point_without_shadows_are_named() -> None:
    job = waiting(NumJobMatches=9, NumShadowStarts=9, NumJobStarts=0)
    access = {"access1": "SHADOW = /no/such\nSCHEDD_INTERVAL = 60\nALLOW_READ = *\n"}
    finding = only(STARTS, site(free(), access_point(), cycles(), jobs=[job], access=access))
    assert list(observed(finding))[:2] == ["SHADOW", "other knobs that are set"]


def test_the_startds_own_counters_say_what_fails_where_jobs_failed_at_several_machines() -> None:
    """Jobs that no starter ran on one machine were ended on another: each is told as what it is."""
    jobs = [
        ended("1.0", times=2, NumShadowStarts=9),
        ended("1.1", times=9, NumShadowStarts=20, LastRemoteHost='"slot1_1@node2"'),
    ]
    never = free(RecentActivationRequests=30, RecentJobStarts=0)
    short = free("slot1@node2", RecentActivationRequests=30, RecentJobStarts=30)
    given = site(never, short, cycles(), jobs=jobs)
    assert only(STARTS, given).subject == "machine node1"
    assert only(LASTS, given).subject == "machine node2"


def test_a_machine_that_was_hardly_asked_has_done_nothing() -> None:
    job = ended(times=0, NumShadowStarts=9)
    asked = free(RecentActivationRequests=1, RecentJobStarts=0)
    assert not found(STARTS, site(asked, cycles(), jobs=[job]))
    assert found(
        STARTS, site(free(RecentActivationRequests=9, RecentJobStarts=0), cycles(), jobs=[job])
    )


def test_shadows_that_all_end_wherever_they_run_are_the_access_points() -> None:
    """As seen with SHADOW_LOG in a directory that is not there: 14 shadows for each of three jobs."""
    dead: dict[str, Text | None] = {
        "NumJobMatches": 14, "NumShadowStarts": 14, "NumJobStarts": 0, "NumJobCompletions": 0,
        "VacateReason": '"Shadow Exception"',
    }  # fmt: skip
    hosts = ("slot1_1@node1", "slot1_1@node2")
    jobs = [waiting(f"2.{n}", **dead, LastRemoteHost=f'"{host}"') for n, host in enumerate(hosts)]
    few = {"RecentJobStarts": 0, "RecentActivationRequests": 2}
    slots = (free(**few), free("slot1@node2", Machine='"node2"', **few))
    access = {"access1": "MAX_SHADOW_EXCEPTIONS = 3\n"}
    finding = only(STARTS, site(*slots, access_point(), cycles(), jobs=jobs, access=access))
    assert finding.subject == "access point access1"
    assert "got 28 shadows, and all of these ended before a job began to run" in finding.message
    assert observed(finding)["MAX_SHADOW_EXCEPTIONS"] == "3"
    # One machine may be at fault, and jobs of the access point that run show that its shadows do.
    assert not found(STARTS, site(*slots, access_point(), cycles(), jobs=jobs[:1]))
    assert not found(STARTS, site(*slots, claim(), access_point(), cycles(), jobs=jobs))


def test_no_machine_is_accused_of_the_shadows_of_an_access_point() -> None:
    """Seen on 25.14.1 with SHADOW = /bin/false: on every machine claims are granted and given back."""
    dead: dict[str, Text | None] = {
        "NumJobMatches": 23, "NumShadowStarts": 23, "NumJobStarts": 0, "NumJobCompletions": 0,
        "VacateReason": '"Shadow Exception"',
    }  # fmt: skip
    hosts = ("slot1_1@node1", "slot1_1@node2")
    jobs = [waiting(f"1.{n}", **dead, LastRemoteHost=f'"{host}"') for n, host in enumerate(hosts)]
    counts = {"RecentClaimRequests": 11, "RecentActivationRequests": 0, "RecentJobStarts": 0}
    slots = (free(**counts), free("slot1@node2", Machine='"node2"', **counts))
    finding = only(STARTS, site(*slots, access_point(), cycles(), jobs=jobs))
    assert finding.subject == "access point access1"


NEVER: dict[str, Text | None] = {
    "NumJobMatches": 32, "NumShadowStarts": 32, "NumJobStarts": 0, "NumJobCompletions": 0,
    "LastRemoteHost": _ON_NODE1, "VacateReason": '"Could not initiate file transfer"',
}  # fmt: skip


def _peers(own: str) -> dict[str, str]:
    """Return the configurations of access points of which the first has something of its own."""
    return {"access1": own, "access2": "", "access3": ""}


def test_either_end_may_fail_where_no_job_of_the_access_point_has_run_anywhere() -> None:
    """Seen on 25.14.1 with SHADOW.TCP_FORWARDING_HOST: the starter cannot reach the shadow."""
    asked = free(RecentClaimRequests=64, RecentActivationRequests=64, RecentJobStarts=64)
    access = _peers("SHADOW.TCP_FORWARDING_HOST = 127.0.0.77\n")
    jobs = [waiting(**NEVER)]
    finding = only(STARTS, site(asked, access_point(), cycles(), jobs=jobs, access=access))
    assert finding.subject == "access point access1"
    assert "got 32 shadows with claims of node1 (8 cores)" in finding.message
    assert "either may be at fault" in finding.message
    assert "condor_drain" not in finding.advice
    knobs = [each for each in observed(finding) if each.isupper()]
    assert knobs == ["SHADOW.TCP_FORWARDING_HOST"]
    # Where jobs of it run elsewhere, the machine is at fault.
    runs = claim("slot1_1@node2", Machine='"node2"')
    there = site(asked, runs, access_point(), cycles(), jobs=jobs, access=access)
    assert only(STARTS, there).subject == "machine node1"
    transform = "JOB_TRANSFORM_NAMES = el9\nJOB_TRANSFORM_el9 = SET WantDocker True\n"
    given = site(asked, access_point(), cycles(), jobs=jobs, access=_peers(transform))
    assert observed(only(STARTS, given))["JOB_TRANSFORM_el9"] == "SET WantDocker True"


def test_a_startd_that_was_asked_to_start_nothing_is_not_accused() -> None:
    """Seen on 25.14.1 with SHADOW_LOG in a directory that is gone: shadows end, no starter begins."""
    idle = free(RecentClaimRequests=60, RecentActivationRequests=0, RecentJobStarts=0)
    finding = only(STARTS, site(idle, access_point(), cycles(), jobs=[waiting(**NEVER)]))
    assert (finding.subject, finding.severity.word) == ("access point access1", "error")
    assert "no startd was asked to start one" in finding.message
    assert finding.advice.startswith("ShadowLog and SchedLog of access1 say why")


def test_a_machine_that_loses_its_claims_is_told_by_its_own_counters_though_a_job_runs_there() -> (
    None
):
    """Seen on 25.14.1 with MAX_CLAIM_ALIVES_MISSED = 0: 34 claims, and one of them came to a start."""
    lost: dict[str, Text | None] = {
        "NumJobMatches": 14, "NumShadowStarts": 14, "NumJobStarts": 0, "NumJobCompletions": 0,
        "LastRemoteHost": _ON_NODE1, "VacateReason": '"ClaimId not found"',
    }  # fmt: skip
    counts = {"RecentClaimRequests": 34, "RecentActivationRequests": 1, "RecentJobStarts": 1}
    given = site(
        free(**counts), claim(since=LONG_AGO), access_point(), cycles(), jobs=[waiting(**lost)],
        access={"access1": "SHADOW = /bin/false\n"},
    )  # fmt: skip
    finding = only(STARTS, given)
    assert (finding.subject, finding.severity.word) == ("machine node1", "warning")
    assert "of 34 claims in 20 min 1 came to a start" in finding.message
    assert "ClaimId not found" in finding.message
    # With jobs of one access point alone it may be the shadows.
    assert "StartLog of node1 and ShadowLog of access1 say which" in finding.advice
    assert observed(finding)["SHADOW"] == "/bin/false"
    used = {**counts, "RecentActivationRequests": 30}
    given = site(free(**used), claim(since=LONG_AGO), cycles(), jobs=[waiting(**lost)])
    assert not found(STARTS, given)


def test_a_machine_that_is_its_owners_though_start_takes_jobs() -> None:
    """Seen on 25.14.1 with IS_OWNER = True on a machine: 30 claims, none of them granted, Start = true."""
    own = {"State": '"Owner"', "RecentClaimRequests": 30, "RecentActivationRequests": 0}
    execute = {"node1": "IS_OWNER = True\n"}
    finding = only(STARTS, site(free(**own), cycles(), jobs=[waiting()], execute=execute))
    assert (finding.subject, finding.severity.word) == ("machine node1", "error")
    assert "node1 (8 cores) refused 30 claims in the last 20 min" in finding.message
    assert observed(finding)["IS_OWNER"] == "True"


def test_a_machine_that_its_owner_uses_refuses_nobody() -> None:
    jobs = [waiting()]
    for own in (
        {"State": '"Owner"', "RecentClaimRequests": 2, "RecentActivationRequests": 0},
        # Closed after its claims had failed.
        {
            "State": '"Owner"',
            "Start": "false",
            "RecentClaimRequests": 30,
            "RecentActivationRequests": 0,
        },
        {"State": '"Owner"', "RecentClaimRequests": 30, "RecentActivationRequests": 9},
        {"State": '"Unclaimed"', "RecentClaimRequests": 30, "RecentActivationRequests": 0},
    ):
        assert not found(STARTS, site(free(**own), cycles(), jobs=jobs))
