"""What htcq costs in this checkout and in another one: the same commands on the same pool, in turn, in one run.

Processor time is that of a command with all its children, which a busy machine changes less than the time on the clock;
of several ``--runs`` the medians count.
``python tests/benchmarks/two_checkouts.py OTHER [--slots N] [--runs N]``, where OTHER is a checkout, such as
``git worktree add /tmp/before COMMIT`` makes. ``--only simulate`` wants a pool of some hundred slots.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.large_pool import add_size_options, size_of, write_snapshot

ROOT = Path(__file__).resolve().parents[2]
_NODE = {"cpus": 16, "memory_mb": 65536, "disk_kb": 200_000_000}
#: What is run by name; POOL stands for the snapshot, NODE for a file of node facts.
_COMMANDS = {
    "audit": ("audit", "--snapshot", "POOL", "--json"),
    "cost": ("cost", "--snapshot", "POOL", "--json"),
    "quota": ("quota", "--snapshot", "POOL", "--json"),
    "simulate": ("simulate", "--snapshot", "POOL", "--json", "--skip-bad-slots"),
    "emit": ("emit", "--node", "NODE", "--claims", "8"),
}
_USUAL = ["audit", "cost", "quota", "emit"]
#: A run of less than a second is repeated so often.
_SHORT = {"emit": 15}


class Cost(NamedTuple):
    """Seconds of the processor and on the clock, and the memory of the largest process in MB."""

    processor: float
    clock: float
    peak_mb: float


def cost_of(checkout: Path, words: Sequence[str], compiled: Path) -> Cost:
    """Return what one run costs; its byte code is kept in ``compiled``.

    Raises:
        RuntimeError: it failed, so that its time means nothing.
    """
    environment = {
        **os.environ, "PYTHONPATH": str(checkout), "PYTHONPYCACHEPREFIX": str(compiled), "CONDOR_CONFIG": "/dev/null",
    }  # fmt: skip
    begun = time.perf_counter()
    child = subprocess.Popen(
        [sys.executable, "-m", "htcq", *words], stdout=subprocess.DEVNULL, cwd=compiled, env=environment
    )
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in (0, 1):
        raise RuntimeError(f"exit status {child.returncode} in {checkout}: htcq {' '.join(words)}")
    return Cost(usage.ru_utime + usage.ru_stime, time.perf_counter() - begun, usage.ru_maxrss / 1024)


def median(costs: Sequence[Cost]) -> Cost:
    """Return the median of each number."""
    return Cost(*(statistics.median(column) for column in zip(*costs)))


def compare(checkouts: Sequence[Path], words: Sequence[str], runs: int, place: Path) -> list[Cost]:
    """Return the medians of each checkout, run in turn after one run that compiles."""
    costs: list[list[Cost]] = [[] for _ in checkouts]
    for number in range(runs + 1):
        for which, checkout in enumerate(checkouts):
            compiled = place / f"compiled{which}"
            compiled.mkdir(exist_ok=True)
            cost = cost_of(checkout, words, compiled)
            if number:
                costs[which].append(cost)
    return [median(each) for each in costs]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", type=Path, help="the other checkout")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", nargs="+", choices=list(_COMMANDS), default=_USUAL)
    add_size_options(parser)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="two-checkouts-") as directory:
        place = Path(directory)
        (place / "pool").mkdir()
        write_snapshot(place / "pool", size_of(given), given.seed)
        (place / "node.json").write_text(json.dumps(_NODE), encoding="ascii")
        named = {"POOL": str(place / "pool"), "NODE": str(place / "node.json")}
        for name in given.only:
            words = [named.get(word, word) for word in _COMMANDS[name]]
            here, there = compare((ROOT, given.other.resolve()), words, _SHORT.get(name, given.runs), place)
            sys.stdout.write(
                f"{name:<9} processor {there.processor:8.2f} -> {here.processor:8.2f} s  "
                f"x{here.processor / there.processor:.3f}   clock {there.clock:8.2f} -> {here.clock:8.2f} s   "
                f"memory {there.peak_mb:6.0f} -> {here.peak_mb:6.0f} MB\n"
            )
            sys.stdout.flush()


if __name__ == "__main__":
    main()
