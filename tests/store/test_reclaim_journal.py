"""The record of reclaim on disk."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from htcq.elastic.reclaim.reclaim_events import event_from, record_of, time_of
from htcq.errors import JournalError
from htcq.store.reclaim_journal import ReclaimJournal


def append(journal: ReclaimJournal, record: dict[str, Any]) -> None:
    """Add the event of ``record``."""
    journal.append(event_from(record))


def test_records_come_back_in_their_order(tmp_path: Path) -> None:
    journal = ReclaimJournal(tmp_path / "reclaim")
    assert journal.events() == []
    append(journal, {"kind": "a", "time": 1.0})
    append(journal, {"kind": "b", "time": 2.0, "reclaim": {"é": [1]}})
    assert [(each["kind"], each["time"]) for each in map(record_of, journal.events())] == [
        ("a", 1.0),
        ("b", 2.0),
    ]


def test_half_a_line_is_passed_over_and_nothing_after_it_is_lost(tmp_path: Path) -> None:
    journal = ReclaimJournal(tmp_path / "reclaim")
    append(journal, {"kind": "a"})
    with journal.path.open("ab") as out:
        out.write(b'{"v":1,"kind":"cu')
    append(journal, {"kind": "b"})
    assert [each["kind"] for each in map(record_of, journal.events())] == ["a", "b"]


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        ("look", '"over":5'),
        ("look", '"over":[["a"]]'),
        ("look", '"negotiator":["a"]'),
        ("intent", '"jobs":[]'),
        ("intent", '"action":"1","jobs":[5]'),
        ("intent", '"action":"1","jobs":[{"job":"1.0"}]'),
        ("outcome", '"action":"1","failed":[{}]'),
        ("ceiling", '"submitter":"a","step":"set","ceiling":"x"'),
        ("ceiling", '"submitter":"a","step":"set","ceiling":1e999'),
        ("ceiling", '"submitter":"a","step":"set","ceiling":1,"until":1e999'),
        ("ceiling", '"submitter":"a","step":["set"]'),
    ],
)
def test_a_record_that_no_htcq_wrote_is_refused_and_named(
    kind: str, told: str, tmp_path: Path
) -> None:
    journal = ReclaimJournal(tmp_path / "reclaim")
    append(journal, {"kind": "reclaim-look", "time": 1.0, "reclaim": {"over": ["a"]}})
    with journal.path.open("a") as out:
        out.write(f'{{"v":1,"kind":"reclaim-{kind}","time":2,"reclaim":{{{told}}}}}\n')

    with pytest.raises(JournalError, match="line 2 is no record"):
        journal.events()


@pytest.mark.parametrize("time", ["1e999", '"soon"', "[]", "NaN"])
def test_a_record_of_no_time_is_refused(time: str, tmp_path: Path) -> None:
    journal = ReclaimJournal(tmp_path / "reclaim")
    journal.path.write_text(f'{{"v":1,"kind":"reclaim-look","time":{time},"reclaim":{{}}}}\n')

    with pytest.raises(JournalError, match="line 1 is no record"):
        journal.events()


def test_another_version_is_not_read(tmp_path: Path) -> None:
    journal = ReclaimJournal(tmp_path / "reclaim")
    journal.path.write_text('{"v":2,"kind":"a"}\n')
    with pytest.raises(JournalError, match="another version"):
        journal.events()


def test_what_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="cannot be written"):
        append(ReclaimJournal(tmp_path / "nowhere" / "reclaim"), {})
    with pytest.raises(JournalError, match="cannot be read"):
        ReclaimJournal(tmp_path).events()


def test_a_long_journal_is_shortened_and_the_former_one_is_kept(tmp_path: Path) -> None:
    journal = ReclaimJournal(tmp_path / "reclaim")
    for number in range(6):
        append(
            journal,
            {
                "kind": "reclaim-look",
                "time": 100.0 * number,
                "reclaim": {"negotiator": "", "over": ["a"]},
            },
        )
    before = journal.path.read_bytes()
    assert journal.shorten(100, len(before)) is None, "it is not too long"
    assert journal.shorten(400, 0) is None, "nearly all of it counts"
    assert journal.path.read_bytes() == before
    former = journal.shorten(100, len(before) - 1)

    assert former == tmp_path / "reclaim.500"
    assert former.read_bytes() == before
    assert list(map(time_of, journal.events())) == [400.0, 500.0]
    append(journal, {"kind": "reclaim-look", "time": 600.0, "reclaim": {"negotiator": ""}})
    assert former.read_bytes() == before
    assert list(map(time_of, journal.events())) == [400.0, 500.0, 600.0]
    assert ReclaimJournal(tmp_path / "none").shorten(0, 0) is None


def test_what_cannot_be_shortened_stays_as_it_was(tmp_path: Path) -> None:
    journal = ReclaimJournal(tmp_path / "reclaim")
    for number in range(3):
        append(
            journal, {"kind": "reclaim-look", "time": 100.0 * number, "reclaim": {"negotiator": ""}}
        )
    before = journal.path.read_bytes()
    (tmp_path / "reclaim.200").mkdir()
    with pytest.raises(JournalError, match="cannot be shortened"):
        journal.shorten(0, 0)
    assert journal.path.read_bytes() == before
