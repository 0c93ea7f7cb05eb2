"""The journal keeps what was added, whole, whatever happened to the line after it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from htcq.elastic.journal import LOOK, JournalRecord
from htcq.elastic.journal_lines import line_of
from htcq.errors import EXIT_UNKNOWN, JournalError
from htcq.store.elastic_journal import Journal, read_journal

TIME = 1_795_000_000.0


def record(number: int) -> JournalRecord:
    return JournalRecord(number, TIME + number, LOOK, told=f"look {number}")


def test_records_come_back_in_their_order(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    for number in (1, 2, 3):
        Journal(path).append(record(number))
    journal = read_journal(path)

    assert journal.records == (record(1), record(2), record(3))
    assert (journal.damaged, journal.warnings(), journal.state.last) == ((), (), 3)


def test_where_there_is_none_nothing_was_done(tmp_path: Path) -> None:
    assert read_journal(tmp_path / "journal").records == ()


@pytest.mark.parametrize("kept", range(1, len(line_of(record(2)))))
def test_a_torn_line_is_told_of_and_survived(kept: int, tmp_path: Path) -> None:
    path = tmp_path / "journal"
    Journal(path).append(record(1))
    torn = line_of(record(2)).encode()[:kept]
    with path.open("ab") as file:
        file.write(torn)
    Journal(path).append(record(3))
    journal = read_journal(path)

    whole = kept == len(line_of(record(2))) - 1
    assert journal.records == (
        (record(1), record(2), record(3)) if whole else (record(1), record(3))
    )
    assert journal.damaged == (() if whole else (2,))
    assert bool(journal.warnings()) is not whole


@pytest.mark.parametrize(
    "told",
    [
        '"number":2,"time":1e999',
        '"number":2,"time":1e300',
        f'"number":2,"time":1{"0" * 400}',
        '"number":1e999,"time":1',
        '"number":2,"time":1,"quotas":{"a":[1e999,true]}',
        '"number":2,"time":1,"seen":{"slots":1e999,"schedds":1,"pool_weight":1}',
        '"number":2,"time":1,"text":["a"]',
        '"number":2,"time":1,"path":5',
        '"number":2,"time":1,"path":"a\\u0000b"',
        '"number":2,"time":1,"text":"\\ud800"',
        '"number":2,"time":1,"asked":"yes"',
        '"number":2,"time":1,"fallback":null',
    ],
)
def test_a_line_with_a_value_that_no_htcq_wrote_is_no_record(told: str, tmp_path: Path) -> None:
    path = tmp_path / "journal"
    Journal(path).append(record(1))
    with path.open("a") as file:
        file.write(f'{{"v":1,"kind":"intent",{told}}}\n')
    Journal(path).append(record(3))
    journal = read_journal(path)

    assert (journal.records, journal.damaged) == ((record(1), record(3)), (2,))


def test_reading_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    Journal(path).append(record(1))
    with path.open("ab") as file:
        file.write(b'{"v":1')
    before = (path.read_bytes(), path.stat().st_mtime_ns)
    read_journal(path)

    assert (path.read_bytes(), path.stat().st_mtime_ns) == before


def test_a_long_journal_is_shortened_and_the_former_one_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    for number in range(1, 6):
        Journal(path).append(record(number))
    before = path.read_bytes()
    assert Journal(path).shorten(len(before)) is None
    former = Journal(path).shorten(len(before) - 1)

    assert former == tmp_path / "journal.5"
    assert former.read_bytes() == before
    assert read_journal(path).records == (record(5),)
    Journal(path).append(record(6))
    assert former.read_bytes() == before
    assert read_journal(path).state.last == 6
    assert Journal(tmp_path / "none").shorten(0) is None


def test_a_journal_that_cannot_be_written_says_so_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(JournalError) as caught:
        Journal(tmp_path / "none" / "journal").append(record(1))
    assert caught.value.exit_status == EXIT_UNKNOWN
    assert "cannot be written" in str(caught.value)
    with pytest.raises(JournalError):
        read_journal(tmp_path)


def test_bytes_that_are_no_text_are_a_damaged_line(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    Journal(path).append(record(1))
    with path.open("ab") as file:
        file.write(b"\xff\xfe\x00\n")
    Journal(path).append(record(2))

    assert read_journal(path).damaged == (2,)
    assert read_journal(path).records == (record(1), record(2))


def test_every_record_is_one_write_and_is_on_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []
    real_write, real_sync = os.write, os.fsync
    monkeypatch.setattr(
        os, "write", lambda handle, data: (calls.append("write"), real_write(handle, data))[1]
    )
    monkeypatch.setattr(os, "fsync", lambda handle: (calls.append("fsync"), real_sync(handle))[1])
    Journal(tmp_path / "journal").append(record(1))
    Journal(tmp_path / "journal").append(record(2))

    # The directory is on the disk too, once the file is new there.
    assert calls == ["write", "fsync", "fsync", "write", "fsync"]


@pytest.mark.parametrize(
    "damage",
    ['"number":1e999', '"of":-1e999', '"time":1e999', '"time":NaN', '"quotas":{"a":[1e999,true]}',
     '"seen":{"slots":1e999,"schedds":1,"pool_weight":1}', '"seen":{"slots":1,"schedds":1,"pool_weight":1e999}'],
)  # fmt: skip
def test_a_number_without_an_end_is_a_damaged_line(damage: str, tmp_path: Path) -> None:
    path = tmp_path / "journal"
    Journal(path).append(record(1))
    with path.open("a") as file:
        file.write(f'{{"v":1,"kind":"look","time":1.0,{damage}}}\n')

    assert read_journal(path).damaged == (2,)
    assert "no record in line 2" in read_journal(path).warnings()[0]


def test_a_journal_is_not_written_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "journal").symlink_to("victim")
    with pytest.raises(JournalError, match="cannot be written"):
        Journal(tmp_path / "journal").append(record(1))
    assert not (tmp_path / "victim").exists()
