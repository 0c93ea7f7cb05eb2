"""What ``htcq why --all`` costs beside one simulated cycle of the same pool, both in one run.

The verdict takes a cycle itself; what is compared is what comes on top: every wall of every job
that waits. Machines differ in memory and disk, as they do in real pools. In a full pool all jobs
wait; in one that is used in part most do, and no two slots have the same left.

``python tests/benchmarks/why_rate.py [--slots N] [--jobs N] [--autoclusters N] [--submitters N]``
"""

from __future__ import annotations

import argparse
import gc
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from htcq.operations.pool_source import pool_of
from htcq.pool.pool import Pool
from htcq.pool.slot import Slot
from htcq.simulate.cycle.cycle import run_cycle
from htcq.store.snapshot import open_snapshot
from htcq.why.choice import all_idle
from htcq.why.verdict import Verdicts
from tests.invented.empty import Size, write

#: The pool of the promise.
SIZE = Size(slots=5000, autoclusters=300, jobs=20_000, submitters=60)


class Costs(NamedTuple):
    """Processor seconds of one simulated cycle, of the verdict's own, and of the walls; jobs that wait."""

    cycle: float
    verdict: float
    walls: float
    waiting: int

    @property
    def ratio(self) -> float:
        """What explaining costs, by what one cycle costs."""
        return (self.verdict + self.walls - self.cycle) / self.cycle


def measure(pool: Pool) -> Costs:
    """Return what both cost on ``pool``, without the garbage collector, as ``htcq`` itself runs."""
    gc.disable()
    try:
        return _measured(pool)
    finally:
        gc.enable()


def _measured(pool: Pool) -> Costs:
    begun = time.process_time()
    run_cycle(pool)
    cycled = time.process_time()
    verdicts = Verdicts(pool)
    judged = time.process_time()
    found = verdicts.on(all_idle(pool.jobs or ()))
    ended = time.process_time()
    waiting = sum(len(each.jobs) for each in found if not each.starts)
    return Costs(cycled - begun, judged - cycled, ended - judged, waiting)


def pool_at(directory: Path, size: Size) -> Pool:
    """Return an empty pool of that size, all jobs of which are idle."""
    write(directory, size)
    return pool_of(open_snapshot(directory), str(directory))


def full(pool: Pool) -> Pool:
    """Return ``pool`` with too little memory left on every slot for any job: all wait."""
    return replace(pool, slots=tuple(slot._replace(memory_mb=100) for slot in pool.slots or ()))


def used(pool: Pool) -> Pool:
    """Return ``pool`` with another part of its cpus, memory and disk left on each slot, as where many jobs run."""
    dice = Random(1)
    return replace(pool, slots=tuple(_used(slot, dice) for slot in pool.slots or ()))


def _used(slot: Slot, dice: Random) -> Slot:
    return slot._replace(
        cpus=dice.choice((0, 0, 1, 2, 8)),
        memory_mb=dice.randrange(100, 60_000),
        disk_kb=dice.randrange(10_000_000),
    )


#: What is measured: how an empty pool is filled.
FILLS: Mapping[str, Callable[[Pool], Pool]] = {
    "empty": lambda pool: pool,
    "full": full,
    "used": used,
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure the pools, empty, full and used in part."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name in ("slots", "autoclusters", "jobs", "submitters"):
        parser.add_argument(f"--{name}", type=int, default=getattr(SIZE, name), metavar="N")
    given = parser.parse_args(arguments)
    size = Size(given.slots, given.autoclusters, given.jobs, given.submitters)
    with tempfile.TemporaryDirectory(prefix="why-rate-") as directory:
        pool = pool_at(Path(directory), size)
        sys.stdout.write("pool    cycle s  verdict s   walls s  more by cycle  waiting\n")
        for name, fill in FILLS.items():
            costs = measure(fill(pool))
            numbers = (
                f"{costs.cycle:9.2f}  {costs.verdict:9.2f} {costs.walls:9.2f}  {costs.ratio:13.2f}"
            )
            sys.stdout.write(f"{name:5} {numbers}  {costs.waiting:7}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
