"""After power is lost the history holds what was recorded, as far as the disk keeps what it was told to keep.

What a disk may hold is built here, byte by byte, from files of real recordings: all that SQLite had
synced, and of what it had written but not synced any part, old, new or garbage, in sectors of 512
or 4096 bytes. While a look is recorded that is the end of ``-wal``; when the history is closed it
is the file itself, which ``-wal`` then replaces.

This shows that the format survives such disks. It does not show that SQLite syncs when it says
it does, nor that a disk which lies about it, or which garbles sectors that it was not writing,
does no harm. The one sector that says whose file it is is old or new here, not garbage: SQLite,
too, expects of a disk no worse than that."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from htcq.store.history import open_history
from tests.store.histories import LOOK, POOL, START, crowd, is_whole, record, samples

SEED, SESSIONS, LOOKS, PER_LOOK, PER_CLOSE = 20261121, 4, 4, 12, 16
SECTORS = (512, 4096)


@dataclass(frozen=True)
class Files:
    """The bytes of the file and of ``-wal``, and how many looks they must hold."""

    main: bytes
    wal: bytes
    looks: int


def files(path: Path, looks: int) -> Files:
    wal = path.with_name(f"{path.name}-wal")
    return Files(path.read_bytes(), wal.read_bytes() if wal.exists() else b"", looks)


def torn(old: bytes, new: bytes, chance: random.Random, garbage: bool = True) -> bytes:
    """Return ``new`` as far as it came: where it differs from ``old``, sectors of either, or garbage.

    Without ``garbage`` the first sector is one of the two.
    """
    content, size = bytearray(new), chance.choice(SECTORS)
    for start in range(0, len(new), size):
        sector = slice(start, start + size)
        if old[sector] == new[sector]:
            continue
        choice = chance.choice(("old", "new", "garbage" if start or garbage else "old"))
        if choice == "old":
            content[sector] = old[sector].ljust(len(new[sector]), b"\0")
        elif choice == "garbage":
            content[sector] = chance.randbytes(len(new[sector]))
    return bytes(content)


def while_recording(
    before: Files, after: Files, chance: random.Random
) -> Iterator[tuple[str, Files]]:
    """Yield what the disk may hold before the look is synced."""
    assert before.main == after.main
    assert after.wal.startswith(before.wal)
    for number in range(PER_LOOK):
        end = chance.randrange(len(before.wal), len(after.wal) + 1)
        if number % 2:
            yield f"-wal ends at {end}", Files(after.main, after.wal[:end], before.looks)
        else:
            end = end if number % 4 else len(after.wal)
            wal = torn(before.wal, after.wal[:end], chance)
            yield f"-wal torn from {len(before.wal)} to {end}", Files(after.main, wal, before.looks)


def while_closing(
    before: Files, after: Files, chance: random.Random
) -> Iterator[tuple[str, Files]]:
    """Yield what the disk may hold before the file is synced, when ``-wal`` is still there."""
    assert after.wal == b""
    for number in range(PER_CLOSE):
        longest = max(len(before.main), len(after.main))
        new = (after.main + before.main[len(after.main) :])[
            : chance.randrange(len(before.main), longest + 1)
        ]
        main = torn(before.main, new, chance, garbage=False)
        yield f"the file torn, case {number}", Files(main, before.wal, before.looks)


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, Files]]:
    path, chance, looks = tmp_path_factory.mktemp("power") / "drift.db", random.Random(SEED), 1
    record(path, crowd(START))
    found = []
    for session in range(SESSIONS):
        with open_history(path, writable=True) as history:
            for _ in range(LOOKS):
                before = files(path, looks)
                history.record(crowd(START + looks * LOOK))
                looks += 1
                after = files(path, looks)
                found += [
                    (f"session {session}: {name}", case)
                    for name, case in while_recording(before, after, chance)
                ]
        closed = files(path, looks)
        found += [
            (f"session {session}: {name}", case)
            for name, case in while_closing(after, closed, chance)
        ]
    return found


def test_nothing_that_was_recorded_is_lost_with_the_power(
    cases: list[tuple[str, Files]], tmp_path: Path
) -> None:
    sys.stdout.write(f"seed {SEED}\n")
    whole = 0
    for number, (name, case) in enumerate(cases):
        sys.stdout.write(f"case {number}: {name}\n")
        path = tmp_path / f"{number}.db"
        path.write_bytes(case.main)
        path.with_name(f"{path.name}-wal").write_bytes(case.wal)
        expected = [START + look * LOOK for look in range(case.looks)]

        found = sorted({sample.time for sample in samples(path)})
        assert found in (expected, [*expected, START + case.looks * LOOK])
        whole += len(found) > len(expected)
        with open_history(path, writable=True) as history:
            assert history.set_aside is None
            assert history.record(crowd(START + 10_000 * LOOK)) is True
            looks = {time: [] for time in [*found, START + 10_000 * LOOK]}
            for sample in history.samples(POOL, 0, START + 20_000 * LOOK):
                looks[sample.time].append(sample)
        assert all(is_whole(each) for each in looks.values())

    assert len(cases) >= 200
    # Now and then all of it has reached the disk although nobody was told.
    assert whole > 0


def test_without_its_wal_the_same_files_would_be_lost(
    cases: list[tuple[str, Files]], tmp_path: Path
) -> None:
    """The cases are hard ones: of a torn file alone SQLite can make nothing, or less than was recorded."""
    lost = 0
    torn_files = [case for name, case in cases if "the file torn" in name]
    for number, case in enumerate(torn_files):
        path = tmp_path / f"{number}.db"
        path.write_bytes(case.main)
        with open_history(path, writable=True) as history:
            found = {sample.time for sample in history.samples(POOL, 0, START + 20_000 * LOOK)}
            lost += history.set_aside is not None or len(found) < case.looks

    assert lost > len(torn_files) // 2
