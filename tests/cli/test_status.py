"""``htcq status``: one screen, JSON, a plugin; never OK where something could not be looked at."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from htcq.errors import EXIT_FINDINGS, EXIT_FINE, EXIT_UNKNOWN, EXIT_USAGE
from tests.audit.sites import accounting, dynamic_slot, job, negotiator, slot, submitter
from tests.balance.pools import GOLDEN
from tests.cli.conftest import Call
from tests.large_pool import Size, write_snapshot

DRAINED = str(GOLDEN / "drained" / "half-the-weight-drained.tar.gz")
GROUPS = "GROUP_NAMES = a, b\nGROUP_QUOTA_a = 8\nGROUP_QUOTA_b = 8\nGROUP_ACCEPT_SURPLUS = True\n"


def written(place: Path, *ads: str, jobs: list[str] | None, config: str | None = "") -> str:
    """Write a snapshot; what is None is missing."""
    directory = place / "snap"
    directory.mkdir()
    (directory / "collector.ads").write_text("\n".join(ads))
    if jobs is not None:
        (directory / "jobs.ads").write_text("\n".join(jobs))
    if config is not None:
        (directory / "config.txt").write_text(config)
    return str(directory)


def test_a_forgotten_drain_is_the_first_thing_that_is_said(call: Call) -> None:
    done = call("status", "--snapshot", DRAINED)

    assert done.status == EXIT_FINDINGS
    first = done.out.splitlines()[0]
    assert "64 cores stand idle while 73 jobs wait: 64 drained since " in first
    assert "by condor" in first
    assert (
        "1. drained: condor_drain -cancel b1.test (54 jobs would start and use weight 85 of the slots, "
        "47 of them with the next cycle)" in done.out
    )
    assert "73 idle jobs of schedd slot weight 156 by reason" in done.out
    assert done.out.count("condor_drain -cancel b1.test") == 2, (
        "one cause of three groups, and to do"
    )
    # Two access points have a job 2.20.
    assert "  73     156  drained  ap1.test#2.20" in done.out.splitlines()
    (reason,) = json.loads(call("status", "--json", "--snapshot", DRAINED).out)["demand"]["by"]
    assert (reason["access_point"], reason["example"]) == ("ap1.test", "2.20")
    assert "ap2.test#2.10" in call("why", "--all", "--snapshot", DRAINED).out
    assert len(done.out.splitlines()) <= 60


def test_the_plugin_is_critical_where_half_of_the_pool_stands(call: Call) -> None:
    done = call("status", "--nagios", "--snapshot", DRAINED)

    assert done.status == 2
    assert done.out.startswith("HTCQ STATUS CRITICAL: 64 cores stand idle while 73 jobs wait")
    assert (
        " stands_while_jobs_wait=192 cores_stand_while_jobs_wait=64 waiting_jobs=73;;;0 jobs_that_fit_nowhere=0;;;0 "
        in done.out
    )
    assert " groups_below=3;;;0\n" in done.out


def test_json_has_the_sums(call: Call) -> None:
    found = json.loads(call("status", "--json", "--snapshot", DRAINED).out)

    assert found["verdict"] == "findings"
    for asset, amount in found["capacity"]["total"].items():
        assert sum(each[asset] for each in found["capacity"]["by"]) == amount
    assert found["demand"]["jobs"] == sum(each["jobs"] for each in found["demand"]["by"]) == 73
    below = {each["group"]: each["below"] for each in found["groups"] if each["below"]}
    assert below == {"physics.hep": 72.5, "chem": 31.25, "biology": 30.0}
    assert found["todo"][0]["cure"] == "condor_drain -cancel b1.test"


@pytest.mark.parametrize("jobs", [0, 3, 30])
def test_a_sound_pool_is_fine_idle_busy_and_with_more_jobs_than_it_has(
    jobs: int, quiet_place: Path, call: Call
) -> None:
    queue = [job(f"1.{number}") for number in range(jobs)]
    asking = submitter(IdleJobs=jobs, WeightedIdleJobs=jobs)
    place = written(quiet_place, slot(), asking, negotiator(), jobs=queue)

    done = call("status", "--snapshot", place)
    assert (done.status, done.out.splitlines()[0][:4]) == (EXIT_FINE, "ok: ")
    assert call("status", "--nagios", "--snapshot", place).status == 0


def test_a_group_that_has_nothing_while_another_has_its_quota_is_told_with_the_holder(
    quiet_place: Path, call: Call
) -> None:
    """All 16 cores are claimed by a, with a quota of 8; b wants 20."""
    claims = [
        dynamic_slot(f"slot1_{number}@node1", AccountingGroup='"a.ada@site"', Cpus=8)
        for number in (1, 2)
    ]
    queue = [job(f"1.{number}", AccountingGroup='"b.ben"') for number in range(20)]
    place = written(
        quiet_place,
        slot(Cpus=0, TotalSlotCpus=16),
        *claims,
        submitter("b.ben@site", IdleJobs=20, WeightedIdleJobs=20),
        submitter("a.ada@site", IdleJobs=0, RunningJobs=2, WeightedRunningJobs=16),
        accounting("a.ada@site", ResourcesUsed=2, WeightedResourcesUsed=16.0),
        negotiator(),
        jobs=queue,
        config=GROUPS,
    )

    found = json.loads(call("status", "--json", "--snapshot", place).out)
    (below,) = [each for each in found["groups"] if each["below"]]
    assert (below["group"], below["below"]) == ("b", 8)
    assert [(each["name"], each["amount"]) for each in below["held_by"]] == [("a", 8)]
    assert call("status", "--nagios", "--snapshot", place).out.startswith("HTCQ STATUS WARNING: ")
    assert call("status", "--snapshot", place).status == EXIT_FINDINGS


@pytest.mark.parametrize("missing", ["jobs", "config"])
def test_what_cannot_be_looked_at_is_said_and_is_never_ok(
    missing: str, quiet_place: Path, call: Call
) -> None:
    place = written(
        quiet_place,
        slot(),
        submitter(IdleJobs=0),
        negotiator(),
        jobs=None if missing == "jobs" else [],
        config=None if missing == "config" else "",
    )

    done = call("status", "--snapshot", place)
    assert (done.status, done.out.splitlines()[0][:8]) == (EXIT_UNKNOWN, "unknown:")
    what = "the queues are" if missing == "jobs" else "the configuration of the central manager is"
    assert f"{what} unknown" in done.out
    plugin = call("status", "--nagios", "--snapshot", place)
    assert (plugin.status, plugin.out[:20]) == (3, "HTCQ STATUS UNKNOWN:")


def test_a_large_pool_fits_on_one_screen(quiet_place: Path, call: Call) -> None:
    size = Size(slots=1500, submitters=60, groups=40, jobs=2500, autoclusters=60)
    write_snapshot(quiet_place / "large", size)

    done = call("status", "--snapshot", "large")
    assert done.status in (EXIT_FINE, EXIT_FINDINGS, EXIT_UNKNOWN)
    assert 10 < len(done.out.splitlines()) <= 60


def test_a_snapshot_that_is_none_is_bad_input(call: Call) -> None:
    assert call("status", "--snapshot", "nowhere").status == EXIT_USAGE


@pytest.mark.parametrize("command", [["status"], ["why", "--all"]])
def test_jobs_on_hold_are_in_one_line_by_their_code(
    call: Call, tmp_path: Path, command: list[str]
) -> None:
    of_memory = {"HoldReasonCode": 34, "HoldReason": '"over\\n' + "memory" * 40 + '"'}
    jobs = [job(f"1.{proc}", JobStatus=5, RequestCpus=2, **of_memory) for proc in range(3)]
    jobs += [job("2.0", JobStatus=5, HoldReason='"odd"'), job("3.0"), job("4.0", JobStatus=2)]
    place = written(tmp_path, slot(), negotiator(), submitter(), jobs=jobs)
    out = call(*command, "--snapshot", place).out
    (line,) = [each for each in out.splitlines() if "on hold" in each]
    found = json.loads(call(*command, "--json", "--snapshot", place).out)["held"]

    words = "the job used more than its slot has"
    assert line.startswith(
        f'4 jobs of weight 7 are on hold: 3 with HoldReasonCode 34: {words} ("over'
    )
    assert line.endswith('1 without HoldReasonCode ("odd"), such as 2.0')
    assert len(line) < 250
    assert (found["jobs"], found["weight"]) == (4, 7)
    by = [(each["hold_reason_code"], each["jobs"], each["weight"]) for each in found["by"]]
    assert by == [(34, 3, 6), (None, 1, 1)]
    assert len(found["by"][0]["hold_reason"]) > 240


def test_without_jobs_on_hold_nothing_is_said(call: Call, tmp_path: Path) -> None:
    place = written(tmp_path, slot(), negotiator(), submitter(), jobs=[job()])

    assert "on hold" not in call("status", "--snapshot", place).out


def test_a_cycle_that_is_a_day_away_is_said_where_it_starts_jobs(
    call: Call, tmp_path: Path
) -> None:
    ads = (slot(), submitter(IdleJobs=1), negotiator())
    config = "NEGOTIATOR_INTERVAL = 86400\n"
    place = written(tmp_path, *ads, jobs=[job()], config=config)

    done = call("status", "--snapshot", place)
    assert done.status == EXIT_FINDINGS
    says = "NEGOTIATOR_INTERVAL = 86400: a job can wait 1 d for the next cycle"
    assert f"findings: {says}, which starts 1 job" in done.out
    assert "1. cycles-far-apart: a shorter NEGOTIATOR_INTERVAL (1 job)" in done.out
    for asked in ("1.0", "--all"):
        assert says in call("why", asked, "--snapshot", place).out


def test_the_asset_that_is_used_up_is_named(call: Call, tmp_path: Path) -> None:
    licensed = slot(MachineResources='"Cpus Memory Disk Licenses"', Licenses=0, TotalSlotLicenses=2)
    queue = job(RequestLicenses=1, Requirements="TARGET.Licenses >= RequestLicenses")
    ads = (licensed, submitter(IdleJobs=1), negotiator())
    done = call("status", "--snapshot", written(tmp_path, *ads, jobs=[queue]))
    assert "\nstranded (no licenses) " in done.out


def test_what_keeps_no_job_that_is_known_counts_none(call: Call, tmp_path: Path) -> None:
    """Claims of a machine that are suspended for an hour, whose jobs the snapshot does not have."""
    now = 1_800_000_000
    claims = [
        dynamic_slot(
            f"slot1_{number}@node1", "bob@site", Cpus=1, Activity='"Suspended"',
            EnteredCurrentActivity=now - 6000, LastHeardFrom=now,
        )
        for number in range(1, 5)
    ]  # fmt: skip
    cycles = {"LastNegotiationCycleEnd0": now - 30, "LastNegotiationCycleTime0": now - 31}
    ads = (
        slot(Cpus=4, LastHeardFrom=now), *claims, submitter(IdleJobs=20),
        negotiator(LastHeardFrom=now, MyCurrentTime=now, **cycles),
    )  # fmt: skip
    queue = [job(f"1.{number}") for number in range(20)]
    done = call("status", "--snapshot", written(tmp_path, *ads, jobs=queue))
    assert "1. claims-suspended: SUSPEND, WANT_SUSPEND and CONTINUE of node1\n" in done.out
    assert "0 jobs" not in done.out


# Where no negotiator works
# ---------------------------------------------------------------------------------------


def without_negotiator(tmp_path: Path, number: int = 3) -> str:
    """Write a snapshot of a pool without a negotiator, where a cycle starts one job of a limit."""
    queue = [job(f"1.{each}", ConcurrencyLimits='"lic"') for each in range(number)]
    return written(tmp_path, slot(), submitter(IdleJobs=number), jobs=queue)


def test_what_keeps_jobs_once_a_negotiator_works_is_told(call: Call, tmp_path: Path) -> None:
    place = without_negotiator(tmp_path)
    says = "once a negotiator works its first cycle starts 1 job, 2 wait (outranked, such as "
    for asked in (("status",), ("why", "--all")):
        assert says in call(*asked, "--snapshot", place).out
    for asked in (("simulate",), ("simulate", "--cycles", "2")):
        assert "once a negotiator works" in call(*asked, "--snapshot", place).out


def test_a_pool_without_jobs_has_no_empty_tables(call: Call, tmp_path: Path) -> None:
    place = written(tmp_path, slot(), jobs=[])
    done = call("status", "--snapshot", place)
    assert done.status == EXIT_UNKNOWN
    assert "\nno idle jobs\n\nnothing to do as far as is known\n" in done.out
    assert call("why", "--all", "--snapshot", place).out.strip() == f"{place}: no idle jobs"


def test_jobs_that_just_came_are_called_so(call: Call, tmp_path: Path) -> None:
    """The ad of their submitter does not count them yet: that is no finding."""
    now = 1_800_000_000
    ads = (
        slot(LastHeardFrom=now), submitter(IdleJobs=0, LastHeardFrom=now),
        negotiator(LastHeardFrom=now),
    )  # fmt: skip
    queue = [job(EnteredCurrentStatus=now - 5, QDate=now - 5)]
    place = written(tmp_path, *ads, jobs=queue)
    done = call("status", "--snapshot", place)
    assert done.out.startswith("ok: 0 of 8 cores run jobs, 1 job waits, not yet in the ads of the")
    text = call("why", "--all", "--snapshot", place).out
    assert "Resolved by: the next update of the schedd (SCHEDD_INTERVAL), which counts" in text
