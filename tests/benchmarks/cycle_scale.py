"""What a negotiation cycle costs htcq, per match, beside the real negotiator's own cycle over the same pool.

A startd offers ``--slots`` partitionable slots with a consumption policy, of many sizes, and a
schedd holds ``--jobs`` idle jobs of ``--autoclusters`` kinds. htcq takes a snapshot while the
negotiator is off, then the negotiator goes through one cycle; the startd is stopped by then, so
that no job ever starts. The negotiator's processor time is the sum of what it publishes of its four
phases: LastNegotiationCycleCpuTime0 is that of the first phase alone (25.14). Then htcq goes
through the same cycle, from the files of the snapshot, in a process of its own.

``--grow`` measures htcq alone instead, on made-up pools without any daemon, each in a process of
its own. ``--other CHECKOUT`` measures the cycle of another checkout on the same pools as well, in
turn, and ``--alike`` makes all slots of one kind equal.

``python tests/benchmarks/cycle_scale.py [--slots N] [--jobs N] [--autoclusters N] [--sizes N]
[--suite sid]``, as root."""

from __future__ import annotations

import argparse
import gc
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(1, str(Path(__file__).resolve().parents[2] / "contrib" / "testpool"))

from testpool import Pool

from htcq.operations.pool_source import pool_of
from htcq.simulate.cycle.cycle import run_cycle
from htcq.store.snapshot import open_snapshot
from tests.invented.empty import Size, write

ROOT = Path(__file__).resolve().parents[2]
_PATIENCE_SECONDS = 900.0
_MB_PER_CPU, _KB_PER_CPU = 4096, 10_000_000
_LARGEST = 64
#: Nothing but the negotiator decides how far a cycle goes, and no ad grows old meanwhile.
_SETTINGS = """
NEGOTIATOR_INTERVAL = 3600
NEGOTIATOR_CYCLE_DELAY = 0
NEGOTIATOR_MIN_INTERVAL = 0
NEGOTIATOR_TIMEOUT = 600
NEGOTIATOR_MAX_TIME_PER_CYCLE = 100000
NEGOTIATOR_MAX_TIME_PER_PIESPIN = 100000
NEGOTIATOR_MAX_TIME_PER_SCHEDD = 100000
NEGOTIATOR_MAX_TIME_PER_SUBMITTER = 100000
NEGOTIATOR_DEBUG =
MAX_CONCURRENT_UPLOADS_PER_USER = 0
MAX_CONCURRENT_UPLOADS = 0
MAX_CONCURRENT_DOWNLOADS = 0
MAX_JOBS_RUNNING = 1000000
MAX_JOBS_PER_OWNER = 1000000
MAX_PENDING_STARTD_CONTACTS = 1
REQUEST_CLAIM_TIMEOUT = 3600
SCHEDD_INTERVAL = 5
UPDATE_INTERVAL = 3600
CLASSAD_LIFETIME = 100000
CONSUMPTION_POLICY = True
CONSUMPTION_CPUS = max({1, ceiling(TARGET.RequestCpus ?: 0)})
CONSUMPTION_MEMORY = max({1, ceiling(TARGET.RequestMemory ?: 0)})
CONSUMPTION_DISK = max({1, ceiling(TARGET.RequestDisk ?: 0)})
CONSUMPTION_GPUS = ceiling(TARGET.RequestGPUs ?: 0)
SLOT_WEIGHT = Cpus
"""


class Cost(NamedTuple):
    """Processor seconds for reading a pool and for its cycle, the matches, and the most memory."""

    read: float
    cycle: float
    matches: int
    peak_mb: float


def alone(directory: str) -> Cost:
    """Return what htcq takes for one cycle of the snapshot in ``directory``."""
    # As in the command for a single cycle.
    gc.disable()
    begun = time.process_time()
    pool = pool_of(open_snapshot(Path(directory)), directory)
    read = time.process_time()
    matches = len(run_cycle(pool).matches)
    ended = time.process_time()
    return Cost(
        read - begun,
        ended - read,
        matches,
        resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    )


def in_a_process(directory: Path, checkout: Path = ROOT) -> Cost:
    """Return the same, measured in a new process, by the code of ``checkout``."""
    program = checkout / "tests" / "benchmarks" / "cycle_scale.py"
    command = [sys.executable, str(program), "--alone", str(directory)]
    return Cost(
        *json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout)
    )


def settings(given: argparse.Namespace) -> str:
    """Return the configuration of a startd whose slots have ``given.sizes`` different sizes."""
    dice = Random(1)
    lines = [f"MAX_SLOT_TYPES = {given.sizes + 1}"]
    for number in range(1, given.sizes + 1):
        cpus = dice.choice((8, 16, 32, _LARGEST))
        memory = cpus * _MB_PER_CPU - dice.randrange(2048)
        disk = cpus * _KB_PER_CPU - dice.randrange(_KB_PER_CPU // 2)
        lines.append(f"SLOT_TYPE_{number} = cpus={cpus}, memory={memory}, disk={disk}")
        lines.append(f"SLOT_TYPE_{number}_PARTITIONABLE = True")
        lines.append(f"NUM_SLOTS_TYPE_{number} = {given.slots // given.sizes}")
    return _SETTINGS + "\n".join(lines) + "\n"


def submit(pool: Pool, given: argparse.Namespace) -> int:
    """Queue the jobs, one cluster for each kind; return how many there are once the collector knows of them."""
    dice = Random(2)
    each = given.jobs // given.autoclusters
    for number in range(given.autoclusters):
        pool.submit(
            {
                "accounting_group_user": f"user{number * given.submitters // given.autoclusters:03d}",
                "request_cpus": dice.choice((1, 1, 1, 1, 2, 4)),
                "request_memory": 500 + 7 * number,
                "request_disk": 1000 * dice.randrange(1, 3000),
            },
            each,
        )
    jobs = each * given.autoclusters

    def told() -> bool:
        return sum(ad.get("IdleJobs", 0) for ad in pool.ads("submitters", ["IdleJobs"])) == jobs

    pool.wait(told, _PATIENCE_SECONDS, f"{jobs} idle jobs", ("SchedLog",))
    return jobs


def real(given: argparse.Namespace, directory: Path) -> tuple[float, int]:
    """Write the snapshot; return the processor seconds of the negotiator's cycle, and its matches."""
    with Pool.start(
        suite=given.suite,
        settings=settings(given),
        cpus=_LARGEST * given.slots,
        memory_mb=_LARGEST * _MB_PER_CPU * given.slots,
        disk_kb=_LARGEST * _KB_PER_CPU * given.slots,
        wait_seconds=_PATIENCE_SECONDS,
    ) as pool:
        slots = given.slots // given.sizes * given.sizes
        pool.wait(
            lambda: len(pool.ads("slots", ["Name"])) == slots, _PATIENCE_SECONDS, f"{slots} slots"
        )
        pool.off("negotiator")
        jobs = submit(pool, given)
        command = [
            sys.executable,
            "-m",
            "htcq",
            "snapshot",
            str(directory),
            "--pool",
            pool.collector,
        ]
        subprocess.run(command, check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
        startd = pool.daemon_pids()["startd"]
        os.kill(startd, signal.SIGSTOP)
        try:
            pool.tool("condor_on", "-daemon", "negotiator")
            pool.wait(
                lambda: bool(_cycles(pool)),
                _PATIENCE_SECONDS,
                "a cycle with matches",
                ("NegotiatorLog",),
            )
            ad = _cycles(pool)[0]
        finally:
            os.kill(startd, signal.SIGCONT)
        sys.stdout.write(f"HTCondor {pool.record.version}: {slots} slots, {jobs} jobs\n")
    seconds = sum(ad[f"LastNegotiationCyclePhase{phase}CpuTime0"] for phase in (1, 2, 3, 4))
    return seconds, ad["LastNegotiationCycleMatches0"]


def _cycles(pool: Pool) -> list[dict[str, float]]:
    """Return the negotiator's ad once it tells of a cycle in which something was matched."""
    return [ad for ad in pool.ads("negotiator") if ad.get("LastNegotiationCycleMatches0")]


def compare(given: argparse.Namespace, directory: Path) -> None:
    """Print both costs."""
    negotiator, matches = real(given, directory / "real")
    cost = in_a_process(directory / "real")
    reference = negotiator / matches
    _row("", "seconds", "matches", "us per match", "by the negotiator's")
    _row("negotiator", f"{negotiator:.2f}", matches, f"{1e6 * reference:.1f}", "1")
    for name, seconds in (
        ("htcq, cycle", cost.cycle),
        ("htcq, with reading", cost.read + cost.cycle),
    ):
        each = seconds / cost.matches
        _row(name, f"{seconds:.2f}", cost.matches, f"{1e6 * each:.1f}", f"{each / reference:.3f}")


def grow(given: argparse.Namespace, directory: Path) -> None:
    """Print what htcq alone takes as pools grow: ten jobs for each slot.

    A second line for each pool is of the other checkout.
    """
    _row("slots", "autoclusters", "read s", "cycle s", "matches", "us per match", "MB at most")
    checkouts = [ROOT]
    if given.other is not None:
        checkouts.append(given.other.resolve())
    for slots in given.grow:
        for autoclusters in given.kinds:
            where = directory / f"{slots}-{autoclusters}"
            submitters = min(given.submitters, autoclusters)
            write(where, Size(slots, autoclusters, 10 * slots, submitters, given.alike))
            for checkout in checkouts:
                _row(slots, autoclusters, *_measured(in_a_process(where, checkout)))


def _measured(cost: Cost) -> Sequence[object]:
    each = 1e6 * cost.cycle / max(1, cost.matches)
    read, cycle = f"{cost.read:.1f}", f"{cost.cycle:.2f}"
    return read, cycle, cost.matches, f"{each:.0f}", f"{cost.peak_mb:.0f}"


def _row(*cells: object) -> None:
    sys.stdout.write("  ".join(f"{cell:>19}" for cell in cells) + "\n")
    sys.stdout.flush()


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure once."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--slots", type=int, default=5000, metavar="N")
    parser.add_argument(
        "--sizes", type=int, default=100, metavar="N", help="different sizes of slots"
    )
    parser.add_argument("--jobs", type=int, default=50_000, metavar="N")
    parser.add_argument("--autoclusters", type=int, default=200, metavar="N")
    parser.add_argument("--submitters", type=int, default=40, metavar="N")
    parser.add_argument("--suite", default="sid")
    parser.add_argument(
        "--grow", type=int, nargs="*", metavar="N", help="htcq alone, with so many slots"
    )
    parser.add_argument(
        "--kinds",
        type=int,
        nargs="+",
        default=[10, 100, 500],
        metavar="N",
        help="autoclusters then",
    )
    parser.add_argument(
        "--other", type=Path, metavar="CHECKOUT", help="beside this one, with --grow"
    )
    parser.add_argument("--alike", action="store_true", help="slots of one kind are equal then")
    parser.add_argument("--alone", help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.alone:
        sys.stdout.write(json.dumps(alone(given.alone)))
        return
    with tempfile.TemporaryDirectory(prefix="cycle-scale-") as directory:
        if given.grow is None:
            compare(given, Path(directory))
        else:
            given.grow = given.grow or [1000, 5000, 20_000]
            grow(given, Path(directory))


if __name__ == "__main__":
    main()
