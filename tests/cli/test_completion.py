"""What shells may complete: every option has its kind of value, every word is one that htcq takes."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import pytest

from htcq.cli.completion import KINDS, KNOWN, UNKNOWN, places, script
from htcq.cli.main import COMMANDS, parser_of
from htcq.report.completion import ANY, SHELLS, summary_of
from tests.cli.conftest import Call

PLACES = {each.path: each for each in places()}


def _parsers(
    path: str, parser: argparse.ArgumentParser
) -> Iterator[tuple[str, list[argparse.Action]]]:
    yield path, parser._actions
    for each in parser._actions:
        if isinstance(each, argparse._SubParsersAction):
            for name, chosen in each.choices.items():
                yield from _parsers(f"{path} {name}", chosen)


ACTIONS = {
    path: actions for command in COMMANDS for path, actions in _parsers(command, parser_of(command))
}


def test_every_command_and_action_is_a_place() -> None:
    assert set(PLACES) == {"", *ACTIONS}
    assert len(PLACES) > 30
    assert list(PLACES[""].actions) == list(COMMANDS)
    assert "plan" in PLACES["elastic"].actions


@pytest.mark.parametrize("path", ACTIONS)
def test_every_option_is_there_with_all_its_spellings(path: str) -> None:
    told = [
        each for each in ACTIONS[path] if each.option_strings and each.help != argparse.SUPPRESS
    ]

    assert [list(each.names) for each in PLACES[path].options] == [
        each.option_strings for each in told
    ]
    assert [each.value is None for each in PLACES[path].options] == [
        each.nargs == 0 for each in told
    ]


def test_of_every_value_it_is_said_what_it_is() -> None:
    """A new option's value gets its kind, its words, or a place among those that only the user knows."""
    unsaid = [
        (path, action.dest, action.metavar)
        for path, actions in ACTIONS.items()
        for action in actions
        if isinstance(action.metavar, str)
        and not isinstance(action, argparse._SubParsersAction)
        and action.metavar not in {*KINDS, *UNKNOWN}
        and ((action.option_strings or [action.dest])[0], action.metavar) not in KNOWN
    ]

    assert unsaid == []


def test_nothing_is_said_of_what_is_not_there() -> None:
    values = {
        ((action.option_strings or [action.dest])[0], str(action.metavar))
        for actions in ACTIONS.values()
        for action in actions
    }

    assert set(KNOWN) - values == set()
    assert (set(KINDS) | UNKNOWN) - {label for _, label in values} == set()


def test_every_word_that_is_offered_is_one_that_the_help_names() -> None:
    """Rules, schemas and assets are too many for a help: there the words are those of the tables themselves."""
    named = {"--asset", "--ignore", "--only", "--schema"}
    missing, seen = [], set()
    for path, place in PLACES.items():
        helps = {
            each.option_strings[0]: each.help
            for each in ACTIONS.get(path, ())
            if each.option_strings
        }
        for option in place.options:
            if option.value is not None and option.value.words and option.names[0] not in named:
                seen.add(option.names[0])
                help_ = helps[option.names[0]] or ""
                missing += [
                    (path, option.names[0], word)
                    for word in option.value.words
                    if word not in help_
                ]

    assert missing == []
    assert seen == {name for name, _ in KNOWN if name.startswith("--")} - named


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_has_every_place_and_every_option(shell: str, call: Call) -> None:
    done = call("explain", "--completion", shell)

    assert (done.status, done.err) == (0, "")
    assert done.out == script(shell)
    for path, place in PLACES.items():
        assert f'"{path}"' in done.out
        for option in place.options:
            for name in option.offered:
                assert name.lstrip("-") in done.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["--completion", "csh"],
            "--completion csh: there is no such shell (choose one of bash, zsh, fish)",
        ),
        (["dead-knob", "--completion", "bash"], "--completion takes no rule (leave out dead-knob)"),
        (["--completion", "bash", "--man"], "contradict each other"),
    ],
)
def test_what_cannot_be_printed_is_refused(arguments: list[str], said: str, call: Call) -> None:
    done = call("explain", *arguments)

    assert (done.status, done.out) == (2, "")
    assert said in done.err


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("time limit of each query (default 60s)", "time limit of each query"),
        ("check only these rules: ids or patterns; repeatable", "check only these rules"),
        ("min: a rule of the model", "min: a rule of the model"),
        ("word " * 30, ("word " * 15).strip() + "…"),
    ],
)
def test_a_summary_is_the_first_thought(text: str, short: str) -> None:
    assert summary_of(text) == short


def test_spellings_of_htcondor_are_understood_and_not_offered() -> None:
    (pool,) = [each for each in PLACES["audit"].options if "--pool" in each.names]

    assert list(pool.names) == ["--pool", "-pool"]
    assert pool.offered == ["--pool"]
    assert pool.value is not None
    assert pool.value.kind != ANY
