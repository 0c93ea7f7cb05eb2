"""Text from elsewhere neither steers a terminal nor turns the reading order."""

from __future__ import annotations

import pytest

from htcq.report.printable import one_line, printable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred", "\\x1b[31mred"),
        ("a\rb", "a\\x0db"),
        ("\x9b2J", "\\x9b2J"),
        ("\u202egnp.exe", "\\u202egnp.exe"),
        ("tab\tand\nnewline", "tab\tand\nnewline"),
        ("Zürich, 東京", "Zürich, 東京"),
    ],
)
def test_what_is_not_seen_is_spelled_out(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_lines_become_one_and_blanks_within_them_stay() -> None:
    assert one_line('a  =  "b"\n    c\n') == 'a  =  "b" c'
