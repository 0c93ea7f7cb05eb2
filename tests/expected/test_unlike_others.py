"""Machines where nothing lasts of what lasts elsewhere, or of what machines of the same START start.

The ads are cut down from those of 25.14.1 in two turns. Where jobs of one cluster ended with status
1 on one machine of two cores, that had RecentJobStarts 31 after nine cycles, the others 2, and 31 of
150 jobs were gone. Where MOUNT_UNDER_SCRATCH was set in a place that the starter may not unshare,
jobs went on hold with HoldReasonCode 6 after NumJobStarts 1. Where STARTER_RLIMIT_AS = 1 ended all jobs of
one machine, no job waited: RecentJobStarts was 34 on its two cores after 30 s, 2 on the others, and 32 of 40
jobs of the cluster had completed; in another turn all jobs of the cluster asked for that machine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from htcq.expected.unmet import LASTS
from htcq.pool.pool import Pool
from tests.audit.sites import Text, found, schedd
from tests.expected.pools import LONG_AGO, NOW, claim, cycles, free, observed, only, site, waiting

LASTING: Mapping[str, Text | None] = {
    "JobStatus": 2, "JobCurrentStartDate": LONG_AGO, "JobCurrentStartExecutingDate": LONG_AGO,
    "NumShadowStarts": 1, "RemoteHost": '"slot1_1@node2"', "TotalSubmitProcs": 150,
}  # fmt: skip
HELD: Mapping[str, Text | None] = {
    "JobStatus": 5, "HoldReasonCode": 6, "HoldReasonSubCode": 22, "NumShadowStarts": 1,
    "NumJobStarts": 1, "NumJobCompletions": 0, "LastRemoteHost": '"slot1_1@node1"',
    "VacateReason": '"Error from slot1_1@node1: Failed to execute"',
}  # fmt: skip
ENDED = {"RecentJobStarts": 90, "RecentActivationRequests": 90}


def cluster(*others: str, **last: Text | None) -> Sequence[str]:
    """Return what the queue has of a cluster of which one job runs on node2 and one waits."""
    return [waiting("1.0", **{**LASTING, **last}), waiting("1.1", TotalSubmitProcs=150), *others]


def two(jobs: Sequence[str], execute: Mapping[str, str] | None = None, **own: Text | None) -> Pool:
    """Return a pool of node1, with counters of its own, and of node2 where a job has run long."""
    here = free(**{"RecentJobStarts": 0, "RecentActivationRequests": 0, **own})
    there = free("slot1@node2", Machine='"node2"', RecentJobStarts=2, RecentActivationRequests=2)
    runs = claim("slot1_1@node2", Machine='"node2"', RecentJobStarts=2)
    return site(here, there, runs, cycles(), jobs=jobs, execute=execute)


def test_a_machine_that_ends_what_it_starts_at_once_is_told() -> None:
    finding = only(LASTS, two(cluster(), {"node1": "USER_JOB_WRAPPER = /w\n"}, **ENDED))
    assert (finding.subject, finding.severity.word) == ("machine node1", "warning")
    assert "node1 (8 cores) started 90 jobs in the last 20 min" in finding.message
    assert observed(finding)["RecentJobStarts"] == "90"
    assert observed(finding)["USER_JOB_WRAPPER"] == "/w"


def test_it_must_start_far_more_than_machines_where_jobs_last() -> None:
    assert not found(LASTS, two(cluster(), RecentJobStarts=70, RecentActivationRequests=70))
    # Short jobs and long ones of one cluster, everywhere.
    busy = free("slot1@node2", Machine='"node2"', RecentJobStarts=40, RecentActivationRequests=40)
    runs = claim("slot1_1@node2", Machine='"node2"', RecentJobStarts=40)
    assert not found(LASTS, site(free(**ENDED), busy, runs, cycles(), jobs=cluster()))


def test_nothing_is_told_of_clusters_that_are_all_there_or_last_nowhere() -> None:
    assert not found(LASTS, two([waiting("1.1", TotalSubmitProcs=150)], **ENDED))
    small = {"TotalSubmitProcs": 2}
    jobs = [waiting("1.0", **{**LASTING, **small}), waiting("1.1", **small)]
    assert not found(LASTS, two(jobs, **ENDED))
    begun = {"JobCurrentStartDate": NOW - 20, "JobCurrentStartExecutingDate": NOW - 20}
    assert not found(LASTS, two(cluster(**begun), **ENDED))


def test_jobs_that_go_on_hold_on_one_machine_alone() -> None:
    held = [waiting(f"1.{proc}", **HELD) for proc in range(2, 5)]
    execute = {"node1": "MOUNT_UNDER_SCRATCH = /tmp\n"}
    finding = only(LASTS, two(cluster(*held), execute, RecentJobStarts=3))
    assert (finding.subject, finding.severity.word) == ("machine node1", "error")
    assert "3 jobs, such as 1.2, went on hold on node1 (8 cores) (Error from" in finding.message
    assert observed(finding)["MOUNT_UNDER_SCRATCH"] == "/tmp"


def test_holds_of_the_user_and_of_jobs_that_run_nowhere_are_not_the_machines() -> None:
    assert not found(LASTS, two(cluster(*[waiting(f"1.{each}", **HELD) for each in (2, 3)])))
    by_user = [waiting(f"1.{each}", **{**HELD, "HoldReasonCode": 1}) for each in (2, 3, 4)]
    assert not found(LASTS, two(cluster(*by_user)))
    other = [waiting(f"2.{each}", **HELD) for each in (2, 3, 4)]
    assert not found(LASTS, two(cluster(*other)))


def test_no_job_has_to_wait() -> None:
    young = {"MyCurrentTime": NOW, "DaemonStartTime": NOW - 30}
    finding = only(LASTS, two([waiting("1.0", **LASTING)], **ENDED, **young))
    assert finding.severity.word == "warning"
    assert "started 90 jobs in the last 30 s" in finding.message
    assert "a job had a core for 3 s at most on average" in finding.message


def several(*others: str, starts: int = 90, completed: int = 90, **own: Text | None) -> Pool:
    """Return a pool of node1, which started so many jobs, of others, and of a schedd."""
    counts = {"RecentJobStarts": starts, "RecentActivationRequests": starts}
    here = free(**{**counts, **own})
    return site(here, *others, schedd("access1", RecentJobsCompleted=completed), cycles(), jobs=[])


def at_work(name: str, starts: int) -> Sequence[str]:
    """Return the slots of a machine where a job has run for long."""
    own: dict[str, Text] = {"Machine": f'"{name}"', "RecentJobStarts": starts}
    return free(f"slot1@{name}", **own), claim(f"slot1_1@{name}", **own)


def test_machines_of_the_same_start_show_it_where_no_cluster_does() -> None:
    finding = only(LASTS, several(*at_work("node2", 10), *at_work("node3", 9)))
    assert finding.subject == "machine node1"
    assert (
        "2 machines with the same START (node2, node3), where jobs go on, started 19 jobs on "
        "16 cores: its jobs are short, or node1 ends what it starts at once"
    ) in finding.message
    assert observed(finding)["RecentJobsCompleted of all access points"] == "90"


def test_short_jobs_of_one_machine_are_information() -> None:
    """Seen on 25.14.1: jobs of 5 s that ask for node1 all complete, while others run on the rest."""
    finding = only(LASTS, several(*at_work("node2", 11), *at_work("node3", 11), completed=80))
    assert finding.severity.word == "info"
    assert finding.advice.startswith("Nothing where the jobs are short.")
    # The others are full of long jobs: nothing says that any of the short ones would last there.
    assert only(LASTS, several(*at_work("node2", 1), *at_work("node3", 0))).severity.word == "info"
    idle = free("slot1@node2", Machine='"node2"', RecentJobStarts=0)
    assert only(LASTS, several(idle)).severity.word == "info"


def test_nothing_is_told_where_machines_are_alike_or_nothing_left_the_queues() -> None:
    assert not found(LASTS, several())
    short = [
        free(f"slot1@{name}", Machine=f'"{name}"', RecentJobStarts=80)
        for name in ("node2", "node3", "node4")
    ]
    assert not found(LASTS, several(*short, *at_work("node5", 5)))
    # A third of them takes the short ones.
    long = [ad for number in range(5, 12) for ad in at_work(f"node{number}", 15)]
    assert not found(LASTS, several(*short, *long))
    assert len(found(LASTS, several(*short[:2], *long))) == 3
    others = (*at_work("node2", 10), *at_work("node3", 9))
    assert not found(LASTS, several(*others, completed=40))
    assert not found(LASTS, several(*others, starts=79))
    assert not found(LASTS, several(*others, Start="TARGET.IsShort"))
