"""Text from elsewhere neither steers a terminal nor turns the reading order."""

from __future__ import annotations

import pytest

from htcq.report.printable import in_cell, one_line, printable, tell


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred", "\\x1b[31mred"),
        ("a\rb", "a\\x0db"),
        ("\x9b2J", "\\x9b2J"),
        ("\u202egnp.exe", "\\u202egnp.exe"),
        ("\u061ca\u200fb\u2066c", "\\u061ca\\u200fb\\u2066c"),
        ("no text: \udcff\ud800", "no text: \\udcff\\ud800"),
        ("tab\tand\nnewline", "tab\tand\nnewline"),
        ("Zürich, 東京", "Zürich, 東京"),
    ],
)
def test_what_is_not_seen_is_spelled_out(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_lines_become_one_and_blanks_within_them_stay() -> None:
    assert one_line('a  =  "b"\n    c\n') == 'a  =  "b" c'


def test_a_cell_keeps_the_blanks_that_a_tree_is_drawn_with() -> None:
    assert in_cell("  a\nb\x1b") == "  a b\\x1b"


def test_a_message_is_one_line_of_a_log_whatever_it_holds(
    capsys: pytest.CaptureFixture[str],
) -> None:
    tell("htcq: jobs of ap\nNov 22 sshd[1]: accepted\r\x1b[1A: refused")

    assert (
        capsys.readouterr().err
        == "htcq: jobs of ap Nov 22 sshd[1]: accepted\\x0d\\x1b[1A: refused\n"
    )
