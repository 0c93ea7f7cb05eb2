"""Real pools on which the quota writer must not act, or must take back what it did; and what it says."""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from claims import come_to, queued
from conftest import NEWEST, PACE, Site
from elastic_pool import FILE, Elastic, elastic_policy, elastic_pool, fixed

from htcq.elastic.journal import APPLY, INTENT, OUTCOME, REFUSED, RESTORE, VERIFIED, WRITTEN
from htcq.store.elastic_journal import read_journal
from htcq.store.lock import held

pytestmark = pytest.mark.condor
ONLY_SUITES = [NEWEST]
#: A negotiator that obeys nobody: it says so in its log, and whoever sends the command hears
#: nothing.
DEAF = "NEGOTIATOR.ALLOW_ADMINISTRATOR = nobody@nowhere\nNEGOTIATOR.ALLOW_WRITE = nobody@nowhere\n"


@pytest.fixture
def elastic(site: Site, tmp_path: Path) -> Elastic:
    return elastic_pool(site, tmp_path)


def local(*knobs: str) -> str:
    """Return the pool's own configuration with ``knobs`` besides."""
    return (
        PACE
        + "".join(f"{name} = {text}\n" for name, text in elastic_policy().items())
        + "".join(knobs)
    )


@contextmanager
def stopped(elastic: Elastic, daemon: str) -> Iterator[None]:
    """Let a daemon do nothing for a while."""
    pid = elastic.pool.daemon_pids()[daemon]
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


def refused(elastic: Elastic, *more: str) -> str:
    """Take a step that must be refused, and change nothing; return what it says."""
    before = elastic.path.read_bytes() if elastic.path.exists() else None
    status, out, err = elastic.htcq("run", "--once", "--yes", *more)
    said = [
        line for line in out.splitlines() if not line.endswith("reconfiguring the negotiator again")
    ]
    assert (status, said) == (3, []), err
    assert (elastic.path.read_bytes() if elastic.path.exists() else None) == before
    assert read_journal(elastic.journal).records[-1].kind == REFUSED
    # Schedds whose ads are old and of which no jobs are known are told of, and hold nothing up.
    told = [line for line in err.splitlines() if ": error: " not in line]
    said = [line for line in told if "an ad of the schedd " not in line]
    assert len(said) == 1
    return err


def test_ads_that_are_too_old_are_not_acted_on(elastic: Elastic) -> None:
    elastic.declare(fixed(3, 5), ad_age='"6s"')
    elastic.step()
    elastic.declare(fixed(5, 3), ad_age='"6s"')
    with stopped(elastic, "startd"):
        heard = elastic.pool.ads("slots", ["LastHeardFrom"])[0]["LastHeardFrom"]
        elastic.pool.wait(lambda: time.time() > heard + 8, 20, "an old ad")
        assert "the oldest ad is " in refused(elastic, "--timeout", "5")


def test_half_of_the_slots_missing_is_not_acted_on_until_somebody_accepts_it(
    site: Site, tmp_path: Path
) -> None:
    halves = {"NUM_SLOTS_TYPE_1": "4", "SLOT_TYPE_1": "25%"}
    elastic = elastic_pool(site, tmp_path, **halves)
    elastic.declare(fixed(3, 5))
    elastic.step()
    elastic.declare(fixed(1, 3))
    elastic.pool.configure(local("NUM_SLOTS_TYPE_1 = 2\nSLOT_TYPE_1 = 25%\n"))
    elastic.pool.restart()
    elastic.pool.wait(
        lambda: len(elastic.pool.ads("slots", ["Name"])) == 2, 30, "two slots", ("StartLog",)
    )
    elastic.pool.wait(lambda: elastic.published(), 30, "published groups", ("NegotiatorLog",))

    said = refused(elastic)
    assert "2 slots are present, less than 90% of the 4 seen before (and 1 more)" in said
    out = elastic.step("--accept-loss")
    assert "written, and the negotiator shows" in out
    assert elastic.configured() == ("1", "3")
    assert ": unchanged" in elastic.step()


def test_a_reconfig_that_is_lost_is_seen_and_the_former_file_is_put_back(elastic: Elastic) -> None:
    elastic.declare(fixed(3, 5))
    elastic.step()
    text = elastic.path.read_text()
    elastic.pool.configure(local(DEAF))
    elastic.pool.restart()
    elastic.pool.wait(lambda: elastic.published(), 30, "published groups", ("NegotiatorLog",))
    elastic.declare(fixed(5, 3))

    status, out, err = elastic.htcq("run", "--once", "--yes")
    assert (status, out) == (3, "")
    # Some versions tell who sends it that it is refused, and some do not.
    lost = "the negotiator has a quota of 3 for busy, not 5, 2 cycles after it was told"
    assert lost in err or "the negotiator refuses to be reconfigured by " in err
    assert f"{FILE} was put back" in err
    assert elastic.path.read_text() == text
    told = [
        (each.kind, each.what, each.result) for each in read_journal(elastic.journal).records[-4:]
    ]
    assert told == [
        (INTENT, APPLY, ""), (OUTCOME, "", WRITTEN), (INTENT, RESTORE, ""), (OUTCOME, "", VERIFIED),
    ]  # fmt: skip
    assert "DENIED" in elastic.pool.log("NegotiatorLog")


def test_after_some_writes_that_came_to_nothing_it_is_left_to_a_person(elastic: Elastic) -> None:
    elastic.declare(fixed(3, 5), max_failures="1")
    elastic.step()
    elastic.pool.configure(local(DEAF))
    elastic.pool.restart()
    elastic.pool.wait(lambda: elastic.published(), 30, "published groups", ("NegotiatorLog",))
    elastic.declare(fixed(5, 3), max_failures="1")
    assert "was put back" in elastic.htcq("run", "--once", "--yes")[2]
    records = len(read_journal(elastic.journal).records)

    status, _, err = elastic.htcq("run", "--once", "--yes")
    assert status == 3
    assert "the last 1 writes failed" in err
    assert len(read_journal(elastic.journal).records) == records
    elastic.pool.configure(local())
    elastic.pool.restart()
    elastic.pool.wait(lambda: elastic.published(), 30, "published groups", ("NegotiatorLog",))
    plan = elastic.htcq("plan")[1].splitlines()[-1].removeprefix("plan: ")
    assert elastic.htcq("apply", "--plan", plan)[0] == 0
    assert elastic.configured() == ("5", "3")


def test_fault_5_a_negotiator_stopped_just_after_the_write_verifies_nothing(
    elastic: Elastic,
) -> None:
    """What it published before still agrees with the quotas that are put back."""
    elastic.declare(fixed(3, 5))
    elastic.step()
    text = elastic.path.read_text()
    elastic.declare(fixed(5, 3), verify_within='"4s"')
    process = elastic.start("run", "--once", "--yes", "--timeout", "5")
    while elastic.state.unfinished is None:
        assert process.poll() is None
    with stopped(elastic, "negotiator"):
        _, err = process.communicate(timeout=600)
        assert (process.returncode, "was put back" in err) == (3, True), err
        assert elastic.path.read_text() == text
        assert elastic.published()["busy"] == (3.0, "no")
        outcomes = [each for each in read_journal(elastic.journal).records if each.kind == OUTCOME]
        assert [each.result for each in outcomes] == [VERIFIED, WRITTEN, WRITTEN]
        # The next step does not take that for verified either.
        assert elastic.htcq("run", "--once", "--yes", "--timeout", "5")[0] == 3
        assert elastic.path.read_text() == text
    elastic.declare(fixed(5, 3))
    assert "restore: the negotiator shows it now" in elastic.step()
    assert elastic.configured() == ("5", "3")
    assert elastic.published() == {"busy": (5.0, "no"), "quiet": (3.0, "no")}


def test_fault_5_a_negotiator_that_lost_the_file_is_told_again_before_that_is_an_error(
    elastic: Elastic,
) -> None:
    """Somebody's file stood in for a moment, and nobody has sent a reconfig since."""
    elastic.declare(fixed(3, 5))
    elastic.step()
    late = elastic.pool.config_dir / "99-late.config"
    late.write_text("GROUP_QUOTA_busy = 1\n")
    late.chmod(0o644)
    elastic.pool.tool("condor_reconfig", "-daemon", "negotiator")
    elastic.pool.wait(
        lambda: elastic.published().get("busy") == (1.0, "no"), 30, "theirs", ("NegotiatorLog",)
    )
    late.unlink()
    assert ": unchanged" in elastic.step()
    assert elastic.published()["busy"] == (3.0, "no")


def test_a_later_file_that_sets_a_knob_of_ours_is_told_and_nothing_more_is_written(
    elastic: Elastic,
) -> None:
    elastic.declare(fixed(3, 5))
    elastic.step()
    late = elastic.pool.config_dir / "99-late.config"
    late.write_text("GROUP_QUOTA_busy = 1\n")
    late.chmod(0o644)
    elastic.pool.tool("condor_reconfig", "-daemon", "negotiator")
    elastic.pool.wait(
        lambda: elastic.published().get("busy") == (1.0, "no"),
        30,
        "their quota",
        ("NegotiatorLog",),
    )

    assert "GROUP_QUOTA_busy is 1 in the negotiator, not 3" in refused(elastic)
    late.unlink()
    elastic.pool.tool("condor_reconfig", "-daemon", "negotiator")
    elastic.pool.wait(
        lambda: elastic.published().get("busy") == (3.0, "no"), 30, "our quota", ("NegotiatorLog",)
    )
    assert ": unchanged" in elastic.step()


def test_a_later_file_that_is_there_from_the_beginning_makes_the_first_write_come_to_nothing(
    elastic: Elastic,
) -> None:
    late = elastic.pool.config_dir / "99-late.config"
    late.write_text("GROUP_QUOTA_busy = 1\n")
    late.chmod(0o644)
    elastic.declare(fixed(3, 5))
    status, _, err = elastic.htcq("run", "--once", "--yes")

    assert status == 3
    assert "the negotiator has a quota of 1 for busy, not 3" in err
    assert not elastic.path.exists()


def test_a_file_that_somebody_changed_is_left_alone_until_disable_takes_it_over(
    elastic: Elastic,
) -> None:
    elastic.declare(fixed(3, 5))
    elastic.step()
    theirs = elastic.path.read_text() + "GROUP_QUOTA_busy = 2\n"
    elastic.path.write_text(theirs)

    assert f"{FILE} was changed by somebody else" in refused(elastic)
    assert elastic.htcq("disable")[0] == 0
    assert elastic.path.with_name(f"{FILE}~").read_text() == theirs
    assert elastic.configured() == ("3", "5")


def test_a_ceiling_that_somebody_set_is_told_and_left_alone(elastic: Elastic) -> None:
    elastic.declare(fixed(3, 5))
    pool = elastic.pool
    elastic.step()
    queued(pool, {"busy.ann": 9})
    come_to(pool, {"busy.ann": 3})
    pool.tool("condor_userprio", "-setceiling", "busy.ann@test", "2")
    elastic.declare(fixed(5, 3))

    def ceiling() -> str:
        ads = pool.ads(
            "any", ["Ceiling"], constraint='MyType == "Accounting" && Name == "busy.ann@test"'
        )
        return str(ads[0].get("Ceiling")) if ads else ""

    pool.wait(lambda: ceiling() == "2", 30, "a ceiling", ("NegotiatorLog",))
    status, out, err = elastic.htcq("plan")
    assert (status, err) == (0, "")
    assert "busy.ann@test has a ceiling of 2, which is left alone\n" in out
    assert "written" in elastic.step()
    before = elastic.cycles()
    pool.wait(lambda: elastic.cycles() > before + 1, 30, "two cycles", ("NegotiatorLog",))
    assert ceiling() == "2"
    pool.tool("condor_userprio", "-setceiling", "busy.ann@test", "-1")


def test_a_schedd_that_has_no_jobs_is_told_of_and_does_not_hold_the_writer(
    elastic: Elastic,
) -> None:
    """Neither its silence nor its clock: anybody who may advertise could freeze the quotas otherwise."""
    elastic.declare(fixed(3, 5))
    elastic.step()
    elastic.declare(fixed(5, 3))
    ad = (
        'MyType = "Scheduler"\nName = "late.test"\nMachine = "late.test"\n'
        'MyAddress = "<127.0.0.1:1>"\n'
        f'ScheddIpAddr = "<127.0.0.1:1>"\nMyCurrentTime = {int(time.time()) - 3600}\n'
    )
    elastic.pool.tool("condor_advertise", "UPDATE_SCHEDD_AD", "-", text=ad)
    try:
        names = ["Name"]
        elastic.pool.wait(
            lambda: len(elastic.pool.ads("schedd", names)) == 2,
            30,
            "the other schedd",
            ("CollectorLog",),
        )
        status, out, err = elastic.htcq("run", "--once", "--yes", "--timeout", "5")
        assert (status, "written" in out) == (0, True), err
        assert ": jobs of late.test: " in err
        assert re.search(r"the clock of late\.test is 36\d\d s behind the collector's", err), err
    finally:
        query = 'MyType = "Query"\nTargetType = "Scheduler"\nRequirements = Name == "late.test"\n'
        elastic.pool.tool("condor_advertise", "INVALIDATE_SCHEDD_ADS", "-", text=query)
    assert elastic.configured() == ("5", "3")


def test_two_instances_do_not_write_at_once(elastic: Elastic) -> None:
    elastic.declare(fixed(3, 5))
    elastic.step()
    elastic.declare(fixed(5, 3))
    text = elastic.path.read_text()
    with held(elastic.path.with_name(f".{FILE}.lock"), "other.example.org:/journal"):
        for action in (("run", "--once", "--yes"), ("rollback",), ("disable",)):
            status, out, err = elastic.htcq(*action)
            assert (status, out) == (3, "")
            assert err == (
                "htcq: another htcq is writing there: other.example.org:/journal (wait until it "
                "has ended)\n"
            )
    assert elastic.path.read_text() == text

    both = [elastic.start("run", "--once", "--yes") for _ in range(2)]
    ended = [(*process.communicate(timeout=600), process.returncode) for process in both]
    assert sorted(status for _, _, status in ended) in ([0, 0], [0, 3])
    assert all(status == 0 or "another htcq is writing there" in err for _, err, status in ended)
    writes = [each for each in read_journal(elastic.journal).records if each.kind == INTENT]
    assert len(writes) == 2
    assert elastic.configured() == ("5", "3")


def test_another_instance_with_a_journal_of_its_own_is_refused(
    elastic: Elastic, tmp_path: Path
) -> None:
    elastic.declare(fixed(3, 5))
    elastic.step()
    other = tmp_path / "other"
    status, _, err = elastic.htcq("run", "--once", "--yes", "--journal", str(other))

    assert status == 3
    assert f"{FILE} exists, but the journal has no record of it" in err
    assert [each.kind for each in read_journal(other).records] == [REFUSED]


def test_a_group_of_the_pool_that_nobody_declared_is_not_dropped(
    site: Site, tmp_path: Path
) -> None:
    elastic = elastic_pool(site, tmp_path)
    own = elastic.pool.config_dir / "50-htcq-theirs.config"
    own.write_text("GROUP_NAMES = busy, quiet, guests\nGROUP_QUOTA_guests = 1\n")
    own.chmod(0o644)
    elastic.pool.reconfig()
    elastic.pool.wait(lambda: "guests" in elastic.published(), 30, "the group", ("NegotiatorLog",))
    elastic.declare(fixed(3, 4))

    assert "the pool has a group guests that the quotas do not declare" in refused(elastic)


def test_mins_below_a_whole_slot_are_refused_where_no_policy_shares_it(
    site: Site, tmp_path: Path
) -> None:
    elastic = elastic_pool(site, tmp_path, CONSUMPTION_POLICY="False")
    elastic.declare(fixed(3, 5))

    told = refused(elastic)
    assert "the min of busy has a slot weight of 3, and one match charges the whole of" in told
    assert not elastic.path.exists()
