"""A log of events is read on from where it was read before, and what its events come to is counted once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from htcq.errors import JournalError
from htcq.store.event_log import EventLog, Fold


class Numbers:
    """A log of whole numbers, the lines that were read of it, and their sum."""

    def __init__(self, path: Path) -> None:
        self.read: list[int] = []
        self.log: EventLog[int] = EventLog(path, self._number, lambda number: f"[{number}]\n")
        self.sum: Fold[int, int] = Fold(self.log, int, int.__add__)

    def _number(self, line: bytes, number: int) -> int:
        read = json.loads(line)
        if not isinstance(read, list):
            raise ValueError("no list")
        found = read[0]
        if found < 0:
            raise JournalError(f"line {number} is negative", "")
        self.read.append(found)
        return int(found)


@pytest.fixture
def numbers(tmp_path: Path) -> Numbers:
    return Numbers(tmp_path / "log")


def test_each_line_is_read_once(numbers: Numbers) -> None:
    assert list(numbers.log.events) == []
    for each in (1, 2, 3):
        numbers.log.append(each)
        assert numbers.sum.state == sum(range(each + 1))
    assert list(numbers.log.events) == numbers.read == [1, 2, 3]


def test_what_another_one_adds_is_seen(numbers: Numbers) -> None:
    numbers.log.append(1)
    assert numbers.sum.state == 1
    Numbers(numbers.log.path).log.append(2)
    assert numbers.sum.state == 3


@pytest.mark.parametrize("torn", [b"[2", b"\xff", b"[", b"2"])
def test_a_torn_last_line_is_damaged_until_the_next_one_ends_it(
    torn: bytes, numbers: Numbers
) -> None:
    numbers.log.append(1)
    with numbers.log.path.open("ab") as file:
        file.write(torn)
    assert (list(numbers.log.events), numbers.log.damaged) == ([1], (2,))
    numbers.log.append(3)
    assert (list(numbers.log.events), numbers.log.damaged) == ([1, 3], (2,))
    assert numbers.sum.state == 4


def test_a_line_that_is_written_while_it_is_read_counts_once_it_is_whole(numbers: Numbers) -> None:
    with numbers.log.path.open("ab", buffering=0) as file:
        file.write(b"[1]\n[2")
        assert numbers.sum.state == 1
        file.write(b"3]")
        assert (numbers.sum.state, numbers.log.damaged) == (24, ())
        file.write(b"\n")
        assert numbers.sum.state == 24
    numbers.log.append(5)
    assert (list(numbers.log.events), numbers.log.damaged) == ([1, 23, 5], ())


def test_a_log_that_is_begun_anew_is_read_from_its_beginning(numbers: Numbers) -> None:
    for each in (1, 2, 3):
        numbers.log.append(each)
    assert numbers.sum.state == 6
    former = numbers.log.begin_anew([3], "3")
    assert (former.name, numbers.sum.state) == ("log.3", 3)
    numbers.log.path.unlink()
    assert (list(numbers.log.events), numbers.sum.state) == ([], 0)


def test_a_log_that_must_not_be_used_says_so_each_time(numbers: Numbers) -> None:
    numbers.log.append(1)
    with numbers.log.path.open("a") as file:
        file.write("[-1]\n")
    for _ in range(2):
        with pytest.raises(JournalError, match="line 2 is negative"):
            _ = numbers.sum.state
    with pytest.raises(JournalError, match="cannot be read"):
        _ = Numbers(numbers.log.path.parent).log.events
