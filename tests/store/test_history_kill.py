"""What was recorded stays, whoever is killed and however many record at once."""

from __future__ import annotations

import random
import shutil
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from fractions import Fraction
from pathlib import Path

import pytest

from htcq.drift.ledger import LedgerEntry
from htcq.drift.observation import QuotaSample
from htcq.drift.retention import Retention
from htcq.errors import EXIT_UNKNOWN, HistoryError
from htcq.store.history import open_history
from tests.store.histories import (
    FOREVER,
    LOOK,
    POOL,
    ROOT,
    START,
    crowd,
    group,
    is_whole,
    ledger_is_whole,
    names,
    observation,
    record,
    samples,
    times,
)
from tests.store.recorder import command

SEED, KILLS, AT_ONCE = 20261121, 200, 2
#: After so many kills a new file is begun, so that its making is interrupted too.
KILLS_OF_A_FILE = 10


def start(*arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        command(*arguments),
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def kill(child: subprocess.Popen[str], moment: float) -> list[str]:
    """Kill ``child`` after ``moment`` seconds; return the rest of what it said. It must not have failed by itself."""
    time.sleep(moment)
    child.kill()
    assert child.stdout is not None
    # What was read ahead with the first line is in this object alone.
    said = child.stdout.read()
    assert child.communicate() == ("", "")
    return said.split()


def check(path: Path, acknowledged: Sequence[int], next_one: int, scratch: Path) -> list[int]:
    """See that the file is sound and holds what was acknowledged, and of the next one all or nothing."""
    if not path.exists():
        assert not acknowledged
        return []
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir()
    for each in path.parent.glob(f"{path.name}*"):
        shutil.copy(each, scratch)
    with closing(sqlite3.connect(scratch / path.name)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    found: dict[int, list[QuotaSample]] = {}
    for sample in samples(path):
        found.setdefault(sample.time, []).append(sample)
    assert all(is_whole(each) for each in found.values())
    assert ledger_is_whole(path, list(found))
    assert list(found) in ([*acknowledged], [*acknowledged, next_one]), (
        f"acknowledged {acknowledged[-3:]}"
    )
    return list(found)


def kill_often(directory: Path, seed: int, kills: int) -> int:
    """Kill recorders one after the other; return how many were in the middle of their work."""
    chance, working = random.Random(seed), 0
    there: list[int] = []
    for number in range(kills):
        path = directory / f"{number // KILLS_OF_A_FILE}.db"
        there = there if number % KILLS_OF_A_FILE else []
        first = there[-1] + LOOK if there else START
        child = start("loop", path, first)
        said = []
        if chance.random() < 0.2:
            moment = chance.uniform(0.05, 0.25)
        else:
            assert child.stdout is not None
            moment, said = chance.uniform(0, 0.05), [child.stdout.readline().strip()]
        after = "a record" if said else "its start"
        sys.stdout.write(
            f"kill {number} of {directory.name}: {moment * 1000:.1f} ms after {after}\n"
        )
        said += kill(child, moment)
        acknowledged = [*there, *(int(each) for each in said)]
        working += path.with_name(f"{path.name}-wal").exists()
        there = check(
            path,
            acknowledged,
            acknowledged[-1] + LOOK if acknowledged else START,
            directory / "copy",
        )
    return working


def test_nothing_is_lost_when_a_recorder_is_killed_at_any_of_200_moments(tmp_path: Path) -> None:
    """Real processes, killed by SIGKILL: what the system holds of their files survives them, other than power loss."""
    sys.stdout.write(f"seed {SEED}\n")
    directories = [tmp_path / str(number) for number in range(AT_ONCE)]
    for directory in directories:
        directory.mkdir()
    with ThreadPoolExecutor(AT_ONCE) as executor:
        seeds = range(SEED, SEED + AT_ONCE)
        working = list(executor.map(kill_often, directories, seeds, [KILLS // AT_ONCE] * AT_ONCE))

    # Most were struck while they had a file open, or the moments are not what they should be.
    assert sum(working) > KILLS // 4


def booked(path: Path) -> dict[str, tuple[int, int]]:
    """Return by group what its ledger says: seconds, and unit seconds lent."""
    found: dict[str, tuple[int, int]] = {}
    with open_history(path) as history:
        for each in history.ledger(POOL, 0, FOREVER):
            seconds, lent = found.get(each.sums.group, (0, 0))
            found[each.sums.group] = (seconds + each.seconds, lent + each.sums.lent)
    return found


def totals(path: Path) -> dict[str, tuple[int, int, Fraction, float]]:
    """Return by group: seconds, looks, usage over time in thousandths, and starved seconds."""
    found: dict[str, tuple[int, int, Fraction, float]] = {}
    for each in samples(path):
        span, looks, usage, starved = found.get(each.group, (0, 0, Fraction(0), 0.0))
        usage += round(Fraction(each.usage) * each.span * 1000)
        found[each.group] = (span + each.span, looks + each.looks, usage, starved + each.starved)
    return found


def test_nothing_is_lost_when_pruning_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "drift.db"
    with open_history(path, writable=True) as history:
        for number in range(1500):
            groups = (
                group(f"g{n}", usage=(number * 7 + n) % 19 / 8, idle=float(n)) for n in range(4)
            )
            booked_then = tuple(
                LedgerEntry(f"g{n}", "gpus", lent=(number * 5 + n) % 17) for n in range(4)
            )
            history.record(observation(START + number * 1800, *groups, ledger=booked_then))
        before = list(history.samples(POOL, 0, FOREVER))
    expected, chance = (totals(path), booked(path)), random.Random(SEED)
    ended, kills = False, 0
    while not ended:
        child = start("prune", path, FOREVER)
        assert child.stdout is not None
        child.stdout.readline()
        ended = "ended" in kill(child, chance.uniform(0, 0.01 * (kills + 1)))
        kills += 1
        assert (totals(path), booked(path)) == expected

    assert kills > 2
    # All but the last day, which may go on, is days: 31 days and 6 hours are 32 and 12 looks.
    assert len(before) == 6000
    assert len(samples(path)) < 4 * (32 + 13)


def test_many_record_at_once(tmp_path: Path) -> None:
    """They make the file together, too."""
    path = tmp_path / "drift.db"
    children = [start("many", path, START, f"pool{number}", 10) for number in range(8)]
    for child in children:
        assert child.communicate() == ("", "")

    expected = [START + number * LOOK for number in range(10)]
    assert {f"pool{number}": times(path, f"pool{number}") for number in range(8)} == {
        f"pool{number}": expected for number in range(8)
    }
    assert names(tmp_path) == ["drift.db"]


def test_readers_see_whole_observations_while_others_record(tmp_path: Path) -> None:
    path = tmp_path / "drift.db"
    record(path, crowd(START))
    child = start("loop", path, START + LOOK)
    assert child.stdout is not None
    seen: list[int] = []
    for _ in range(25):
        acknowledged = int(child.stdout.readline())
        seen = times(path)
        assert seen == list(range(START, seen[-1] + 1, LOOK))
        assert seen[-1] >= acknowledged
    assert len(samples(path)) % 20 == 0
    kill(child, 0)


def test_a_reader_sees_one_moment_and_hinders_nobody(tmp_path: Path) -> None:
    path = tmp_path / "drift.db"
    record(path, observation(START, pool="x"))
    before = path.read_bytes()
    with open_history(path) as history:
        assert start("many", path, START + LOOK, "x", 3).communicate() == ("", "")
        assert [sample.time for sample in history.samples("x", 0, FOREVER)] == [START]
        assert path.read_bytes() == before
        assert "drift.db-wal" in names(tmp_path)
    expected = [START + number * LOOK for number in range(4)]

    assert times(path, "x") == expected
    record(path, observation(START))
    assert (times(path, "x"), names(tmp_path)) == (expected, ["drift.db"])


def test_a_second_recorder_waits_for_the_first(tmp_path: Path) -> None:
    path = tmp_path / "drift.db"
    record(path, observation(START))
    first = start("hold", path)
    assert first.stdout is not None
    assert first.stdout.readline() == "holds\n"
    ends = threading.Timer(0.5, first.kill)
    ends.start()
    begun = time.monotonic()
    record(path, observation(START + LOOK))

    assert time.monotonic() - begun > 0.4
    ends.join()
    first.communicate()
    assert times(path) == [START, START + LOOK]


def test_a_second_recorder_does_not_wait_forever(tmp_path: Path) -> None:
    path = tmp_path / "drift.db"
    record(path, observation(START))
    first = start("hold", path)
    assert first.stdout is not None
    assert first.stdout.readline() == "holds\n"
    with open_history(path, writable=True, timeout=0.2) as history:
        for attempt in (
            lambda: history.record(observation(START + LOOK)),
            lambda: history.prune(FOREVER, Retention()),
        ):
            with pytest.raises(
                HistoryError, match=r"drift\.db is being written by another program"
            ) as refused:
                attempt()
            assert refused.value.exit_status == EXIT_UNKNOWN
            assert "nothing was changed" in refused.value.hint

    assert times(path) == [START]
    first.communicate()
