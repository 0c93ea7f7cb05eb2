"""Tables for terminals and for everything else."""

from __future__ import annotations

import io

import pytest

from htcq.report.terminal import show_table


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
