"""What a course of many cycles costs htcq: processor time and memory, by cycle.

Jobs arrive evenly over the course and end ``--lasts`` seconds after their start. Each case is measured
in a process of its own: ``week`` is 1,000 slots for 10,080 cycles, ``day`` 20,000 slots for 1,440
cycles with 100,000 jobs, ``different`` 400 slots that all differ. ``--cycles`` and the others change
the sizes. ``ratio`` is a cycle beside the plain evaluation of both Requirements for every pair of slot
and autocluster by the ClassAd library, in the same process; ``outside`` is the processor time of a
cycle outside of :meth:`Cycle.run`.

``python tests/benchmarks/course_scale.py [--case week|day|different] [--cycles N] [--slots N]``"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import htcq.simulate.course.course as courses
from htcq.classads import Expr
from htcq.operations.pool_source import pool_of
from htcq.pool.past import Arrival
from htcq.pool.pool import Pool
from htcq.simulate.course.runtimes import run_time
from htcq.simulate.cycle.cycle import Cycle
from htcq.simulate.cycle.trace import Trace
from htcq.store.snapshot import open_snapshot
from tests.invented.empty import Size, write

_INTERVAL_SECONDS = 60.0
_OWN, _OTHER = Expr("MY.Requirements"), Expr("TARGET.Requirements")


class Case(NamedTuple):
    """How large the pool is, and how many cycles it goes through."""

    slots: int
    autoclusters: int
    jobs: int
    cycles: int
    submitters: int = 20


CASES = {
    "week": Case(1_000, 60, 100_000, 10_080),
    "day": Case(20_000, 60, 100_000, 1_440),
    "different": Case(400, 40, 10_000, 200),
}


def memory_mb() -> float:
    """Return the most memory that this process had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def arriving(pool: Pool, case: Case, dice: Random) -> Pool:
    """Return ``pool`` with its jobs arriving in any order, evenly over the cycles."""
    jobs = list(pool.jobs or ())
    dice.shuffle(jobs)
    apart = case.cycles * _INTERVAL_SECONDS / max(1, len(jobs))
    arrivals = tuple(Arrival(number * apart, job) for number, job in enumerate(jobs))
    return replace(pool, jobs=(), arriving=arrivals)


def bare_seconds(pool: Pool) -> float:
    """Return the processor time of both Requirements for each pair of slot and autocluster."""
    kinds = {id(job.frame): job for job in pool.jobs or ()}.values()
    begun = time.process_time()
    for job in kinds:
        ad = job.ad()
        for slot in pool.slots or ():
            other = slot.ad()
            _OWN.evaluate(ad, other)
            _OTHER.evaluate(ad, other)
    return time.process_time() - begun


class Inside:
    """The processor time of :meth:`Cycle.run`."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._run = Cycle.run

    def watch(self) -> None:
        """Measure every cycle from now on."""
        inside = self

        def run(cycle: Cycle) -> Trace:
            begun = time.process_time()
            trace = inside._run(cycle)
            inside.seconds += time.process_time() - begun
            return trace

        setattr(Cycle, "run", run)  # noqa: B010


def measured(directory: Path, case: Case, lasts: str) -> dict[str, float]:
    """Return what a course of the snapshot costs in this process."""
    pool = pool_of(open_snapshot(directory), str(directory))
    bare, inside = bare_seconds(pool), Inside()
    inside.watch()
    before = memory_mb()
    begun = time.process_time()
    plan = courses.Plan(case.cycles, _INTERVAL_SECONDS)
    given = arriving(pool, case, Random(1))
    course = courses.run_course(given, plan, run_time(lasts), Random(0))
    took = time.process_time() - begun
    return {
        "seconds": took,
        "cycle_ms": 1000 * took / case.cycles,
        "outside_ms": 1000 * (took - inside.seconds) / case.cycles,
        "ratio": took / case.cycles / bare,
        "peak_mb": memory_mb(),
        "mb_a_cycle": (memory_mb() - before) / case.cycles,
        "starts": len(course.starts),
        "running": course.samples[-1].running,
    }


def in_a_process(case: Case, lasts: str) -> dict[str, float]:
    """Return the same, measured in a new process."""
    with tempfile.TemporaryDirectory() as directory:
        write(Path(directory), Size(case.slots, case.autoclusters, case.jobs, case.submitters))
        command = [sys.executable, __file__, "--alone", directory, "--lasts", lasts]
        command += ["--sizes", json.dumps(case)]
        answer = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout
    found: dict[str, float] = json.loads(answer)
    return found


def main() -> None:
    """Measure the cases that the command line names."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--case", choices=CASES, action="append")
    for field in Case._fields:
        parser.add_argument(f"--{field}", type=int)
    parser.add_argument("--lasts", default="3600")
    parser.add_argument("--alone", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--sizes", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.alone is not None:
        found = measured(given.alone, Case(*json.loads(given.sizes)), given.lasts)
        sys.stdout.write(json.dumps(found))
        return
    for name in given.case or CASES:
        sizes = {field: getattr(given, field) for field in Case._fields}
        case = CASES[name]._replace(**{key: n for key, n in sizes.items() if n is not None})
        found = in_a_process(case, given.lasts)
        numbers = "  ".join(f"{key} {number:.4g}" for key, number in found.items())
        sys.stdout.write(f"{name} {case}: {numbers}\n")


if __name__ == "__main__":
    main()
