"""The quota writer on real pools: lending and taking back without killing anything, and the way back from it."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path

import pytest
from broken import UNHURRIED
from claims import claims, come_to, queued
from conftest import Site
from elastic_pool import BOTH_MAY_ALL, Elastic, elastic_pool, fixed
from testpool import Pool

pytestmark = pytest.mark.condor
#: Seconds that a short job takes, and for which a claim is used for more of them; a cycle takes one
#: or more.
SHORT, WORKLIFE = 3, 5
#: Cycles until a group that wakes up has its min: its quota shows after 2 at most; claims that the
#: other has by then are used on for WORKLIFE and end with the job after that; what they had is
#: offered and matched within 2 + 2 more. Where the machine is busy jobs end later, by many cycles.
MAX_CYCLES = 2 + WORKLIFE + SHORT + 4 + 40


@pytest.fixture
def elastic(site: Site, tmp_path: Path) -> Elastic:
    return elastic_pool(site, tmp_path)


def running(pool: Pool, submitter: str) -> int:
    """Return how many jobs of a submitter run, as its schedd knows."""
    ads = pool.ads("submitters", ["RunningJobs"], constraint=f'Name == "{submitter}"')
    return sum(int(ad["RunningJobs"]) for ad in ads)


def busy_all(elastic: Elastic) -> None:
    """Let one group have all of the pool and want one more; a look while claims turn over would count too little."""
    queued(elastic.pool, {"busy.ann": 9})
    come_to(elastic.pool, {"busy.ann": 8})


def wait_shown(elastic: Elastic, busy: float, quiet: float) -> None:
    def shown() -> bool:
        return {name: quota for name, (quota, _) in elastic.published().items()} == {
            "busy": busy,
            "quiet": quiet,
        }

    elastic.pool.wait(shown, 30, f"quotas of {busy} and {quiet}", ("NegotiatorLog",))


def test_an_idle_group_lends_everything_and_has_its_min_back_as_claims_end(
    site: Site, tmp_path: Path
) -> None:
    # In a shorter cycle the negotiator can forget a match whose claim it has not heard of, and give
    # quiet too much.
    elastic = elastic_pool(site, tmp_path, CLAIM_WORKLIFE=str(WORKLIFE), **UNHURRIED)
    elastic.declare(BOTH_MAY_ALL)
    pool = elastic.pool
    # The negotiator charges a claim to <none> for as long as it lasts if it did not know the group
    # of the claim when it began: busy's would be no usage of busy.
    elastic.step()
    queued(pool, {"busy.ann": 4}, priority=9)
    come_to(pool, {"busy.ann": 4})
    # However slow this machine is, some of them still wait in the end.
    queued(pool, {"busy.bob": 400}, arguments=SHORT)
    # The quotas are the mins: HTCondor lends busy what quiet does not ask for.
    elastic.step_while_claims_turn_over(4, 4)
    wait_shown(elastic, 4, 4)
    pool.wait(lambda: sum(claims(pool).values()) == 8, 30, "a full pool", ("NegotiatorLog",))
    assert elastic.state.in_force is not None

    queued_quiet = pool.submit(
        {"accounting_group": "quiet", "accounting_group_user": "cy", "request_memory": 128}, 12
    )
    assert queued_quiet
    pool.wait(
        lambda: any("quiet" in ad["Name"] for ad in pool.ads("submitters", ["Name"])),
        30,
        "quiet's demand",
    )
    least = Counter({"busy.ann": 8})
    elastic.step_while_claims_turn_over(4, 4)
    begun = elastic.cycles()

    def back() -> bool:
        now = claims(pool)
        least["busy.ann"] = min(least["busy.ann"], now["busy.ann"])
        return now["quiet.cy"] == 4

    pool.wait(back, 60, "quiet's min", ("NegotiatorLog",))
    took = elastic.cycles() - begun
    assert took <= MAX_CYCLES, f"{took} cycles"
    # Jobs that run for long are not killed, and nobody has fewer than its min of 4.
    assert least["busy.ann"] == 4
    wait_shown(elastic, 4, 4)
    come_to(pool, {"busy.ann": 4, "quiet.cy": 4})


def test_a_second_step_changes_nothing_and_counts_as_a_sign_of_life(elastic: Elastic) -> None:
    elastic.declare(fixed(3, 5))
    elastic.step()
    before = (elastic.path.read_bytes(), elastic.path.stat().st_mtime_ns)
    silent = elastic.state.success
    out = elastic.step()

    assert ": unchanged, as the plan " in out
    assert (elastic.path.read_bytes(), elastic.path.stat().st_mtime_ns) == before
    assert silent is not None
    assert (elastic.state.success or 0) > silent


def test_a_plan_is_applied_by_its_id_and_only_as_long_as_it_is_the_pools(elastic: Elastic) -> None:
    elastic.declare(fixed(3, 5))
    status, out, err = elastic.htcq("plan")
    assert (status, err) == (0, "")
    assert not elastic.path.exists()
    assert not elastic.journal.exists()
    plan = out.splitlines()[-1].removeprefix("plan: ")

    elastic.declare(fixed(2, 5))
    status, out, err = elastic.htcq("apply", "--plan", plan)
    assert (status, out) == (3, "")
    assert "the pool has another plan by now" in err
    elastic.declare(fixed(3, 5))
    status, out, err = elastic.htcq("apply", "--plan", plan)
    assert (status, err) == (0, "")
    assert elastic.configured() == ("3", "5")
    wait_shown(elastic, 3, 5)
    assert elastic.published()["busy"] == (3.0, "no")


def test_the_loop_writes_where_a_min_needs_it_and_ends_when_told(elastic: Elastic) -> None:
    third = "min = {cpus = 1}\nmax = {cpus = 8}\n"
    elastic.declare({"busy": third, "quiet": third, "other": third})
    assert ticks(elastic) == ["written,", "unchanged,", "unchanged,"]
    assert {policy for _, policy in elastic.published().values()} == {"byquota"}
    busy_all(elastic)
    # Whose turn comes first may not have more than its min before the third has its own.
    assert ticks(elastic) == ["written,", "unchanged,", "unchanged,"]
    assert elastic.published() == {
        "busy": (1.0, "byquota"),
        "quiet": (1.0, "byquota"),
        "other": (1.0, "no"),
    }
    pool = elastic.pool
    pool.submit(
        {"accounting_group": "quiet", "accounting_group_user": "cy", "request_memory": 128}, 12
    )
    pool.wait(
        lambda: any("quiet" in ad["Name"] for ad in pool.ads("submitters", ["Name"])),
        30,
        "quiet's demand",
    )
    assert ticks(elastic) == ["unchanged,"] * 3


def ticks(elastic: Elastic) -> list[str]:
    """Let the loop take three steps, and return what became of the file in each."""
    status, out, err = elastic.htcq("run", "--yes", "--interval", "1s", "--ticks", "3")
    assert (status, err) == (0, "")
    return [line.partition(": ")[2].split()[0] for line in out.splitlines()]


def test_a_step_without_yes_is_only_told(elastic: Elastic) -> None:
    elastic.declare(fixed(3, 5))
    status, out, err = elastic.htcq("run", "--once")

    assert (status, err) == (0, "")
    assert "would change by plan " in out
    assert not elastic.path.exists()
    assert not elastic.journal.exists()


def test_rollback_restores_what_was_there_before_and_a_second_one_changes_nothing(
    elastic: Elastic,
) -> None:
    elastic.declare(fixed(3, 5))
    elastic.step()
    first = elastic.path.read_text()
    elastic.declare(fixed(5, 3))
    elastic.step()
    wait_shown(elastic, 5, 3)

    status, out, err = elastic.htcq("rollback")
    assert (status, err) == (0, "")
    assert ": is what it was before; apply of plan " in out
    assert elastic.path.read_text() == first
    wait_shown(elastic, 3, 5)
    again = elastic.htcq("rollback")
    assert again[0] == 0
    assert "unchanged; the last write was rolled back already" in again[1]
    assert "left alone: stopped by rollback by " in elastic.stopped_step()
    assert elastic.path.read_text() == first


def test_rollback_of_the_first_write_leaves_no_file(elastic: Elastic) -> None:
    elastic.declare(fixed(3, 5))
    elastic.step()
    status, out, _ = elastic.htcq("rollback")

    assert status == 0
    assert "removed, as there was none before" in out
    assert not elastic.path.exists()


def test_disable_puts_static_quotas_there_until_somebody_applies_again(elastic: Elastic) -> None:
    elastic.declare(BOTH_MAY_ALL)
    busy_all(elastic)
    elastic.step()
    wait_shown(elastic, 4, 4)
    status, out, err = elastic.htcq("disable")

    assert (status, err) == (0, "")
    assert "the static quotas are there, and the negotiator shows them" in out
    assert elastic.published() == {"busy": (4.0, "byquota"), "quiet": (4.0, "byquota")}
    text = elastic.path.read_text()
    assert "unchanged" in elastic.htcq("disable")[1]
    assert "left alone: stopped by disable by " in elastic.stopped_step()
    assert elastic.path.read_text() == text
    plan = elastic.htcq("plan")[1].splitlines()[-1].removeprefix("plan: ")
    assert elastic.htcq("apply", "--plan", plan)[0] == 0
    wait_shown(elastic, 4, 4)
    assert ": unchanged" in elastic.step()


def test_the_dead_man_acts_after_silence_and_the_next_step_begins_again(elastic: Elastic) -> None:
    elastic.declare(BOTH_MAY_ALL)
    busy_all(elastic)
    elastic.step()
    text = elastic.path.read_text()
    success = elastic.state.success or 0
    status, out, _ = elastic.htcq("disable", "--if-silent", "30min")
    assert (status, elastic.path.read_text()) == (0, text)
    assert "left alone; something succeeded" in out

    # A refused look is no sign of life.
    refused = elastic.htcq(
        "run", "--once", "--yes", "--name", "nobody.example.org", "--timeout", "10"
    )
    assert refused[0] == 3
    elastic.pool.wait(lambda: time.time() > success + 2, 10, "two seconds of silence")
    status, out, err = elastic.htcq("disable", "--if-silent", "2s")
    assert (status, err) == (0, "")
    assert "the static quotas are there" in out
    wait_shown(elastic, 4, 4)
    assert "nothing there needs to be kept" in elastic.htcq("disable", "--if-silent", "2s")[1]
    # A purge takes the groups away.
    elastic.path.unlink()
    assert "the static quotas are there" in elastic.htcq("disable", "--if-silent", "2s")[1]
    wait_shown(elastic, 4, 4)
    assert "written, and the negotiator shows" in elastic.step()
    wait_shown(elastic, 4, 4)
