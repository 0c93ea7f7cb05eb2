"""How long ``htcq audit`` takes for a large pool, beside HTCondor's own tool that reads the same file.

``condor_status -ads FILE -af Name SlotWeight`` parses every ad and evaluates one expression of
each. Both run in turn on one snapshot, made by ``tests/large_pool.py`` unless it lies there
already, and read once before, so that it comes from memory for both. ``python
tests/benchmarks/audit_scale.py [DIR] [--slots N] [--runs N] [--command 'OTHER DIR']``.

Without condor_status on PATH the one of Debian's sid is used, in the root directory of
``contrib/testpool``, as root."""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

import psutil

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(1, str(Path(__file__).resolve().parents[2] / "contrib" / "testpool"))

from debian_root import debian_root
from pool_home import Home

from tests.large_pool import FILES, Size, add_size_options, size_of, write_snapshot

ROOT = Path(__file__).resolve().parents[2]
AUDIT = f"{shlex.quote(sys.executable)} -m htcq audit --snapshot DIR --json"
_STATUS = ["condor_status", "-ads", "FILE", "-af", "Name", "SlotWeight"]
#: 1 says that the audit found something, as it should.
_FINE = (0, 1)
_MADE = "made.json"
_SAMPLE_SECONDS = 0.1
#: Shows the snapshot to a program inside a root directory; the mounts end with this shell.
_INSIDE = 'mount --bind "$2" "$1/mnt" && mount --rbind /dev "$1/dev" && shift 2 && exec chroot "$@"'


class Cost(NamedTuple):
    """What one command took: seconds by the clock, seconds of processors, and MB of memory."""

    seconds: float
    processor: float
    peak_mb: float


def snapshot(directory: Path, size: Size, seed: int) -> float:
    """Make sure that ``directory`` holds this pool; return how many seconds it took to make (0: it was there)."""
    made = directory / _MADE
    wanted = {**asdict(size), "seed": seed}
    if made.is_file() and json.loads(made.read_text(encoding="ascii")) == wanted:
        return 0.0
    made.unlink(missing_ok=True)
    begun = time.perf_counter()
    write_snapshot(directory, size, seed)
    made.write_text(json.dumps(wanted), encoding="ascii")
    return time.perf_counter() - begun


def status_command(directory: Path) -> list[str]:
    """Return the command line by which the real tool reads the snapshot."""
    if shutil.which("condor_status"):
        return [str(directory / "collector.ads") if word == "FILE" else word for word in _STATUS]
    inside = ["/mnt/collector.ads" if word == "FILE" else word for word in _STATUS]
    root = str(debian_root("sid", Home().roots))
    return [
        "unshare",
        "--mount",
        "sh",
        "-ec",
        _INSIDE,
        "status",
        root,
        str(directory),
        root,
        *inside,
    ]


def audit_command(text: str, directory: Path) -> list[str]:
    """Return the command line of the audit; ``DIR`` in ``text`` stands for the snapshot."""
    return [str(directory) if word == "DIR" else word for word in shlex.split(text)]


def cost_of(command: Sequence[str]) -> Cost:
    """Return what ``command`` costs: the processor time of it and of all the processes that it waited for.

    The memory is that of all its processes at one time, as far as it was seen.

    Less than this process itself has cannot be seen: the kernel counts the child from before it
    became ``command``.

    Raises:
        RuntimeError: it failed, so that its time means nothing.
    """
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "CONDOR_CONFIG": "/dev/null"}
    begun = time.perf_counter()
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, cwd=tempfile.gettempdir(), env=environment
    ) as child:
        watch = Watch(child.pid)
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - begun
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in _FINE:
        raise RuntimeError(f"exit status {child.returncode}: {shlex.join(command)}")
    processor = usage.ru_utime + usage.ru_stime
    return Cost(seconds, processor, max(usage.ru_maxrss / 1024, watch.peak_mb()))


class Watch:
    """Looks from time to time how much memory a process and all below it have, together.

    The kernel's own account, ru_maxrss, knows the largest of several processes only.
    """

    def __init__(self, pid: int) -> None:
        self._peak = 0
        self._process = psutil.Process(pid)
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def _look(self) -> None:
        while not self._ended.wait(_SAMPLE_SECONDS):
            with suppress(psutil.Error):
                processes = [self._process, *self._process.children(recursive=True)]
                if len(processes) > 1:
                    self._peak = max(
                        self._peak, sum(process.memory_info().rss for process in processes)
                    )

    def peak_mb(self) -> float:
        """End the watch and return the most that was seen of several processes; 0 where there was only one."""
        self._ended.set()
        self._thread.join()
        return self._peak / 1024 / 1024


def read_once(directory: Path) -> None:
    """Bring the files into memory."""
    for name in FILES:
        with (directory / name).open("rb") as file:
            while file.read(1 << 22):
                pass


def compare(directory: Path, audit: str, runs: int) -> tuple[Cost, Cost]:
    """Return the median costs of the audit and of condor_status, run in turn."""
    read_once(directory)
    commands = (audit_command(audit, directory), status_command(directory))
    costs = [[cost_of(command) for command in commands] for _ in range(runs)]
    medians = [
        Cost(
            statistics.median(cost.seconds for cost in column),
            statistics.median(cost.processor for cost in column),
            max(cost.peak_mb for cost in column),
        )
        for column in zip(*costs)
    ]
    return medians[0], medians[1]


def told(name: str, cost: Cost) -> str:
    """Return the line of one command."""
    return (
        f"{name:13} {cost.seconds:7.1f} s  processor {cost.processor:7.1f} s  "
        f"{cost.peak_mb:7.0f} MB\n"
    )


def measure(directory: Path, given: argparse.Namespace) -> None:
    """Print what was measured, the conclusion last."""
    size = size_of(given)
    took = snapshot(directory, size, given.seed)
    megabytes = sum((directory / name).stat().st_size for name in FILES) / 1e6
    state = f"made in {took:.1f} s" if took else "made before"
    sys.stdout.write(
        f"{size.slots} slots, {size.jobs} jobs, {megabytes:.0f} MB, {state}, in {directory}\n"
    )
    audit, status = compare(directory, given.command, given.runs)
    sys.stdout.write(told("htcq audit", audit) + told("condor_status", status))
    sys.stdout.write(
        f"audit {audit.seconds:.1f} s, condor_status {status.seconds:.1f} s, "
        f"ratio {audit.seconds / status.seconds:.2f}, "
        f"of processor time {audit.processor / status.processor:.2f}, "
        f"peak {audit.peak_mb:.0f} MB\n"
    )


def main() -> None:
    """Measure once, in the directory given or in a temporary one."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "directory", type=Path, nargs="?", help="kept and used again; without it a temporary one"
    )
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--command", default=AUDIT, help="what to run instead of: %(default)s")
    add_size_options(parser)
    given = parser.parse_args()
    if given.directory:
        measure(given.directory.resolve(), given)
        return
    with tempfile.TemporaryDirectory(prefix="audit-scale-") as directory:
        measure(Path(directory), given)


if __name__ == "__main__":
    main()
