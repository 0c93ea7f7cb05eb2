"""What htcq costs in this checkout and in another one: the same commands on the same pool, in turn, in one run.

Processor time is that of a command with all its children, which a busy machine changes less than
the time on the clock; of several ``--runs`` the medians count. ``python
tests/benchmarks/two_checkouts.py OTHER [--slots N] [--runs N]``, where OTHER is a checkout, such
as ``git worktree add /tmp/before COMMIT`` makes. ``--only simulate`` wants a pool of some
hundred slots. Without OTHER this checkout is compared with itself: what it costs that foreign
data is read in a confined process."""

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
#: What is run by name; POOL stands for the snapshot, the other capitals for files.
_COMMANDS = {
    "audit": ("audit", "--snapshot", "POOL", "--json"),
    "cost": ("cost", "--snapshot", "POOL", "--json"),
    "quota": ("quota", "--snapshot", "POOL", "--json"),
    "simulate": ("simulate", "--snapshot", "POOL", "--json", "--skip-bad-slots"),
    "status": ("status", "--snapshot", "POOL", "--json"),
    "why": ("why", "--all", "--snapshot", "POOL", "--json", "--skip-bad-slots"),
    "migrate": ("migrate", "--snapshot", "POOL", "--model", "MODEL", "--json"),
    "elastic": ("elastic", "status", "--quotas", "QUOTAS", "--snapshot", "POOL", "--json"),
    "compute": ("elastic", "compute", "--quotas", "QUOTAS", "--demand", "DEMAND", "--json"),
    "plan": ("plan", "--node", "NODE", "--claims", "8", "--job", "cpus=1,memory=2G", "--json"),
    "emit": ("emit", "--node", "NODE", "--claims", "8"),
}
_USUAL = ["audit", "cost", "quota", "emit"]
#: A run of less than a second is repeated so often.
_SHORT = {"emit": 15, "plan": 15, "compute": 15}
_MODEL = '[capacity]\nmodel = "linear"\nweights = { cpus = 1, memory = "0.25/GiB" }\n'
_GROUPS = [f"g{number}" for number in range(200)]
_QUOTAS = "".join(
    f"[groups.{name}]\nmin = {{ cpus = 5 }}\nmax = {{ cpus = 900 }}\n" for name in _GROUPS
)
_DEMAND = {"total": {"cpus": 2000}, "request": {name: {"cpus": 40} for name in _GROUPS}}
#: Files that commands read, by the word that stands for them.
_FILES = {
    "NODE": json.dumps(_NODE),
    "MODEL": _MODEL,
    "QUOTAS": _QUOTAS,
    "DEMAND": json.dumps(_DEMAND),
}
#: Runs htcq without the confined process.
_UNCONFINED = (
    "import gc, sys; gc.disable(); from htcq.cli.main import run; sys.exit(run(sys.argv[1:]))"
)


class Program(NamedTuple):
    """One of the two that are compared: a checkout, and the arguments of Python that start its htcq."""

    checkout: Path
    start: tuple[str, ...] = ("-m", "htcq")


class Cost(NamedTuple):
    """Seconds of the processor and on the clock, and the memory of the largest process in MB."""

    processor: float
    clock: float
    peak_mb: float


def cost_of(program: Program, words: Sequence[str], compiled: Path) -> Cost:
    """Return what one run costs; its byte code is kept in ``compiled``.

    Raises:
        RuntimeError: it failed, so that its time means nothing.
    """
    environment = {
        **os.environ,
        "PYTHONPATH": str(program.checkout),
        "PYTHONPYCACHEPREFIX": str(compiled),
        "CONDOR_CONFIG": "/dev/null",
    }
    begun = time.perf_counter()
    child = subprocess.Popen(
        [sys.executable, *program.start, *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=compiled,
        env=environment,
    )
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in (0, 1):
        raise RuntimeError(
            f"exit status {child.returncode} in {program.checkout}: htcq {' '.join(words)}"
        )
    return Cost(
        usage.ru_utime + usage.ru_stime, time.perf_counter() - begun, usage.ru_maxrss / 1024
    )


def median(costs: Sequence[Cost]) -> Cost:
    """Return the median of each number."""
    return Cost(*(statistics.median(column) for column in zip(*costs)))


def compare(
    programs: Sequence[Program], words: Sequence[str], runs: int, place: Path
) -> list[Cost]:
    """Return the medians of each program, run in turn after one run that compiles."""
    costs: list[list[Cost]] = [[] for _ in programs]
    for number in range(runs + 1):
        for which, program in enumerate(programs):
            compiled = place / f"compiled{which}"
            compiled.mkdir(exist_ok=True)
            cost = cost_of(program, words, compiled)
            if number:
                costs[which].append(cost)
    return [median(each) for each in costs]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("other", type=Path, nargs="?", help="the other checkout")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", nargs="+", choices=list(_COMMANDS), default=_USUAL)
    add_size_options(parser)
    given = parser.parse_args()
    other = Program(ROOT, ("-c", _UNCONFINED))
    if given.other is not None:
        other = Program(given.other.resolve())
    with tempfile.TemporaryDirectory(prefix="two-checkouts-") as directory:
        place = Path(directory)
        (place / "pool").mkdir()
        write_snapshot(place / "pool", size_of(given), given.seed)
        named = {"POOL": str(place / "pool")}
        for word, text in _FILES.items():
            suffix = ".toml" if text.startswith("[") else ".json"
            path = place / f"{word.lower()}{suffix}"
            path.write_text(text, encoding="ascii")
            named[word] = str(path)
        for name in given.only:
            words = [named.get(word, word) for word in _COMMANDS[name]]
            here, there = compare(
                (Program(ROOT), other), words, _SHORT.get(name, given.runs), place
            )
            sys.stdout.write(
                f"{name:<9} processor {there.processor:8.2f} -> {here.processor:8.2f} s  "
                f"x{here.processor / there.processor:.3f}   clock {there.clock:8.2f} -> "
                f"{here.clock:8.2f} s   "
                f"memory {there.peak_mb:6.0f} -> {here.peak_mb:6.0f} MB\n"
            )
            sys.stdout.flush()


if __name__ == "__main__":
    main()
