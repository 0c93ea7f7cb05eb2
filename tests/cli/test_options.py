"""The options of all commands: declared once, in one spelling, with a help that is a sentence."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator

import pytest

from htcq.cli.main import COMMANDS, parser_of

#: What means different things: the pools of a history are no collectors, and what is removed is a
#: file or a machine.
DIFFERENT = {"--pool", "-pool", "--demand", "--remove", "--model", "--rule"}
#: Forms of the output, and whether they take a file.
FORMS = {"--json": False, "--csv": False, "--nagios": False, "--html": True, "--prometheus": True}


def every_action(parser: argparse.ArgumentParser) -> Iterator[tuple[str, argparse.Action]]:
    """Yield the options of a parser and of its actions, with what they belong to."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for chosen in action.choices.values():
                yield from every_action(chosen)
        elif action.help != argparse.SUPPRESS and not isinstance(action, argparse._HelpAction):
            yield parser.prog, action


ALL = [found for command in COMMANDS for found in every_action(parser_of(command))]


def told(entry: tuple[str, argparse.Action]) -> str:
    return f"{entry[0]} {'/'.join(entry[1].option_strings) or entry[1].dest}"


@pytest.mark.parametrize("entry", ALL, ids=told)
def test_a_help_is_a_sentence_without_its_beginning_and_end(
    entry: tuple[str, argparse.Action],
) -> None:
    text = entry[1].help or ""

    assert re.match(r"[a-z]", text)
    assert not text.endswith(".")
    assert not re.search(r"\b([a-z]+(?: [a-z]+)?) \1\b", text)


def test_a_form_is_spelled_alike_in_all_commands() -> None:
    for _, action in ALL:
        for option in set(action.option_strings) & set(FORMS):
            assert bool(action.metavar == "FILE") == FORMS[option]
    assert not [told(entry) for entry in ALL if "--format" in entry[1].option_strings]


def test_an_option_takes_the_same_in_all_commands() -> None:
    """The name of what it takes, and how often: such as a duration everywhere, or one pool or several."""
    taken: dict[str, set[str]] = {}
    for _, action in ALL:
        for option in set(action.option_strings) - DIFFERENT:
            taken.setdefault(option, set()).add(str(action.metavar))

    assert {option: names for option, names in taken.items() if len(names) > 1} == {}
