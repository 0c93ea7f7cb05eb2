"""One grammar of durations: in files with a unit, on the command line also as a bare number of seconds."""

from __future__ import annotations

import argparse

import pytest

from htcq.cli.options import seconds
from htcq.errors import InputError
from htcq.settings.durations import DURATION_HINT, parse_duration

UNITS = [
    ("90s", 90),
    (" 30 min ", 1800),
    ("12h", 43200),
    ("2d", 172800),
    ("8w", 4838400),
    ("1y", 31536000),
]


@pytest.mark.parametrize(("text", "number"), UNITS)
def test_every_unit_is_taken_everywhere(text: str, number: int) -> None:
    assert parse_duration("x", text) == seconds(text) == number


@pytest.mark.parametrize("text", ["5m", "1.5h", "-1h", "h", "", "1h 30min", "1H"])
def test_anything_else_is_refused_with_the_units(text: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_duration("f.toml: key", text)
    assert str(caught.value) == f"f.toml: key is {text!r}, which is not a duration"
    assert caught.value.hint == DURATION_HINT
    with pytest.raises(argparse.ArgumentTypeError, match="s, min, h, d, w or y"):
        seconds(text)


def test_a_bare_number_is_of_seconds_on_the_command_line_alone() -> None:
    assert seconds("2.5") == 2.5
    with pytest.raises(InputError):
        parse_duration("x", "600")


@pytest.mark.parametrize("text", ["inf", "nan", "1e999"])
def test_no_deadline_is_infinite(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError):
        seconds(text)


def test_no_time_at_all_is_taken_where_it_means_something() -> None:
    assert parse_duration("x", "0s", zero=True) == 0
    with pytest.raises(InputError, match="must be more than 0"):
        parse_duration("x", "0s")
