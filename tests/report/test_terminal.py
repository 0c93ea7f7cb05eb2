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


def test_a_terminal_shows_how_far_it_is_and_is_clean_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
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
