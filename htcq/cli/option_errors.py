"""Errors of the command line in htcq's words: which option is wrong, and what may stand there.

argparse (Python 3.9 to 3.14) reports each error as one English text; these are all of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from htcq.spelling import did_you_mean

_OF_ARGUMENT = re.compile(r"argument (?P<name>.+?): (?P<why>.*)", re.DOTALL)
_EXCLUSIVE = re.compile(r"not allowed with argument (?P<other>\S+)")
_CHOICE = re.compile(r"invalid choice: (?P<given>.*?) \(choose from (?P<choices>.*)\)", re.DOTALL)
_TYPE = re.compile(r"invalid (?P<type>\w+) value: (?P<given>.*)", re.DOTALL)
_UNKNOWN = re.compile(r"unrecognized arguments: (?P<given>.*)", re.DOTALL)
_MISSING = re.compile(r"the following arguments are required: (?P<names>.*)", re.DOTALL)
_ONE_OF = re.compile(r"one of the arguments (?P<names>.*) is required")
_TYPES = {"int": "a whole number", "float": "a number"}


class OptionError(NamedTuple):
    """The message of an error, and the hint; the hint is empty where only the help can say more."""

    message: str
    hint: str = ""


def option_error(text: str, options: Iterable[str]) -> OptionError:
    """Return argparse's error ``text`` in htcq's words; ``options`` are those of the command."""
    unknown = _UNKNOWN.fullmatch(text)
    if unknown:
        return _unknown(unknown["given"], options)
    missing = _MISSING.fullmatch(text)
    if missing:
        names = [_first_spelling(name) for name in missing["names"].split(", ")]
        verb = "is" if len(names) == 1 else "are"
        return OptionError(f"{' and '.join(names)} {verb} missing")
    one_of = _ONE_OF.fullmatch(text)
    if one_of:
        names = [_first_spelling(name) for name in one_of["names"].split()]
        return OptionError(f"{' or '.join(names)} is missing")
    of_argument = _OF_ARGUMENT.fullmatch(text)
    if of_argument:
        return _of_argument(_first_spelling(of_argument["name"]), of_argument["why"])
    return OptionError(text)


def _of_argument(name: str, why: str) -> OptionError:
    exclusive = _EXCLUSIVE.fullmatch(why)
    if exclusive:
        other = _first_spelling(exclusive["other"])
        return OptionError(f"{other} and {name} contradict each other", "give one of them")
    choice = _CHOICE.fullmatch(why)
    if choice:
        given = choice["given"].strip("'")
        choices = [each.strip("'") for each in choice["choices"].split(", ")]
        possible = f"possible values: {', '.join(choices)}"
        return OptionError(f"{name}: '{given}' is unknown", did_you_mean(given, choices, possible))
    wrong = _TYPE.fullmatch(why)
    if wrong and wrong["type"] in _TYPES:
        return OptionError(f"{name}: {wrong['given']} is not {_TYPES[wrong['type']]}")
    if why == "expected one argument":
        return OptionError(f"{name} needs a value")
    if why == "expected at least one argument":
        return OptionError(f"{name} needs at least one value")
    if why.startswith("ignored explicit argument"):
        return OptionError(f"{name} takes no value")
    return OptionError(f"{name}: {why}")


def _unknown(given: str, options: Iterable[str]) -> OptionError:
    first = given.split(" ")[0]
    if not first.startswith("-"):
        return OptionError(f"'{first}' is one argument too many")
    option = first.partition("=")[0]
    known = [each for each in options if each.startswith("--")]
    longer = [each for each in known if option.startswith("--") and each.startswith(option)]
    if longer:
        return OptionError(f"there is no option {option}", f"did you mean {' or '.join(longer)}?")
    return OptionError(f"there is no option {option}", did_you_mean(option, known))


def _first_spelling(names: str) -> str:
    """Return the first of several spellings of an option: ``--json`` of ``--json/-json``."""
    return names.partition("/")[0]
