"""The story of a pool at a terminal."""

from __future__ import annotations

import io
from datetime import tzinfo
from typing import TextIO

import pytest

from htcq.drift.explanation import DriftExplanation
from htcq.report.views.drift_text import happened, headline, show_story, standing
from tests.report.stories import LONG, ODD, QUIET, STORY, UNSEEN, ZONE
from tests.report.test_terminal import Terminal


class Output(io.TextIOWrapper):
    """A file in some encoding."""

    def __init__(self, encoding: str) -> None:
        self.octets = io.BytesIO()
        super().__init__(
            self.octets, encoding=encoding, errors="backslashreplace", write_through=True
        )

    @property
    def text(self) -> str:
        return self.octets.getvalue().decode(self.encoding)


def shown(story: DriftExplanation, encoding: str = "utf-8") -> str:
    output = Output(encoding)
    show_story(story, output, ZONE)
    return output.text


def row(text: str, name: str) -> list[str]:
    """Return the cells of a group, without its picture."""
    line = next(line for line in text.splitlines() if line.startswith(name) and line.endswith("%"))
    return line.rpartition("|")[2].split()


def test_the_headline_has_pool_time_and_coverage() -> None:
    """6 days of 7, and the first quarter of an hour of each is in it: 86%."""
    assert (
        headline(STORY, ZONE)
        == "cm.example.net, 2026-11-02 00:00 to 2026-11-09 00:00 CET, 86% of it observed"
    )


def test_what_changed_is_told_with_its_time() -> None:
    text = shown(STORY)

    assert (
        "  2026-11-03 00:00  knob SLOT_WEIGHT  Cpus -> max({Cpus, floor(Memory / 2048)})\n" in text
    )
    assert (
        "  2026-11-04 00:00  physics           configured quota 100 -> 60, accept_surplus false "
        "-> true\n"
    ) in text


def test_what_disagrees_is_told_with_the_time_since_which_it_does() -> None:
    told = [(entry.subject, entry.text) for entry in standing(STORY)]

    assert told == [
        (ODD, "quota published 5 where 10 should be"),
        ("physics", "quota declared 100, but configured 60"),
        ("physics", "accept_surplus declared false, but configured true"),
    ]
    assert "  since 2026-11-07 00:15  " in shown(STORY)


def test_what_happened_is_in_the_order_of_time() -> None:
    times = [entry.when for entry in happened(STORY, ZONE)]

    assert times == sorted(times)


def test_the_table_has_the_numbers_of_each_group() -> None:
    """Physics: 2 days of 100 and 4 of 60 make 73.3; 50 is 2 * 50 + 4 * 10 off, by 6: 23.3; it starved 1 day of 6."""
    text = shown(STORY)

    assert row(text, "physics") == ["50", "50", "73.3", "23.3", "17%", "0%", "0%", "86%"]
    assert row(text, "chem") == ["21.7", "30", "20", "1.7", "0%", "17%", "0%", "86%"]
    assert row(text, LONG) == ["0", "0", "-", "-", "0%", "0%", "0%", "86%"]


def test_the_worst_group_comes_first() -> None:
    text = shown(STORY).partition("Groups, ")[2]

    assert text.index("physics") < text.index("chem") < text.index(ODD)


def test_a_picture_has_a_character_for_each_seven_hours() -> None:
    """Half of the quota for 2 days, then five sixths; Friday is from the 14th to the 17th of 24 characters."""
    line = next(
        line for line in shown(STORY).splitlines() if line.startswith("physics") and "|" in line
    )
    picture = line.split("|")[1]

    assert len(picture) == 24
    assert picture.startswith("▅▅▅▅▅▅")
    assert picture.rstrip("▇").endswith("  ")
    assert "Each character is 7 h: █ the whole quota, ▲ more than that" in shown(STORY)


def test_an_output_without_blocks_has_ascii() -> None:
    text = shown(STORY, "ascii")

    assert text.isascii()
    assert "|======" in text
    assert "Z\\xfcrich came into use" in text


def test_names_do_not_steer_the_terminal() -> None:
    assert "\x1b" not in shown(STORY)
    assert "\\x1b[31mZürich came into use" in shown(STORY)


def test_doubts_are_told() -> None:
    assert "in doubt: the published usage of chem is -3" in shown(STORY)


def test_where_nothing_happened_that_is_said() -> None:
    text = shown(QUIET)

    assert "What changed: nothing\n" in text
    assert "What disagrees now: nothing\n" in text


def test_of_a_time_of_which_nothing_is_known_there_is_no_table() -> None:
    text = shown(UNSEEN)

    assert text.startswith("other.example.net, ")
    assert "0% of it observed" in text
    assert "Groups" not in text


@pytest.mark.parametrize("zone", [ZONE, None])
def test_a_terminal_gets_colours_and_no_color_none(
    zone: tzinfo | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.delenv("NO_COLOR", raising=False)
    coloured = _on_terminal(Terminal(), zone)
    monkeypatch.setenv("NO_COLOR", "1")
    plain = _on_terminal(Terminal(), zone)

    assert "\x1b[1m" in coloured
    assert "\x1b" not in plain


def _on_terminal(terminal: TextIO, zone: tzinfo | None) -> str:
    show_story(STORY, terminal, zone)
    assert isinstance(terminal, io.StringIO)
    return terminal.getvalue()
