"""Tables for terminals and for everything else."""

from __future__ import annotations

import io

import pytest

from htcq.report.terminal import progress, show_table


class Terminal(io.StringIO):
    """A stream that is a terminal."""

    def isatty(self) -> bool:
        return True


def _shown(stream: io.StringIO) -> str:
    show_table("title", ("A", "LONG"), [["1", "[red]x[/red]"], ["22", ""]], stream)
    return stream.getvalue()


def test_plain_text_is_aligned_and_has_no_trailing_blanks() -> None:
    assert _shown(io.StringIO()) == "title\nA   LONG\n--  ------------\n1   [red]x[/red]\n22\n"


def test_no_color_means_plain_text_on_a_terminal_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")

    assert _shown(io.StringIO()) == _shown(Terminal())


def test_a_terminal_shows_brackets_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")

    assert "[red]x[/red]" in _shown(Terminal())


def test_progress_is_silent_where_there_is_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    _progressed(stream)
    monkeypatch.setenv("NO_COLOR", "1")
    terminal = Terminal()
    _progressed(terminal)

    assert (stream.getvalue(), terminal.getvalue()) == ("", "")


def test_a_terminal_shows_how_far_it_is_and_is_clean_after_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    terminal = Terminal()
    _progressed(terminal)

    assert "1/3" in terminal.getvalue()
    assert "jobs of [red]x" in terminal.getvalue()
    assert terminal.getvalue().endswith("\x1b[2K")


def _progressed(stream: io.StringIO) -> None:
    bar = progress(stream)
    bar.step(1, 3, "jobs of [red]x")
    bar.close()


_HEADS = ("NAME", "QUOTA\nslot\nweight", "TURN")
_NUMBERS = [["physics", "1,000", "1"], ["chem", "7", "12"]]


def test_numbers_are_aligned_on_the_right_below_headings_of_several_lines() -> None:
    stream = io.StringIO()
    show_table("title", _HEADS, _NUMBERS, stream, right=(1, 2))

    assert stream.getvalue() == (
        "title\n"
        "          QUOTA\n"
        "           slot\n"
        "NAME     weight  TURN\n"
        "-------  ------  ----\n"
        "physics   1,000     1\n"
        "chem          7    12\n"
    )


@pytest.mark.parametrize("plain", [True, False], ids=["plain", "coloured"])
def test_a_table_too_wide_for_a_terminal_is_written_in_parts(
    plain: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "24")
    monkeypatch.setenv("TERM", "xterm")
    if plain:
        monkeypatch.setenv("NO_COLOR", "1")
    else:
        monkeypatch.delenv("NO_COLOR", raising=False)
    terminal = Terminal()
    show_table("title", _HEADS, _NUMBERS, terminal, right=(1, 2), repeat=1)
    lines = terminal.getvalue().splitlines()

    assert sum("physics" in line for line in lines) == 2
    assert [line.count("NAME") for line in lines if "NAME" in line] == [1, 1]
    assert not any("QUOTA" in line and "TURN" in line for line in lines)
    assert sum("title" in line for line in lines) == 1


def test_a_table_goes_whole_to_what_is_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "24")
    whole, narrow = io.StringIO(), io.StringIO()
    show_table("title", _HEADS, _NUMBERS, narrow, right=(1, 2), repeat=1)
    monkeypatch.setenv("COLUMNS", "240")
    show_table("title", _HEADS, _NUMBERS, whole, right=(1, 2), repeat=1)

    assert narrow.getvalue() == whole.getvalue()


def test_a_column_wider_than_the_terminal_is_still_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "10")
    monkeypatch.setenv("NO_COLOR", "1")
    terminal = Terminal()
    show_table("title", _HEADS, _NUMBERS, terminal, repeat=1)

    assert terminal.getvalue().count("physics") == 2
    assert "1,000" in terminal.getvalue()
