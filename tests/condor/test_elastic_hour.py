"""Elastic quotas at the pace of the defaults of HTCondor and htcq, on a real pool of 24 cpus with nested groups.

Runs with ``--elastic-hours N``, for each of N hours, and writes what was seen into looks.txt: a
writer that runs all the time, and a reclaim every minute."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from broken import break_it
from claims import queued
from conftest import NEWEST, Site
from elastic_pool import NO_PREEMPTION, Elastic
from reclaiming import Reclaim, ceilings
from testpool import Pool, PoolError

from htcq.elastic.journal import INTENT
from htcq.store.elastic_journal import read_journal

pytestmark = pytest.mark.condor
ONLY_SUITES = [NEWEST]
ONLY_WITH = "--elastic-hours"
#: The defaults of HTCondor, which pools of tests do not have, and six machines of 4 cpus.
PACE = {
    "NEGOTIATOR_INTERVAL": "60",
    "NEGOTIATOR_CYCLE_DELAY": "20",
    "NEGOTIATOR_MIN_INTERVAL": "5",
    "NEGOTIATOR_UPDATE_INTERVAL": "300",
    "SCHEDD_INTERVAL": "300",
    "SCHEDD_MIN_INTERVAL": "5",
    "UPDATE_INTERVAL": "300",
    "CLAIM_WORKLIFE": "1200",
    "NUM_CPUS": "24",
    "MEMORY": str(24 * 2048),
    "NUM_SLOTS_TYPE_1": "6",
    "SLOT_TYPE_1": "cpus=4,memory=8192,disk=16%",
}
MINS = {"A": 8, "A.a1": 4, "A.a2": 4, "B": 10, "B.b1": 5, "B.b2": 5, "C": 6}
CPUS = 24
GROUPS = {
    "A": "min = {cpus = 8}\nmax = {cpus = 16}\n",
    '"A.a1"': "min = {cpus = 4}\nmax = {cpus = 16}\n",
    '"A.a2"': "min = {cpus = 4}\nmax = {cpus = 16}\n",
    "B": "min = {cpus = 10}\nmax = {cpus = 20}\n",
    '"B.b1"': "min = {cpus = 5}\nmax = {cpus = 20}\n",
    '"B.b2"': "min = {cpus = 5}\nmax = {cpus = 20}\n",
    "C": "min = {cpus = 6}\nmax = {cpus = 24}\n",
}
#: Seconds between two reclaims, as the timer has it, between two steps of the writer, between two
#: looks, and of flipping demand.
TIMER, STEP, PAUSE, HOUR = 60, 300, 5, 3600
#: Cycles in which what is free is matched, besides the one that may be under way.
CYCLES = 2
#: Seconds in which what was lent is back: a look, two cycles of need, and two batches of jobs, each
#: of which is matched before the next. Borrowed jobs are not vacated before they have run so long.
BACK, RUN = 600, 600


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "hour" in metafunc.fixturenames:
        metafunc.parametrize("hour", range(metafunc.config.getoption("--elastic-hours")))


@dataclass(frozen=True)
class Look:
    """Claims and idle jobs of each group and those below it, and how many cycles had ended."""

    seconds: float
    cycles: int
    claims: Mapping[str, int]
    idle: Mapping[str, int]

    def taken(self) -> int:
        """Return how many cpus are claimed."""
        return sum(count for name, count in self.claims.items() if "." not in name)

    def below(self) -> set[str]:
        """Return the groups that have idle jobs and fewer claims than their min."""
        return {
            name
            for name, least in MINS.items()
            if self.idle.get(name, 0) and self.claims.get(name, 0) < least
        }


@dataclass
class Kept:
    """A pool whose quotas are kept elastic, and what was seen of it."""

    elastic: Elastic
    reclaim: Reclaim
    looks: list[Look] = field(default_factory=list)
    began: float = field(default_factory=time.time)

    @property
    def pool(self) -> Pool:
        return self.elastic.pool

    def look(self) -> Look:
        """Look at the pool and remember it."""
        cycles = self.elastic.cycles()
        slots = self.pool.ads("slots", ["AccountingGroup"], constraint='State == "Claimed"')
        jobs = self.pool.ads("jobs", ["AcctGroup"], constraint="JobStatus == 1")
        claims = by_group(str(ad["AccountingGroup"]).rpartition(".")[0] for ad in slots)
        idle = by_group(str(ad["AcctGroup"]) for ad in jobs)
        found = Look(time.time() - self.began, cycles, claims, idle)
        self.looks.append(found)
        return found

    def until(
        self, wanted: Mapping[str, int], seconds: float, since: Look | None = None
    ) -> tuple[int, float]:
        """Look until the groups have so many claims; return the cycles and the seconds of that.

        They count from now, or from ``since``.
        """
        found = self.look()
        since = since or found
        while any(found.claims.get(name, 0) < count for name, count in wanted.items()):
            if found.seconds - since.seconds > seconds:
                raise PoolError(f"{found} after {seconds} s, not {wanted}")
            time.sleep(PAUSE)
            found = self.look()
        return found.cycles - since.cycles, found.seconds - since.seconds

    def writes(self) -> int:
        """Return how often quotas were written."""
        records = read_journal(self.elastic.journal).records
        return sum(each.kind == INTENT for each in records)

    def vacated(self) -> Counter[str]:
        """Return how often each job was vacated."""
        outcomes = self.reclaim.records("reclaim-outcome")
        return Counter(str(job["job"]) for outcome in outcomes for job in outcome["done"])

    def waits(self) -> list[tuple[int, float]]:
        """Return, for each batch of vacated jobs, after how many cycles and seconds no slot was free."""
        found = []
        for event in self.reclaim.events("reclaim-outcome"):
            at = float(event["time"]) - self.began
            before = [look for look in self.looks if look.seconds < at][-1]
            full = next(
                look for look in self.looks if look.seconds > at + PAUSE and look.taken() == CPUS
            )
            found.append((full.cycles - before.cycles, full.seconds - at))
        return found

    def told(self, place: Path, *more: str) -> None:
        """Write down what was seen."""
        lines = [
            f"{look.seconds:7.0f} s, cycle {look.cycles}: "
            + ", ".join(
                f"{name} {look.claims.get(name, 0)} (+{look.idle.get(name, 0)})" for name in MINS
            )
            for look in self.looks
        ]
        place.write_text("\n".join((*lines, *more)) + "\n")


def by_group(names: Iterable[str]) -> Counter[str]:
    """Count groups, each with those above it."""
    found = Counter[str]()
    for name in names:
        place = name
        while place:
            found[place] += 1
            place = place.rpartition(".")[0]
    return found


@contextmanager
def kept(site: Site, directory: Path) -> Iterator[Kept]:
    """Start a pool, the writer, and the timer of reclaim."""
    pool = break_it(site, {**PACE, **NO_PREEMPTION})
    for who in ceilings(pool):
        pool.tool("condor_userprio", "-setceiling", who, "-1")
    elastic = Elastic(pool, directory, {})
    elastic.declare(GROUPS)
    (directory / "quotas.toml").write_text((directory / "elastic.toml").read_text())
    found = Kept(elastic, Reclaim(pool, directory))
    ended = threading.Event()

    def reclaims() -> None:
        while not ended.wait(TIMER):
            process = found.reclaim.start("apply")
            out, err = process.communicate()
            with (directory / "reclaim.txt").open("a") as log:
                log.write(f"{time.time() - found.began:.0f} s: {process.returncode} {out}{err}\n")

    timer = threading.Thread(target=reclaims)
    with (directory / "run.txt").open("w") as log:
        words = elastic.words("run", "--yes")
        writer = elastic.start("run", "--yes", log=log)
        timer.start()
        try:
            pool.wait(lambda: elastic.state.result == "verified", 60, f"the end of {words}")
            yield found
        finally:
            ended.set()
            writer.terminate()
            writer.wait()
            timer.join()


def test_time_to_min_with_defaults(site: Site, hour: int, tmp_path: Path) -> None:
    """What is free within two cycles after the negotiator knows; what was lent after two cycles of need.

    A schedd tells of new jobs in up to SCHEDD_INTERVAL, while a reclaim sees its queue.
    """
    with kept(site, tmp_path) as found:
        queued(found.pool, {"A.a1.ann": 14})
        borrowed = found.until({"A.a1": 14}, 600)
        began = found.looks[-1].seconds
        queued(found.pool, {"B.b1.bob": 4, "B.b2.ben": 8})
        free = found.until({"B": 10}, 600)
        while found.look().seconds < began + RUN:
            time.sleep(PAUSE)
        asked = len(found.looks)
        queued(found.pool, {"A.a2.abe": 20, "C.cy": 30})
        taken = found.until({"C": 6, "A.a2": 4}, HOUR, found.looks[asked - 1])
        vacated = found.vacated()
        waits = found.waits()
        known, back = found.looks[asked], found.looks[-1]
        told = [
            f"borrowed on an idle pool: {borrowed[0]} cycles, {borrowed[1]:.0f} s",
            f"min from what is free: {free[0]} cycles, {free[1]:.0f} s",
            f"min from what was lent, since it was submitted: {taken[0]} cycles, {taken[1]:.0f} s",
            f"and since the collector knew of it: {back.cycles - known.cycles} cycles, "
            f"{back.seconds - known.seconds:.0f} s",
            f"after a batch of vacated jobs no slot was free: {waits} (cycles, seconds)",
            f"{found.writes()} writes, {sum(vacated.values())} vacates",
        ]
        found.told(tmp_path / "looks.txt", *told)

    assert max(borrowed[0], free[0]) <= CYCLES
    assert taken[1] <= BACK
    # All that A.a1 has borrowed, and nothing of its min.
    assert set(vacated.values()) == {1}
    assert sum(vacated.values()) == 10
    assert all(cycles <= CYCLES + 1 for cycles, _ in waits)
    assert found.looks[-1].claims == {**MINS, "B.b1": 4, "B.b2": 6}
    # A has less for the cycle in which claims of A.a1 become claims of A.a2.
    for look in found.looks[asked:]:
        assert look.below() <= {"C", "A.a2", "A"}, f"nobody pays with its min: {look}"


def test_demand_that_flips_every_cycle(site: Site, hour: int, tmp_path: Path) -> None:
    """C fills the pool; A and B want jobs by turns, each for one cycle."""
    with kept(site, tmp_path) as found:
        pool = found.pool
        queued(pool, {"C.cy": 200}, arguments="$CHOICE(Process,600,900,1200,1500)")
        found.until({"C": 24}, 600)
        times = "$CHOICE(Process,120,180,240,300,420,540)"
        queued(pool, {"A.a1.ann": 300, "B.b1.bob": 300}, arguments=times)
        names = ["A.a1", "B.b1"]
        began, flips = time.time(), 0
        while time.time() < began + HOUR:
            wants, rests = names
            idle = 'AcctGroup == "{}" && JobStatus == {}'
            pool.tool("condor_hold", "-constraint", idle.format(rests, 1), check=False)
            pool.tool("condor_release", "-constraint", idle.format(wants, 5), check=False)
            names.reverse()
            flips += 1
            now = found.look().cycles
            while found.look().cycles == now:
                time.sleep(PAUSE)
        seconds = found.looks[-1].seconds
        writes, vacated = found.writes(), found.vacated()
        told = f"{seconds:.0f} s, {flips} flips: {writes} writes, {sum(vacated.values())} vacates"
        found.told(tmp_path / "looks.txt", told)

    assert writes <= 1 + seconds / STEP
    assert set(vacated.values()) <= {1}, "no job is vacated twice"
