from __future__ import annotations

import argparse

import pytest

from htcq.cli.parser import Parser
from htcq.errors import EXIT_USAGE, HtcqError


def _parser() -> Parser:
    parser = Parser(prog="htcq try", allow_abbrev=False)
    parser.add_argument("--pool", metavar="HOST")
    parser.add_argument("--count", type=int)
    parser.add_argument("--part", type=float)
    parser.add_argument("--names", nargs="+")
    parser.add_argument("--model", choices=("fixed", "linear"))
    parser.add_argument("--whole", "-whole", action="store_true")
    parser.add_argument("--file", required=True)
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--json", "-json", action="store_true")
    group.add_argument("--csv", "-csv", action="store_true")
    return parser


@pytest.mark.parametrize(
    ("words", "message", "hint"),
    [
        ("--file f --pol h", "there is no option --pol", "did you mean --pool?"),
        ("--file f --pol=h", "there is no option --pol", "did you mean --pool?"),
        ("--file f --mod x", "there is no option --mod", "did you mean --model?"),
        ("--file f --zzz red", "there is no option --zzz", "see 'htcq try --help'"),
        ("--file f -9x", "there is no option -9x", "see 'htcq try --help'"),
        ("--file f more", "'more' is one argument too many", "see 'htcq try --help'"),
        ("--file f --pool", "--pool needs a value", "see 'htcq try --help'"),
        ("--file f --names", "--names needs at least one value", "see 'htcq try --help'"),
        ("--file f --whole=1", "--whole takes no value", "see 'htcq try --help'"),
        ("--file f --count x", "--count: 'x' is not a whole number", "see 'htcq try --help'"),
        ("--file f --part x", "--part: 'x' is not a number", "see 'htcq try --help'"),
        ("--file f --model liner", "--model: 'liner' is unknown", "did you mean linear?"),
        ("--file f --model z", "--model: 'z' is unknown", "possible values: fixed, linear"),
        ("--file f --json --csv", "--json and --csv contradict each other", "give one of them"),
        ("--pool h", "--file is missing", "see 'htcq try --help'"),
    ],
)
def test_an_error_names_the_option_and_what_may_stand_there(
    words: str, message: str, hint: str
) -> None:
    with pytest.raises(HtcqError) as error:
        _parser().parse_args(words.split())

    assert str(error.value) == message
    assert error.value.hint == hint
    assert error.value.exit_status == EXIT_USAGE


def test_what_is_missing_of_several_is_named() -> None:
    parser = Parser(prog="htcq try")
    parser.add_argument("--file", required=True)
    parser.add_argument("WHO")
    with pytest.raises(HtcqError, match="--file and WHO are missing"):
        parser.parse_args([])


def test_one_of_several_options_is_needed() -> None:
    parser = Parser(prog="htcq try")
    group = parser.add_mutually_exclusive_group(required=True)
    group.add_argument("--plan")
    group.add_argument("--from")
    with pytest.raises(HtcqError, match="--plan or --from is missing"):
        parser.parse_args([])


def test_what_an_option_itself_objects_to_is_said_as_it_is() -> None:
    def refuse(text: str) -> str:
        raise argparse.ArgumentTypeError(f"'{text}' is no time")

    parser = Parser(prog="htcq try")
    parser.add_argument("--within", type=refuse)
    with pytest.raises(HtcqError, match="--within: 'x' is no time"):
        parser.parse_args(["--within", "x"])
