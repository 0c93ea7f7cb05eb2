"""What is lent comes back on a real pool: by itself as claims end, and sooner where jobs are taken back."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path

import pytest
from broken import audited, break_it, cycles
from claims import claims, come_to, queued
from conftest import Site
from reclaiming import KNOBS, Reclaim, ceilings, lent, vacated

from tests.schemas.validation import objections

pytestmark = pytest.mark.condor


def test_a_lender_gets_its_min_back_at_once(site: Site, tmp_path: Path) -> None:
    """The borrower keeps its min; the jobs that go are those of the plan, and they do not come straight back."""
    reclaim = lent(site, tmp_path, waiting=6)
    cycles(site.pool, 3)
    assert claims(site.pool) == {"borrower.bob": 8}, (
        "nothing comes back by itself while claims last"
    )
    plan = reclaim.json("plan")
    assert not reclaim.journal.exists(), "a plan alone changes nothing"
    planned = {victim["job"] for victim in plan["victims"]}
    assert len(planned) == 4
    assert [(each["submitter"], each["ceiling"]) for each in plan["ceilings"]] == [
        ("borrower.bob@test", 4)
    ]

    done = reclaim.json("apply")
    assert {each["job"] for each in done["done"]["vacated"]} == planned
    come_to(site.pool, {"borrower.bob": 4, "lender.ann": 4})
    assert vacated(site.pool) == planned
    assert ceilings(site.pool) == {"borrower.bob@test": 4}
    listed = json.loads(reclaim.run("ceilings", "--json"))
    assert (objections("elastic-ceilings", listed), len(listed)) == ([], 1)
    cycles(site.pool, 3)
    assert claims(site.pool) == {"borrower.bob": 4, "lender.ann": 4}
    again = reclaim.json("apply")
    assert not again["victims"], "the borrower is at its runtime"
    assert list(again["measured"].values()) == [True]


def test_ceilings_go_when_the_borrower_may_have_all_again(site: Site, tmp_path: Path) -> None:
    reclaim = lent(site, tmp_path, waiting=6)
    reclaim.run("apply")
    come_to(site.pool, {"borrower.bob": 4, "lender.ann": 4})
    site.pool.tool("condor_rm", "-constraint", 'AccountingGroup == "lender.ann"')
    site.pool.wait(
        lambda: claims(site.pool) == {"borrower.bob": 4}, 30, "the lender's end", ("SchedLog",)
    )
    cycles(site.pool, 2)
    assert claims(site.pool) == {"borrower.bob": 4}, "its ceiling holds it"
    assert reclaim.json("plan")["release"] == ["borrower.bob@test"]
    assert "the ceiling of borrower.bob@test is taken away" in reclaim.run("apply")
    assert not ceilings(site.pool)
    come_to(site.pool, {"borrower.bob": 8})


def test_a_ceiling_of_somebody_else_stays(site: Site, tmp_path: Path) -> None:
    """One that would let the jobs come back ends the matter; one that holds them is all that is needed."""
    reclaim = lent(site, tmp_path, waiting=2)
    site.pool.tool("condor_userprio", "-setceiling", "borrower.bob@test", "8")
    plan = reclaim.json("apply")
    assert not plan["victims"]
    assert {each["why"] for each in plan["spared"]} == {
        (
            "somebody else set the ceiling of borrower.bob@test to 8, with which the job would start "
            "again"
        )
    }
    site.pool.tool("condor_userprio", "-setceiling", "borrower.bob@test", "3")
    assert len(reclaim.json("apply")["done"]["vacated"]) == 2
    come_to(site.pool, {"borrower.bob": 6, "lender.ann": 2})
    assert ceilings(site.pool) == {"borrower.bob@test": 3}
    assert "borrower.bob@test: 3, somebody else's" in reclaim.run("ceilings")
    assert reclaim.run("release") == "no ceiling is ours\n"
    assert ceilings(site.pool) == {"borrower.bob@test": 3}
    assert not reclaim.records("reclaim-ceiling")


def test_what_is_left_behind_is_told_and_taken_away(site: Site, tmp_path: Path) -> None:
    reclaim = lent(site, tmp_path, waiting=2)
    reclaim.run("apply")
    site.pool.tool("condor_userprio", "-setceiling", "other.eve@test", "7")
    listed = reclaim.run("ceilings")
    assert "other.eve@test: 7, somebody else's" in listed
    ours = next(line for line in listed.splitlines() if line.startswith("borrower.bob@test: 6"))
    assert ours.endswith(", ours")
    assert (" until " in ours) == (site.suite == "sid"), "a negotiator of 23.9 has no leases"
    reclaim.run("release")
    assert ceilings(site.pool) == {"other.eve@test": 7}
    steps = [(each["submitter"], each["step"]) for each in reclaim.records("reclaim-ceiling")]
    assert steps == [
        ("borrower.bob@test", step) for step in ("setting", "set", "cancelling", "cancelled")
    ]


def test_looks_that_count_no_more_leave_a_long_journal(site: Site, tmp_path: Path) -> None:
    reclaim = Reclaim(break_it(site, KNOBS), tmp_path).limits()
    looks = [
        {
            "v": 1,
            "kind": "reclaim-look",
            "time": 60.0 * minute,
            "reclaim": {"negotiator": "node.test", "over": []},
        }
        for minute in range(50_000)
    ]
    before = "".join(json.dumps(look) + "\n" for look in looks)
    reclaim.journal.write_text(before)
    reclaim.run("record")
    assert (tmp_path / f"reclaim.{60 * 49_999}").read_text() == before
    times = [json.loads(line)["time"] for line in reclaim.journal.read_text().splitlines()]
    # A day and the 11 minutes after which a look tells nothing of those before.
    assert times[:-1] == [look["time"] for look in looks][-(24 * 60 + 11 + 1) :]
    assert abs(times[-1] - time.time()) < 120


def test_a_lease_ends_by_itself(site: Site, tmp_path: Path) -> None:
    """Where the negotiator lends ceilings, whoever set one may die; where it does not, the journal knows it."""
    reclaim = lent(site, tmp_path, waiting=2).limits(lease='"3s"')
    reclaim.run("apply")
    come_to(site.pool, {"borrower.bob": 6, "lender.ann": 2})
    if site.suite == "sid":
        site.pool.wait(
            lambda: not ceilings(site.pool), 30, "the end of a lease", ("NegotiatorLog",)
        )
        assert reclaim.run("release").startswith("the ceiling of borrower.bob@test has ended")
    else:
        assert ceilings(site.pool) == {"borrower.bob@test": 6}
        assert reclaim.run("release") == "the ceiling of borrower.bob@test is taken away\n"
        assert not ceilings(site.pool)


def test_a_schedd_that_goes_in_the_middle_leaves_a_record_of_what_was_done(
    site: Site, tmp_path: Path
) -> None:
    reclaim = lent(site, tmp_path, waiting=4).limits(batch=1, settle_time='"40s"')
    schedd = site.pool.daemon_pids()["schedd"]
    process = reclaim.start("apply", "--json", "--timeout", "8")
    # One batch follows the other at once: this moment is looked for without a pause.
    while not reclaim.records("reclaim-outcome"):
        assert process.poll() is None
    os.kill(schedd, signal.SIGSTOP)
    try:
        process.communicate(timeout=600)
    finally:
        os.kill(schedd, signal.SIGCONT)
    assert process.returncode == 1, "not all was done"
    planned = {each["job"] for each in reclaim.records("reclaim-intent")[0]["jobs"]}
    outcomes = reclaim.records("reclaim-outcome")
    done = {each["job"] for outcome in outcomes for each in outcome["done"]}
    failed = {each["job"] for outcome in outcomes for each in outcome["failed"]}
    doubtful = {each["job"] for outcome in outcomes for each in outcome["doubtful"]}
    assert len(planned) == 4
    assert planned == done | failed | doubtful
    assert done
    assert failed
    site.pool.wait(
        lambda: vacated(site.pool) >= done, 40, "the jobs that were vacated", ("SchedLog",)
    )
    assert vacated(site.pool) <= done | doubtful

    rest = set()

    def given_back() -> bool:
        """Run once more: a look while claims turn over counts too little, and takes back less."""
        rest.update(each["job"] for each in reclaim.json("apply")["done"]["vacated"])
        return claims(site.pool) == {"borrower.bob": 4, "lender.ann": 4}

    site.pool.wait(given_back, 60, "the lender on its min", ("NegotiatorLog", "StartLog"))
    assert vacated(site.pool) == rest | vacated(site.pool) & planned


def test_slots_that_others_take_stop_it_after_two(site: Site, tmp_path: Path) -> None:
    """The lender's jobs fit by all that is known, but want nothing any more when their turn comes."""
    reclaim = lent(site, tmp_path, waiting=2).limits(pool_percent=1)
    pool = site.pool
    for turn in (1, 2):
        assert len(reclaim.json("apply")["done"]["vacated"]) == 1
        pool.tool(
            "condor_qedit",
            "-constraint",
            'AccountingGroup == "lender.ann"',
            "Requirements",
            "false",
        )
        queued(pool, {"other.eve": 1}) if turn == 1 else pool.submit(
            {
                "accounting_group": "other",
                "accounting_group_user": "eve",
                "request_cpus": 1,
                "request_memory": 128,
            }
        )
        come_to(pool, {"borrower.bob": 8 - turn, "other.eve": turn})
        pool.tool(
            "condor_qedit", "-constraint", 'AccountingGroup == "lender.ann"', "Requirements", "true"
        )
    stopped = reclaim.json("apply", status=1)
    assert stopped["stopped"].startswith("the freed slots went to other groups twice in a row")
    assert stopped["release"] == ["borrower.bob@test"]
    assert not ceilings(pool)
    assert reclaim.json("apply", status=1)["stopped"]
    assert len(vacated(pool)) == 2
    reclaim.run("resume")
    assert len(reclaim.json("apply")["done"]["vacated"]) == 1


def test_the_negotiator_does_it_by_itself_with_what_is_emitted(site: Site, tmp_path: Path) -> None:
    """The lender comes to its quota, whoever has the better priority; the borrower to its own, and no further."""
    reclaim = Reclaim(site.pool, tmp_path).limits()
    pool = break_it(site, KNOBS)
    pool.tool("condor_userprio", "-setprio", "lender.ann@test", "1000")
    emitted = reclaim.run("emit")
    written = pool.path("condor_config.local")
    pool.configure(f"{written.read_text()}\n{emitted}")
    pool.reconfig()
    assert "PREEMPTION_REQUIREMENTS" in emitted
    queued(pool, {"borrower.bob": 12})
    come_to(pool, {"borrower.bob": 8})
    queued(pool, {"lender.ann": 6})
    come_to(pool, {"borrower.bob": 4, "lender.ann": 4})
    cycles(pool, 5)
    assert claims(pool) == {"borrower.bob": 4, "lender.ann": 4}
    assert "preemption-by-quota" not in {finding["rule"] for finding in audited(pool, tmp_path)}


def test_protected_jobs_local_jobs_and_jobs_that_end_soon_keep_running(
    site: Site, tmp_path: Path
) -> None:
    pool = break_it(site, KNOBS)
    queued(pool, {"borrower.bob": 3}, **{"+HtcqProtected": "true"})
    queued(pool, {"borrower.cat": 3}, allowed_execute_duration=300)
    queued(pool, {"borrower.dan": 2})
    come_to(pool, {"borrower.bob": 3, "borrower.cat": 3, "borrower.dan": 2})
    who = {"accounting_group": "borrower", "accounting_group_user": "dan", "universe": "local"}
    local = f"{pool.submit(who)}.0"
    pool.wait(
        lambda: pool.ads("jobs", ["JobStatus"], constraint="JobUniverse == 12 && JobStatus == 2"),
        30,
        "a job",
    )
    queued(pool, {"lender.ann": 4})
    reclaim = Reclaim(pool, tmp_path).limits(grace='"10min"')

    done = reclaim.json("apply")
    assert {each["group"] for each in done["done"]["vacated"]} == {"borrower"}
    come_to(pool, {"borrower.bob": 3, "borrower.cat": 3, "lender.ann": 2})
    reasons = sorted(each["why"].partition(" within ")[0] for each in done["spared"])
    assert reasons == ["it ends"] * 3 + ["the job has HtcqProtected = true"] * 3
    assert local not in vacated(pool)
    assert not reclaim.json("apply")["victims"]


def test_a_job_that_is_protected_after_the_plan_is_protected_from_the_next_one_on(
    site: Site, tmp_path: Path
) -> None:
    """Else its owner could protect it whenever it is checked, and its group would not pay for it."""
    reclaim = lent(site, tmp_path, waiting=4).limits(batch=1)
    process = reclaim.start("apply", "--json")
    while not reclaim.records("reclaim-intent"):
        assert process.poll() is None
    site.pool.tool("condor_qedit", "-constraint", "JobStatus == 2", "HtcqProtected", "true")
    out, err = process.communicate(timeout=600)
    assert process.returncode == 0, err
    done = json.loads(out)
    assert done["done"]["failed"] == []
    assert len(done["victims"]) == 4
    # The schedd notes it once a shadow has ended.
    victims = {each["job"] for each in done["victims"]}
    site.pool.wait(lambda: vacated(site.pool) == victims, 30, "the last vacated job", ("SchedLog",))
    assert not reclaim.json("apply")["victims"], "the others are within the min of their group"


def test_fault_12_a_job_in_its_retirement_time_is_not_vacated(site: Site, tmp_path: Path) -> None:
    """The schedd would not leave it that time: a job that somebody vacates by hand ends at once."""
    reclaim = lent(site, tmp_path, waiting=2, MAXJOBRETIREMENTTIME="3600")
    plan = reclaim.json("apply")
    assert plan["victims"] == []
    reasons = {each["why"].partition(" lasts ")[0] for each in plan["spared"]}
    assert reasons == {"its MaxJobRetirementTime"}
    assert vacated(site.pool) == set()
    job = str(plan["spared"][0]["job"])
    site.pool.tool("condor_vacate_job", job)
    site.pool.wait(lambda: vacated(site.pool) == {job}, 30, "the end of a job", ("StartLog",))


def test_jobs_that_end_slowly_are_waited_for(site: Site, tmp_path: Path) -> None:
    """They heed no signal, so that the startd kills them when their time is over."""
    pool = break_it(site, KNOBS)
    for who in ceilings(pool):
        pool.tool("condor_userprio", "-setceiling", who, "-1")
    deaf = "\"-c 'trap : TERM; while :; do sleep 1; done'\""
    queued(
        pool, {"borrower.bob": 12},
        executable="/bin/sh", arguments=deaf, job_max_vacate_time=30, want_graceful_removal=True,
    )  # fmt: skip
    come_to(pool, {"borrower.bob": 8})
    queued(pool, {"lender.ann": 4})
    reclaim = Reclaim(pool, tmp_path).limits(pool_percent=25)
    assert len(reclaim.json("apply")["done"]["vacated"]) == 2
    meanwhile = reclaim.json("apply")
    assert meanwhile["waiting"] == "2 of the jobs that were vacated have not ended yet"
    assert meanwhile["victims"] == []
    assert meanwhile["measured"] == {}
    come_to(pool, {"borrower.bob": 6, "lender.ann": 2})
    after = reclaim.json("apply")
    assert list(after["measured"].values()) == [True]
    assert len(after["done"]["vacated"]) == 2
    come_to(pool, {"borrower.bob": 4, "lender.ann": 4})
    assert reclaim.records("reclaim-stopped") == []
