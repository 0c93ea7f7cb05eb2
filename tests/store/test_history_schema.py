"""Files of every version are read and brought to today's tables; those of a newer htcq are refused."""

from __future__ import annotations

import hashlib
import sqlite3
from pathlib import Path

import pytest

from htcq.drift.ledger import Booking, LedgerEntry
from htcq.drift.observation import Kept, QuotaSample
from htcq.errors import HistoryError
from htcq.store.history import open_history
from tests.store.histories import (
    FOREVER,
    LOOK,
    POOL,
    START,
    execute,
    names,
    observation,
    record,
    samples,
    times,
)

#: What version 1 wrote after two looks at one pool of one group, spelled out.
VERSION_1 = f"""
PRAGMA auto_vacuum = INCREMENTAL;
PRAGMA application_id = 1752458097;
PRAGMA user_version = 1;
CREATE TABLE pool (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, first INTEGER NOT NULL, last INTEGER NOT NULL,
    hours_to INTEGER NOT NULL DEFAULT 0, days_to INTEGER NOT NULL DEFAULT 0);
CREATE TABLE pool_group (
    id INTEGER PRIMARY KEY, pool INTEGER NOT NULL REFERENCES pool, name TEXT NOT NULL, UNIQUE (pool, name));
CREATE TABLE sample (
    pool INTEGER NOT NULL REFERENCES pool, time INTEGER NOT NULL, pool_group INTEGER NOT NULL,
    span INTEGER NOT NULL, looks INTEGER NOT NULL, effective INTEGER, computed INTEGER,
    usage INTEGER NOT NULL, usage_most INTEGER NOT NULL, idle INTEGER NOT NULL, requested INTEGER NOT NULL,
    allocated INTEGER NOT NULL, starved INTEGER NOT NULL, over INTEGER NOT NULL, lending INTEGER NOT NULL,
    PRIMARY KEY (pool, time, pool_group)) WITHOUT ROWID;
CREATE TABLE kept (
    id INTEGER PRIMARY KEY, pool INTEGER REFERENCES pool, kind TEXT NOT NULL, name TEXT NOT NULL,
    text TEXT NOT NULL, since INTEGER NOT NULL, until INTEGER);
CREATE UNIQUE INDEX kept_open ON kept (pool, kind, name, text) WHERE until IS NULL;
INSERT INTO pool VALUES (1, '{POOL}', {START}, {START + LOOK}, 0, 0);
INSERT INTO pool_group VALUES (1, 1, 'physics');
INSERT INTO sample VALUES (1, {START}, 1, 0, 1, NULL, 10000, 7000, 7000, 0, 0, 0, 0, 0, 0);
INSERT INTO sample VALUES (1, {START + LOOK}, 1, {LOOK}, 1, 10500, 10000, 1500000, 5000, 300000, 0, 0, {LOOK}, 0, 0);
INSERT INTO kept VALUES (1, 1, 'setting', 'GROUP_SORT_EXPR', 'GroupQuota', {START}, NULL);
PRAGMA journal_mode = WAL;
"""
#: What version 2 wrote of the same.
VERSION_2 = (
    VERSION_1.replace("user_version = 1", "user_version = 2")
    .replace(
        "days_to INTEGER NOT NULL DEFAULT 0);",
        "days_to INTEGER NOT NULL DEFAULT 0, negotiator TEXT NOT NULL DEFAULT '', "
        "unit TEXT NOT NULL DEFAULT 'slot weight');",
    )
    .replace(f"{START + LOOK}, 0, 0)", f"{START + LOOK}, 0, 0, '', 'slot weight')")
)
SAMPLES = [
    QuotaSample("physics", START, 0, 1, None, 10.0, 7.0, 7.0, 0.0, 0.0, 0.0),
    QuotaSample(
        "physics", START + LOOK, LOOK, 1, 10.5, 10.0, 5.0, 5.0, 1.0, 0.0, 0.0, starved=LOOK
    ),
]
KEPT = (Kept("setting", "GROUP_SORT_EXPR", "GroupQuota", START),)


@pytest.fixture(params=[VERSION_1, VERSION_2], ids=["version 1", "version 2"])
def old(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return written(tmp_path, request.param)


def written(directory: Path, statements: str) -> Path:
    path = directory / "drift.db"
    connection = sqlite3.connect(path, isolation_level=None)
    for statement in statements.split(";"):
        connection.execute(statement).fetchall()
    connection.close()
    return path


def version(path: Path) -> int:
    return int.from_bytes(path.read_bytes()[60:64], "big")


def tables(path: Path) -> set[tuple[str, str]]:
    connection = sqlite3.connect(path)
    columns = "SELECT m.name, p.name FROM sqlite_master m, pragma_table_info(m.name) p"
    found = set(connection.execute(columns).fetchall())
    connection.close()
    return found


def test_a_reader_understands_an_old_file_and_leaves_it_as_it_is(old: Path) -> None:
    before = hashlib.sha256(old.read_bytes()).hexdigest()
    with open_history(old) as history:
        assert list(history.samples(POOL, 0, FOREVER)) == SAMPLES
        assert history.kept(POOL, 0, FOREVER) == KEPT
        pool = history.pool(POOL)

    assert pool is not None
    assert (pool.negotiator, pool.unit, pool.first, pool.last) == (
        "",
        "slot weight",
        START,
        START + LOOK,
    )
    assert (hashlib.sha256(old.read_bytes()).hexdigest(), names(old.parent)) == (
        before,
        ["drift.db"],
    )


def test_a_writer_brings_an_old_file_to_the_tables_of_a_new_one(old: Path) -> None:
    with open_history(old, writable=True) as history:
        assert history.set_aside is None
        assert list(history.samples(POOL, 0, FOREVER)) == SAMPLES
        assert history.kept(POOL, 0, FOREVER) == KEPT
    record(old.with_name("new.db"), observation(START))

    assert (version(old), version(old.with_name("new.db"))) == (3, 3)
    assert tables(old) == tables(old.with_name("new.db"))


def test_recording_goes_on_in_an_old_file(old: Path) -> None:
    record(old, observation(START + 2 * LOOK))

    assert samples(old)[:2] == SAMPLES
    assert samples(old)[2].span == LOOK


def test_an_old_file_has_no_ledger_and_gets_one(old: Path) -> None:
    seen = LedgerEntry("physics", "gpus", 4, 4, 1, lent=2, unused=1)
    with open_history(old) as history:
        assert list(history.ledger(POOL, 0, FOREVER)) == []
    record(old, observation(START + 2 * LOOK, ledger=(seen,)))

    with open_history(old) as history:
        assert list(history.ledger(POOL, 0, FOREVER)) == [
            Booking(
                LedgerEntry("physics", "gpus", *(LOOK * each for each in (4, 4, 1, 2, 0, 1))),
                START + LOOK,
                START + 2 * LOOK,
                LOOK,
            )
        ]


def test_a_migration_that_fails_changes_nothing(tmp_path: Path) -> None:
    old = written(tmp_path, VERSION_1)
    execute(old, "ALTER TABLE pool ADD COLUMN unit TEXT")
    before = tables(old)
    with pytest.raises(HistoryError, match="duplicate column"):
        record(old, observation(START + 2 * LOOK))

    assert (version(old), tables(old)) == (1, before)


def test_a_migration_that_fails_at_its_end_changes_nothing(tmp_path: Path) -> None:
    """The first of two steps was taken already."""
    old = written(tmp_path, VERSION_1)
    execute(old, "CREATE TABLE ledger (other TEXT)")
    before = tables(old)
    with pytest.raises(HistoryError, match="already exists"):
        record(old, observation(START + 2 * LOOK))

    assert (version(old), tables(old)) == (1, before)


@pytest.mark.parametrize("writable", [True, False])
def test_a_file_of_a_newer_htcq_is_refused(writable: bool, tmp_path: Path) -> None:
    path = tmp_path / "drift.db"
    record(path, observation(START))
    execute(path, "PRAGMA user_version = 4")
    with (
        pytest.raises(HistoryError, match=r"drift.db was made by a newer htcq") as refused,
        open_history(path, writable),
    ):
        pass

    assert "version 4" in str(refused.value)
    assert "use the newer htcq" in refused.value.hint
    execute(path, "PRAGMA user_version = 3")
    assert times(path) == [START]
