"""``python -m tests.fuzz``: many inputs through every command, or one again that failed.

An interrupt (SIGINT, SIGTERM) ends it after the inputs that are under way, with the counts of
what was run."""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.fuzz.campaign import Campaign, Tally, load_everything, numbers_for, replay
from tests.fuzz.targets import TARGETS, Target

_MEMORY_DISK = Path("/dev/shm")


def main() -> int:
    """Run what the options say; the exit status is 1 if an input failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--inputs", type=int, default=2000, help="how many (default 2000)")
    parser.add_argument(
        "--seed", default="1", help="the same seed makes the same inputs (default 1)"
    )
    parser.add_argument(
        "--target", action="append", help="these commands alone, such as 'drift report'; repeatable"
    )
    parser.add_argument(
        "--workers", type=int, default=os.cpu_count(), help="so many at a time (default: all cpus)"
    )
    parser.add_argument(
        "--kept", type=Path, default=Path("fuzz-failed"), help="directory for inputs that failed"
    )
    parser.add_argument("--replay", type=Path, metavar="DIR", help="run this one again")
    parser.add_argument("--part", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.replay:
        return _replayed(given.replay)
    if given.part is not None:
        sys.stdout.write(json.dumps(_part(given, given.part).as_json()))
        return 0
    tally = _all(given)
    sys.stdout.write("\n".join([*report(tally, given.seed), ""]))
    return 1 if tally.failed else 0


def _replayed(directory: Path) -> int:
    load_everything()
    with tempfile.TemporaryDirectory(prefix="htcq-fuzz-") as room:
        found, done = replay(directory, Path(room) / "room")
    sys.stdout.buffer.write(done.out + done.err)
    told = [
        f"exit status {done.status}, {done.seconds:.2f} s, {done.peak_mb:.0f} MB",
        *(found or ["nothing is wrong"]),
    ]
    sys.stdout.write("\n".join([*told, ""]))
    return 1 if found else 0


def _chosen(names: Sequence[str] | None) -> list[Target]:
    return [
        target for target in TARGETS if not names or target.name in names or target.command in names
    ]


def _part(given: argparse.Namespace, part: int) -> Tally:
    """Run each so many-th input, beginning with ``part``."""
    ended: list[int] = []
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda number, _: ended.append(number))
    load_everything()
    place = str(_MEMORY_DISK) if os.access(_MEMORY_DISK, os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="htcq-fuzz-", dir=place) as room:
        campaign = Campaign(given.seed, Path(room) / "room", given.kept.resolve())
        for place_of, (target, number) in enumerate(
            numbers_for(given.inputs, _chosen(given.target))
        ):
            if ended:
                break
            if place_of % given.workers == part:
                campaign.run(target, number)
    return campaign.tally


def _all(given: argparse.Namespace) -> Tally:
    command = [sys.executable, "-m", "tests.fuzz", *sys.argv[1:], "--workers", str(given.workers)]
    parts = [
        subprocess.Popen([*command, "--part", str(part)], stdout=subprocess.PIPE)
        for part in range(given.workers)
    ]

    def end(number: int, frame: object) -> None:
        for part in parts:
            part.terminate()

    signal.signal(signal.SIGINT, end)
    signal.signal(signal.SIGTERM, end)
    tally = Tally()
    for part in parts:
        out, _ = part.communicate()
        assert part.returncode == 0, f"a part ended with {part.returncode}"
        tally.add(Tally.from_json(json.loads(out)))
    return tally


def report(tally: Tally, seed: str) -> list[str]:
    """Return the counts as lines."""
    told = [f"seed {seed}: {sum(tally.runs.values())} inputs"]
    told += [f"  {name:<24}{count:>7}" for name, count in sorted(tally.runs.items())]
    told += ["changes:"] + [
        f"  {name:<24}{count:>7}" for name, count in sorted(tally.changes.items())
    ]
    told += [
        f"FAILED {fault}: {len(names)}, such as {names[0]}"
        for fault, names in sorted(tally.failed.items())
    ]
    return told


if __name__ == "__main__":
    sys.exit(main())
