"""What an operator would try on a real pool whose quotas are kept elastic: daemons, clocks, disks and pools that fail.

Whatever happens, a step and a reclaim change nothing, and go on as soon as it is over."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from broken import SMALL_JOB, UNHURRIED, before
from claims import come_to, queued
from conftest import NEWEST, PACE, ROOT, Site
from elastic_pool import FILE, NO_PREEMPTION, Elastic, elastic_policy, elastic_pool
from fleet import Fleet, Machine, fleet_pool
from pool_config import settings_text
from reclaiming import LIMITS, Reclaim, ceilings, vacated
from test_elastic_life import GROUPS, lent
from test_elastic_refusals import stopped

from htcq.elastic.journal import NOTHING, OUTCOME
from htcq.store.elastic_journal import read_journal

pytestmark = pytest.mark.condor
ONLY_SUITES = [NEWEST]
#: Seconds for a question to a daemon that hangs.
PATIENCE = ("--timeout", "8")
PAGE = 4096
#: The exit status where the file, or its lock, cannot be written.
DISK = (2, 3)
#: The clock of this machine an hour ahead of the pool's, and an hour behind.
AHEAD, BEHIND = ("faketime", "-f", "+1h"), ("faketime", "-f", "-1h")


def tried(elastic: Elastic, reclaim: Reclaim, prefix: Sequence[str] = ()) -> str:
    """Take a step and reclaim: neither may do anything; return what both say."""
    before = elastic.path.read_bytes()
    quotas = ("--quotas", str(elastic.directory / "quotas.toml"), "--pool", elastic.pool.collector)
    said = ""
    for words in (
        ("run", "--once", "--yes"),
        ("reclaim", "apply", "--journal", str(reclaim.journal)),
    ):
        done = subprocess.run(
            [*prefix, sys.executable, "-m", "htcq", "elastic", *words, *quotas, *PATIENCE],
            capture_output=True, text=True, cwd=ROOT, env=reclaim.environment(), check=False,
        )  # fmt: skip
        assert done.returncode == 3, f"{words}: {done.stdout}{done.stderr}"
        said += done.stderr
    assert elastic.path.read_bytes() == before
    assert reclaim.records("reclaim-intent") == []
    return said


def test_daemons_that_hang_and_clocks_that_are_wrong_change_nothing(
    site: Site, tmp_path: Path
) -> None:
    elastic, reclaim = lent(site, tmp_path)
    with stopped(elastic, "negotiator"):
        assert "node.test does not answer" in tried(elastic, reclaim)
    with stopped(elastic, "collector"):
        assert "cannot be queried" in tried(elastic, reclaim)
    assert "an ad of the schedd node.test is 36" in tried(elastic, reclaim, AHEAD)
    assert "s in the future of this machine" in tried(elastic, reclaim, BEHIND)
    assert ceilings(elastic.pool) == {}
    assert vacated(elastic.pool) == set()

    # It is over: both act at once.
    elastic.step()
    reclaim.run("apply")
    come_to(elastic.pool, {"borrower.bob": 4, "lender.ann": 4})
    reclaim.run("release")


@contextmanager
def mounted(place: Path, *words: str) -> Iterator[None]:
    """Mount something at ``place``; the daemons, in a namespace of their own, go on with what was there."""
    subprocess.run(["mount", *words, str(place)], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", str(place)], check=True)


@contextmanager
def full(place: Path) -> Iterator[None]:
    """Put a file system without room in the place of a directory, with the same files."""
    kept = {each.name: each.read_bytes() for each in place.iterdir() if each.is_file()}
    with mounted(place, "-t", "tmpfs", "-o", "size=64k,mode=755", "tmpfs"):
        for name, content in kept.items():
            (place / name).write_bytes(content)
            if name == "journal":
                # The last page of a file has room on a full disk, too: empty lines fill it.
                (place / name).write_bytes(content + b"\n" * (-len(content) % PAGE))
        with (place / "filler").open("wb", buffering=0) as filler:
            try:
                while True:
                    filler.write(bytes(512))
            except OSError:
                pass
        yield


@contextmanager
def read_only(place: Path) -> Iterator[None]:
    """Let a directory be on a read-only file system."""
    with mounted(place, "--bind", "-o", "ro", str(place)):
        yield


def test_disks_that_are_full_or_read_only_change_nothing(site: Site, tmp_path: Path) -> None:
    elastic = elastic_pool(site, tmp_path, **UNHURRIED)
    place = tmp_path / "journals"
    place.mkdir()
    journal = {"journal": f'"{place}/journal"'}
    elastic.declare({"busy": "min = {cpus = 3}\nmax = {cpus = 8}\n"}, **journal)
    elastic.step()
    before, lines = elastic.path.read_bytes(), (place / "journal").read_bytes()
    elastic.declare({"busy": "min = {cpus = 3}\nmax = {cpus = 5}\n"}, **journal)

    for broken, told in ((full, "No space left on device"), (read_only, "Read-only file system")):
        with broken(place):
            status, _, err = elastic.htcq("run", "--once", "--yes")
            assert (status, told in err) == (3, True), err
        assert (place / "journal").read_bytes() == lines, "nothing is done that is in no journal"
        with broken(elastic.pool.config_dir):
            status, _, err = elastic.htcq("run", "--once", "--yes")
            assert (status in DISK, told in err) == (True, True), err
            assert elastic.path.read_bytes() == before
        lines = (place / "journal").read_bytes()
    outcomes = [each for each in read_journal(place / "journal").records if each.kind == OUTCOME]
    assert {each.result for each in outcomes[1:]} <= {NOTHING}
    assert elastic.path.read_bytes() == before
    left = {each.name for each in elastic.pool.config_dir.glob("*60-htcq*")}
    assert left <= {FILE, f"{FILE}~", f".{FILE}.lock"}

    elastic.step()
    assert {name: quota for name, (quota, _) in elastic.published().items()} == {"busy": 5.0}


def resized(elastic: Elastic, cpus: int) -> None:
    """Let the pool have another size, and wait until all of it is there."""
    pool = elastic.pool
    knobs = {**elastic_policy(**UNHURRIED), "NUM_CPUS": str(cpus), "NUM_CLAIMS": str(cpus)}
    pool.configure(PACE + "".join(f"{name} = {text}\n" for name, text in knobs.items()))
    pool.restart()
    pool.wait(
        lambda: sum(ad["TotalSlotCpus"] for ad in pool.ads("slots", ["TotalSlotCpus"])) == cpus,
        60, f"{cpus} cpus", ("StartLog",),
    )  # fmt: skip
    pool.wait(lambda: elastic.published(), 60, "published groups", ("NegotiatorLog",))


def test_a_pool_that_shrinks_to_a_third_and_grows_to_six_times_that(
    site: Site, tmp_path: Path
) -> None:
    elastic = elastic_pool(site, tmp_path, **UNHURRIED, NUM_CPUS="24", NUM_CLAIMS="24")
    both = "min = {cpus = 12}\nmax = {cpus = 40}\n"
    elastic.declare({"busy": both, "quiet": both})
    (tmp_path / "quotas.toml").write_text((tmp_path / "elastic.toml").read_text())
    elastic.step()
    assert elastic.configured() == ("12", "12")

    resized(elastic, 8)
    said = tried(elastic, Reclaim(elastic.pool, tmp_path))
    assert said.count("the pool weighs 8, 20% or more below the 24 seen before") == 2
    # The negotiator scales quotas that are above the pool: both have half of it, whoever comes.
    elastic.step("--accept-loss")
    with before(elastic.pool):
        queued(elastic.pool, {"busy.ann": 9, "quiet.cy": 9})
    come_to(elastic.pool, {"busy.ann": 4, "quiet.cy": 4})
    elastic.step()

    elastic.pool.remove_jobs()
    resized(elastic, 48)
    said = tried(elastic, Reclaim(elastic.pool, tmp_path))
    assert said.count("the pool weighs 48, more than the 10 to which one of 8 may grow") == 2
    elastic.step("--accept-loss")
    assert elastic.configured() == ("12", "12")
    with before(elastic.pool):
        queued(elastic.pool, {"busy.ann": 50, "quiet.cy": 12})
    come_to(elastic.pool, {"busy.ann": 36, "quiet.cy": 12})


def test_quotas_that_are_broken_while_the_writer_runs(site: Site, tmp_path: Path) -> None:
    """The writer goes on with the quotas in force, and takes the file up again when it is mended."""
    elastic = elastic_pool(site, tmp_path, **UNHURRIED)
    elastic.declare({"busy": "min = {cpus = 3}\nmax = {cpus = 8}\n"})
    declared = elastic.directory / "elastic.toml"
    with (tmp_path / "said").open("w") as log:
        writer = elastic.start("run", "--yes", "--interval", "1s", log=log)
        try:
            elastic.pool.wait(lambda: elastic.state.result == "verified", 60, "the first write")
            text, good = elastic.path.read_text(), declared.read_text()
            declared.write_text(f"{good}[groups.busy\n")
            said = tmp_path / "said"
            elastic.pool.wait(lambda: "elastic.toml" in said.read_text(), 30, "a complaint")
            assert writer.poll() is None
            assert elastic.path.read_text() == text
            declared.write_text(good.replace("cpus = 8", "cpus = 5"))
            elastic.pool.wait(
                lambda: elastic.published().get("busy") == (5.0, "no"), 60, "the mended quotas"
            )
        finally:
            writer.terminate()
            writer.wait()


def test_one_of_two_access_points_hangs(tmp_path: Path) -> None:
    """It holds two claims of eight: too much for the usual min_seen, and not for 0.7."""
    with fleet_pool(NEWEST, {"node": Machine(8, 16384)}, ("ap1", "ap2")) as fleet:
        fleet.put("node", "50-policy.config", settings_text(elastic_policy()))
        # A schedd that hangs keeps the negotiator for so many seconds.
        fleet.put(
            "central",
            "50-timeout.config",
            "NEGOTIATOR_TIMEOUT = 2\n" + settings_text(NO_PREEMPTION),
        )
        fleet.start()
        elastic, reclaim = Elastic(fleet.pool, tmp_path), Reclaim(fleet.pool, tmp_path)
        declare(elastic)
        elastic.step()
        for access_point, user, count in (("ap1", "bob", 6), ("ap2", "ben", 2)):
            submitted(fleet, access_point, "borrower", user, count)
        come_to(fleet.pool, {"borrower.bob": 6, "borrower.ben": 2})
        submitted(fleet, "ap1", "lender", "ann", 4)
        fleet.demand("lender.ann", 4)
        elastic.step()

        os.kill(fleet.pid("ap2"), signal.SIGSTOP)
        try:
            assert "schedds in doubt hold 2 of the pool's weight of 8" in tried(elastic, reclaim)
            declare(elastic, min_seen="0.7")
            status, _, err = elastic.htcq("run", "--once", "--yes", *PATIENCE)
            assert (status, ": jobs of ap2.test: " in err) == (0, True), err
            done = reclaim.json("apply", *PATIENCE)["done"]
        finally:
            os.kill(fleet.pid("ap2"), signal.SIGCONT)
        assert [each["schedd"] for each in done["vacated"]] == ["ap1.test"] * 4
        assert done["failed"] == []
        come_to(fleet.pool, {"borrower.bob": 2, "borrower.ben": 2, "lender.ann": 4})
        reclaim.run("release")


def declare(elastic: Elastic, **settings: str) -> None:
    """Declare a borrower and a lender of half the pool each, and reclaim without waiting."""
    elastic.declare({name: GROUPS[name] for name in ("borrower", "lender")}, **settings)
    limits = "".join(f"{key} = {value}\n" for key, value in LIMITS.items())
    text = (elastic.directory / "elastic.toml").read_text()
    (elastic.directory / "quotas.toml").write_text(f"{text}[elastic.reclaim]\n{limits}")


def submitted(fleet: Fleet, access_point: str, group: str, user: str, count: int) -> None:
    """Submit small jobs of a group at an access point."""
    who = {"accounting_group": group, "accounting_group_user": user}
    fleet.submit({**SMALL_JOB, **who}, count, access_point)
