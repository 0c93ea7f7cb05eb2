"""SYNOPSIS and OPTIONS come from the parsers: what the generator makes of one, and that every page has the places."""

from __future__ import annotations

import argparse

import pytest
from manual_options import OPTIONS, SYNOPSIS, options, synopsis
from manual_source import SOURCES

from htcq.cli.main import COMMANDS


@pytest.fixture
def parser() -> argparse.ArgumentParser:
    """A parser with one option of each sort."""
    made = argparse.ArgumentParser(prog="htcq test")
    made.add_argument("goal", metavar="DIR", help="directory to write")
    made.add_argument("--old", help=argparse.SUPPRESS)
    made.add_argument(
        "--quotas",
        "-q",
        metavar="FILE",
        required=True,
        help="file such as \"a b\", see 'htcq x --y'",
    )
    made.add_argument(
        "--set", metavar="KNOB=VALUE", action="append", help="a_b of 5%% * 2; repeatable"
    )
    made.add_argument("--weights", metavar="FILE", nargs="?", help="fixed: write cpus=1")
    form = made.add_argument_group("output").add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print JSON")
    form.add_argument("--csv", action="store_true", help="print CSV")
    return made


def test_a_synopsis_shows_what_may_be_left_out_given_again_or_not_given_together(
    parser: argparse.ArgumentParser,
) -> None:
    assert synopsis(parser).splitlines() == [
        "```synopsis",
        "htcq test",
        "  DIR",
        "  --quotas FILE",
        "  [--set KNOB=VALUE]...",
        "  [--weights [FILE]]",
        "  [--json | --csv]",
        "```",
    ]


def test_an_option_is_its_help_as_a_sentence(parser: argparse.ArgumentParser) -> None:
    assert list(options([parser])) == [
        "- *DIR*\n\n  Directory to write.",
        '- `--quotas`, `-q` *FILE*\n\n  File such as `"a b"`, see `htcq x --y`.',
        "- `--set` *KNOB=VALUE*\n\n  A\\_b of 5% \\* 2; repeatable.",
        "- `--weights` *\\[FILE\\]*\n\n  Model `fixed`: write `cpus=1`.",
        "### Options: output",
        "- `--json`\n\n  Print JSON.",
        "- `--csv`\n\n  Print CSV.",
        "- `-h`, `--help`\n\n  List the options.",
    ]


@pytest.mark.parametrize("command", COMMANDS)
def test_the_page_of_a_command_has_the_places_and_no_list_of_its_own(command: str) -> None:
    text = (SOURCES / f"htcq-{command}.1.md").read_text(encoding="utf-8")

    assert (text.count(SYNOPSIS), text.count(OPTIONS)) == (1, 1)
    assert "```synopsis" not in text
    assert "\n- `--quotas`" not in text
