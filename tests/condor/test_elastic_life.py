"""The life of elastic quotas on real pools: on, off and back, and groups that come and go."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from broken import SMALL_JOB, UNHURRIED, break_it
from claims import claims, come_to, queued
from conftest import NEWEST, ROOT, Site
from elastic_pool import Elastic, elastic_policy, elastic_pool
from reclaiming import KNOBS, LIMITS, Reclaim, ceilings
from testpool import Pool

pytestmark = pytest.mark.condor
ONLY_SUITES = [NEWEST]
GROUPS = {
    "borrower": "min = {cpus = 4}\nmax = {cpus = 8}\n",
    "lender": "min = {cpus = 4}\nmax = {cpus = 8}\n",
    "other": "max = {cpus = 8}\n",
}
#: What differs from one process to the next.
_OF_THE_PROCESS = ("PID", "PPID", "CONFIG_FILE_MACRO")


def dump(pool: Pool) -> list[str]:
    """Return the configuration that HTCondor's own tool reads."""
    lines = pool.tool("condor_config_val", "-dump").splitlines()
    return [line for line in lines if line.partition(" ")[0] not in _OF_THE_PROCESS]


def lent(site: Site, directory: Path, **limits: object) -> tuple[Elastic, Reclaim]:
    """Let a borrower fill the pool under elastic quotas, and a lender want its min back.

    The pool had group quotas of its own before.
    """
    own = {name: text for name, text in KNOBS.items() if name.startswith("GROUP_")}
    others = {name: text for name, text in KNOBS.items() if name not in own}
    pool = break_it(site, elastic_policy(**others))
    theirs = pool.config_dir / "50-htcq-theirs.config"
    theirs.write_text("".join(f"{name} = {text}\n" for name, text in own.items()))
    theirs.chmod(0o644)
    pool.reconfig()
    for who in ceilings(pool):
        pool.tool("condor_userprio", "-setceiling", who, "-1")
    elastic, reclaim = Elastic(pool, directory), Reclaim(pool, directory)
    elastic.declare(GROUPS)
    queued(pool, {"borrower.bob": 12})
    come_to(pool, {"borrower.bob": 8})
    (directory / "before").write_text("\n".join(dump(pool)))
    elastic.step()
    queued(pool, {"lender.ann": 6})
    elastic.step()
    table = "".join(f"{key} = {value}\n" for key, value in {**LIMITS, **limits}.items())
    declared = (directory / "elastic.toml").read_text()
    (directory / "quotas.toml").write_text(f"{declared}[elastic.reclaim]\n{table}")
    return elastic, reclaim


def switched(elastic: Elastic, reclaim: Reclaim, action: str, *more: str) -> str:
    """Run ``htcq elastic off`` or ``on``, which must succeed, and return what it says."""
    words = ["--journal", str(elastic.journal), "--within", "90", *more]
    if action == "off":
        words += ["--reclaim-journal", str(reclaim.journal)]
    done = subprocess.run(
        [sys.executable, "-m", "htcq", "elastic", action, *words],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=reclaim.environment(),
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_fault_7_off_gives_back_the_configuration_and_leaves_no_ceilings(
    site: Site, tmp_path: Path
) -> None:
    elastic, reclaim = lent(site, tmp_path)
    pool = elastic.pool
    assert "the negotiator" not in reclaim.run("apply")
    come_to(pool, {"borrower.bob": 4, "lender.ann": 4})
    assert ceilings(pool) == {"borrower.bob@test": 4}
    assert "\n".join(dump(pool)) != (tmp_path / "before").read_text()

    out = switched(elastic, reclaim, "off", "--restore")
    assert "is removed, as there was none before the first write" in out
    assert "the ceiling of borrower.bob@test is taken away" in out
    assert ceilings(pool) == {}
    assert "\n".join(dump(pool)) == (tmp_path / "before").read_text()
    assert elastic.published()["other"] == (0.0, "byquota"), "the pool's own quotas are in force"

    # Nothing acts any more, and the dead man's switch has nothing to keep.
    assert "left alone: stopped by off by " in elastic.stopped_step()
    assert "nothing there needs to be kept" in elastic.htcq("disable", "--if-silent", "0s")[1] or (
        "nothing is there that needs to be kept" in elastic.htcq("disable", "--if-silent", "0s")[1]
    )
    queued(pool, {"borrower.bob": 4})
    refused = reclaim.start("apply")
    assert "elastic quotas are off: stopped by off by " in refused.communicate(timeout=600)[1]

    assert "on again" in switched(elastic, reclaim, "on")
    assert "written, and the negotiator shows" in elastic.step()


def test_fault_2_off_stops_a_reclaim_between_its_batches(site: Site, tmp_path: Path) -> None:
    elastic, reclaim = lent(site, tmp_path, batch=1)
    process = reclaim.start("apply")
    # One batch follows the other at once: this moment is looked for without a pause.
    while not reclaim.records("reclaim-outcome"):
        assert process.poll() is None
    os.kill(process.pid, signal.SIGSTOP)
    status, _, err = elastic.htcq("disable")
    os.kill(process.pid, signal.SIGCONT)
    out, _ = process.communicate(timeout=600)

    assert status == 0, err
    assert process.returncode == 1, "not all was done"
    assert "elastic quotas are off: stopped by disable by " in out
    outcomes = reclaim.records("reclaim-outcome")
    done = sum(len(outcome["done"]) for outcome in outcomes)
    assert 1 <= done < 4


def test_a_reclaim_waits_for_a_write_that_is_under_way(site: Site, tmp_path: Path) -> None:
    """A reclaim is due every minute, and the negotiator shows a write only after a cycle."""
    elastic, reclaim = lent(site, tmp_path)
    mins = {"borrower": 3, "lender": 5, "other": 0}
    elastic.declare(
        {name: f"min = {{cpus = {least}}}\nmax = {{cpus = 8}}\n" for name, least in mins.items()}
    )
    written = (tmp_path / "elastic.toml").read_text()
    table = (tmp_path / "quotas.toml").read_text().partition("[elastic.reclaim]")[2]
    (tmp_path / "quotas.toml").write_text(f"{written}[elastic.reclaim]{table}")
    writer = elastic.start("run", "--once", "--yes")
    # Both read the pool at the same time, and the write begins meanwhile.
    reclaim.run("apply")

    assert writer.communicate(timeout=600)[1] == ""
    assert len(reclaim.records("reclaim-outcome")) == 1
    come_to(elastic.pool, {"borrower.bob": 3, "lender.ann": 5})


def test_freed_slots_that_another_group_in_need_takes_were_of_use(
    site: Site, tmp_path: Path
) -> None:
    """A.two comes first by name, but nothing below A can start until A is within its quota."""
    pool = break_it(site, elastic_policy(CLAIM_WORKLIFE="1200"))
    for who in ceilings(pool):
        pool.tool("condor_userprio", "-setceiling", who, "-1")
    elastic, reclaim = Elastic(pool, tmp_path), Reclaim(pool, tmp_path)
    half, all_of_it = "min = {{cpus = {}}}\n", "max = {cpus = 8}\n"
    elastic.declare(
        {
            "A": half.format(4) + all_of_it,
            '"A.one"': half.format(2) + all_of_it,
            '"A.two"': half.format(2) + all_of_it,
            "C": half.format(4) + all_of_it,
        }
    )
    elastic.step()
    queued(pool, {"A.one.ann": 8})
    come_to(pool, {"A.one.ann": 8})
    queued(pool, {"A.two.abe": 4, "C.cy": 6})
    elastic.step()
    # One job at a time. A cycle gives each freed slot to another job: some seconds, not none.
    limits = {**LIMITS, "pool_percent": 1, "settle_time": '"40s"'}
    table = "".join(f"{key} = {value}\n" for key, value in limits.items())
    declared = (tmp_path / "elastic.toml").read_text()
    (tmp_path / "quotas.toml").write_text(f"{declared}[elastic.reclaim]\n{table}")

    def shared() -> bool:
        reclaim.run("apply")
        return claims(pool) == {"A.one.ann": 2, "A.two.abe": 2, "C.cy": 4}

    pool.wait(shared, 240, "the mins of A.two and C", ("NegotiatorLog",))
    assert reclaim.records("reclaim-stopped") == []
    assert (
        len({job for each in reclaim.records("reclaim-intent") for job in map(str, each["jobs"])})
        == 6
    )
    reclaim.run("release")


def test_fault_4_a_group_is_renamed_and_retired_while_its_jobs_run(
    site: Site, tmp_path: Path
) -> None:
    elastic = elastic_pool(site, tmp_path, **UNHURRIED)
    pool = elastic.pool
    both = "min = {cpus = 4}\nmax = {cpus = 8}\n"
    elastic.declare({"old": both, "quiet": both})
    elastic.step()
    queued(pool, {"old.ann": 4})
    come_to(pool, {"old.ann": 4})

    # Deleted at once, its running jobs would be in no group.
    elastic.declare({"new": both, "quiet": both})
    status, _, err = elastic.htcq("run", "--once", "--yes")
    assert status == 3
    assert "the pool has a group old that the quotas do not declare" in err
    elastic.declare({"old": "max = {cpus = 0}\n", "new": both, "quiet": both})
    elastic.step()
    quotas = {name: quota for name, (quota, _) in elastic.published().items()}
    assert quotas["old"] == 0.0
    assert quotas["new"] >= 4.0
    queued(pool, {"old.ann": 1, "new.ann": 4})
    come_to(pool, {"old.ann": 4, "new.ann": 4})

    pool.tool("condor_rm", "-constraint", 'AcctGroup == "old"')
    pool.wait(lambda: claims(pool) == {"new.ann": 4}, 60, "the end of old's jobs", ("SchedLog",))
    elastic.declare({"new": both, "quiet": both})

    def gone() -> bool:
        return not any(
            ad["Name"].startswith("old.") and ad.get("IdleJobs", 0) + ad.get("RunningJobs", 0)
            for ad in pool.ads("submitters")
        )

    pool.wait(gone, 60, "an end of old's submitter", ("SchedLog",))
    assert "written, and the negotiator shows" in elastic.step()
    assert pool.tool("condor_config_val", "GROUP_NAMES").split() == ["new,", "quiet"]
    assert claims(pool) == {"new.ann": 4}


def guests(elastic: Elastic) -> None:
    """Declare a lender and a catch-all group."""
    elastic.declare(
        {
            "guests": 'max = {cpus = 2}\nusers = ["*"]\n',
            "lender": "min = {cpus = 4}\nmax = {cpus = 8}\n",
        }
    )


def come_to_with_steps(elastic: Elastic, expected: dict[str, int]) -> None:
    """Take steps, as a timer does, until there are these claims."""

    def there() -> bool:
        elastic.step()
        return claims(elastic.pool) == expected

    elastic.pool.wait(there, 60, f"claims {expected}", ("NegotiatorLog",))


def test_fault_8_jobs_of_no_declared_group_are_victims_too(site: Site, tmp_path: Path) -> None:
    """They fill the pool, since the negotiator charges them to no group."""
    pool = break_it(site, elastic_policy(CLAIM_WORKLIFE="1200"))
    for who in ceilings(pool):
        pool.tool("condor_userprio", "-setceiling", who, "-1")
    elastic, reclaim = Elastic(pool, tmp_path), Reclaim(pool, tmp_path)
    guests(elastic)
    elastic.step()
    queued(pool, {"bob": 12})
    come_to(pool, {"bob": 8})
    queued(pool, {"lender.ann": 6})
    elastic.step()
    table = "".join(f"{key} = {value}\n" for key, value in LIMITS.items())
    declared = (tmp_path / "elastic.toml").read_text()
    (tmp_path / "quotas.toml").write_text(f"{declared}[elastic.reclaim]\n{table}")

    done = reclaim.json("apply")
    assert [each["group"] for each in done["victims"]] == ["guests"] * 6
    # The negotiator keeps surplus for the jobs of no group as well; the next step gives it away.
    pool.wait(lambda: claims(pool)["lender.ann"] >= 4, 60, "the lender's min", ("NegotiatorLog",))
    come_to_with_steps(elastic, {"bob": 2, "lender.ann": 6})
    assert ceilings(pool) == {"bob@test": 2}
    reclaim.run("release")


def test_fault_8_access_points_that_name_the_group_hold_it_to_its_max(
    site: Site, tmp_path: Path
) -> None:
    """The transform of the manual."""
    pool = break_it(site, elastic_policy(CLAIM_WORKLIFE="1200"))
    page = (ROOT / "docs/manual/htcq-elastic.1.md").read_text()
    transform = page[page.index("JOB_TRANSFORM_NAMES = ") :]
    file = pool.config_dir / "50-htcq-guests.config"
    file.write_text(f"{transform[: transform.index('```')]}")
    file.chmod(0o644)
    pool.reconfig()
    elastic = Elastic(pool, tmp_path)
    guests(elastic)
    elastic.step()
    pool.submit({**SMALL_JOB, "accounting_group_user": "bob"}, 9)
    come_to(pool, {"guests.bob": 2})
    queued(pool, {"lender.ann": 6})
    come_to(pool, {"guests.bob": 2, "lender.ann": 6})
    elastic.step()
    assert claims(pool) == {"guests.bob": 2, "lender.ann": 6}
