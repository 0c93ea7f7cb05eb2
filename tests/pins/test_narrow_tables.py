"""Tables on a terminal fit 80 columns, for every pool whose output is pinned; --wide shows the rest."""

from __future__ import annotations

import io
import re
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from htcq.cli.main import run
from htcq.errors import EXIT_USAGE
from tests.pins.commands import COMMANDS
from tests.pins.places import furnish

#: Commands that print narrow tables.
NARROW = (
    "quota --snapshot",
    "elastic status",
    "elastic plan",
    "elastic compute",
    "elastic reclaim plan",
    "drift report",
    "migrate --model model.toml --snapshot",
    "cost",
    "plan",
    "simulate",
    "why",
)
#: A plan has columns for each kind of node: a terminal has them in parts.
_SPLIT = {"plan"}
_FORMATS = {"--json", "--csv", "--ledger"}
#: These print no table, or what has no narrow one.
_OTHERS = {"--html", "--mail", "--write-groups"}
_RULER = re.compile(r"-+( +-+)*")
#: How far columns are apart at most, whoever draws them.
_GAP = 3


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def _lines() -> list[list[str]]:
    """Return the words of each pinned command that has such tables, without a format for programs."""
    found = []
    for line in (line for lines in COMMANDS.values() for line in lines):
        words = shlex.split(line)
        if line.startswith(NARROW) and not _OTHERS.intersection(words):
            found.append(tuple(word for word in words if word not in _FORMATS))
    # Two lines may differ in the format alone.
    return [[*words] for words in dict.fromkeys(found)]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with all pools; the terminal has room for everything, so nothing is split."""
    furnish(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "1000")
    monkeypatch.setenv("CONDOR_CONFIG", "/dev/null")
    return tmp_path


def _printed(
    words: Sequence[str], stream: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> tuple[int, list[list[int]]]:
    """Return the exit status, and the widths of the columns of each table."""
    with monkeypatch.context() as changed:
        changed.setattr(sys, "stdout", stream)
        status = run(words)
    rulers = filter(_RULER.fullmatch, stream.getvalue().splitlines())
    return status, [[len(each) for each in ruler.split()] for ruler in rulers]


def test_narrow_tables_fit_80_columns(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tables, wider = 0, 0
    commands = set()
    for words in _lines():
        with monkeypatch.context() as changed:
            if words[0] in _SPLIT:
                changed.setenv("COLUMNS", "80")
            status, narrow = _printed(words, _Terminal(), changed)
        _, wide = _printed([*words, "--wide"], _Terminal(), monkeypatch)
        assert status != EXIT_USAGE or not wide, words
        assert len(narrow) == len(wide) or words[0] in _SPLIT, words
        for widths in narrow:
            assert len(widths) <= 6, words
            assert sum(widths) + _GAP * (len(widths) - 1) <= 80, (words, widths)
        tables += len(narrow)
        if narrow and words[0] not in commands:
            commands.add(words[0])
            # Columns, not widths: why lists all reasons of jobs only with --wide.
            piped = _printed(words, io.StringIO(), monkeypatch)[1]
            assert list(map(len, wide)) == list(map(len, piped)), words
        wider += sum(sum(widths) + _GAP * (len(widths) - 1) > 80 for widths in wide)

    assert tables > 60
    # Pinned lines of drift have no history.
    assert commands == {line.split()[0] for line in NARROW} - {"drift"}
    # They would not fit with all their columns.
    assert wider > 30


def test_a_narrow_table_says_what_it_leaves_out(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = _Terminal()
    _printed(("quota", "--snapshot", "quotas"), stream, monkeypatch)
    heading = next(line for line in stream.getvalue().splitlines() if "GROUP" in line)

    assert "--wide shows all columns, 10 more" in stream.getvalue()
    assert "BORROWED" not in stream.getvalue()
    assert heading.split()[0] == "GROUP"
