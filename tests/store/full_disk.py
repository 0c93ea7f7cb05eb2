"""Programs that fill a disk, each in a process of its own: ``python -m tests.store.full_disk WHAT DIRECTORY``.

They record until there is no room, make room, and record the same again; what is wrong ends them.
"""

from __future__ import annotations

import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from htcq.errors import EXIT_UNKNOWN, HistoryError
from htcq.store.history import open_history
from tests.store.histories import LOOK, START, crowd, is_whole, samples

MAX_LOOKS, GROUPS = 400, 60
#: How full is too full differs, so that it happens at any step: when the file is made, in -wal, in
#: -shm, at the end.
SIZES_KB = range(32, 240, 16)


def fill(path: Path, make_room: Callable[[], None]) -> str:
    """Record until it fails, then again with room; return how it failed."""
    done: list[int] = []
    failed = ""
    for number in range(MAX_LOOKS):
        time = START + number * LOOK
        try:
            record(path, time)
        except HistoryError as error:
            failed = tell(error, path)
            break
        done.append(time)
    assert failed, "there was always room"
    there = intact(path, done, time)
    make_room()
    assert intact(path, done, time) == there
    # What failed after its last byte was written is there; nobody can tell.
    assert record(path, time) is (there == done)
    assert record(path, time + LOOK) is True
    intact(path, [*done, time, time + LOOK])
    return failed


def record(path: Path, time: int) -> bool:
    """Record one look, as a command of its own would."""
    with open_history(path, writable=True) as history:
        recorded = history.record(crowd(time, GROUPS))
        assert history.set_aside is None
    return recorded


def tell(error: HistoryError, path: Path) -> str:
    """Return what is said of the failure, which must be clear."""
    assert error.exit_status == EXIT_UNKNOWN
    assert str(error).startswith(f"{path} cannot be written: "), error
    assert error.hint
    return str(error)


def failure(path: Path) -> str:
    """Return how recording fails."""
    try:
        record(path, START + LOOK)
    except HistoryError as error:
        return tell(error, path)
    raise AssertionError("it was recorded")


def intact(path: Path, times: list[int], failed: int | None = None) -> list[int]:
    """See that these looks are there, each as a whole, and no other but perhaps the one that failed."""
    found = samples(path) if path.is_file() else []
    there = sorted({sample.time for sample in found})
    assert there in (times, [*times, failed])
    assert all(
        is_whole([sample for sample in found if sample.time == time], GROUPS) for time in there
    )
    return there


def small_disks(directory: Path) -> list[str]:
    """Fill disks of many sizes, each mounted on ``directory``, which must be in a mount namespace of its own."""
    told = []
    for size in SIZES_KB:
        subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={size}k", "tmpfs", directory], check=True
        )

        def make_room() -> None:
            subprocess.run(["mount", "-o", "remount,size=8m", directory], check=True)

        told.append(fill(directory / "drift.db", make_room))
        subprocess.run(["umount", directory], check=True)
    return told


def small_files(directory: Path) -> list[str]:
    """Fill files up to limits of many sizes."""
    told = []
    for size in SIZES_KB:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size * 1024, resource.RLIM_INFINITY))

        def make_room() -> None:
            resource.setrlimit(
                resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
            )

        told.append(fill(directory / f"{size}.db", make_room))
    return told


def read_only_disk(directory: Path) -> list[str]:
    """Read from a disk that cannot be written, and try to write."""
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", directory], check=True)
    path = directory / "drift.db"
    record(path, START)
    subprocess.run(["mount", "-o", "remount,ro", directory], check=True)
    intact(path, [START])
    told = [failure(each) for each in (path, directory / "new.db")]
    intact(path, [START])
    assert [each.name for each in directory.iterdir()] == ["drift.db"]
    return told


if __name__ == "__main__":
    what = {
        "small_disks": small_disks,
        "small_files": small_files,
        "read_only_disk": read_only_disk,
    }
    sys.stdout.write("\n".join(what[sys.argv[1]](Path(sys.argv[2]))))
