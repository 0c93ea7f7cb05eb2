"""What a shell may complete: read off the parsers of all commands.

``htcq explain --completion`` prints it for a shell.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence

from htcq.audit.catalog import all_rules
from htcq.audit.profile import PROFILES
from htcq.audit.site import THRESHOLDS
from htcq.capacity.choice import MODELS, RULES, SHARES
from htcq.capacity.presets import NAMES as PRESETS
from htcq.cli.main import COMMANDS, parser_of
from htcq.emit import ROLES
from htcq.policy.consumption import SPLITTINGS
from htcq.report.completion import (
    ANY,
    DIRECTORY,
    FILE,
    HOST,
    LIST,
    SHELLS,
    WORDS,
    Option,
    Place,
    Value,
    completion_script,
    summary_of,
)
from htcq.report.schemas import NAMES as SCHEMAS
from htcq.report.views.drift_check import METRICS
from htcq.units import BUILT_IN_ASSETS, GPUS

#: By what an option or a command calls its value: what kind of value that is.
KINDS: Mapping[str, str] = {
    "DIR": DIRECTORY,
    "DIR|FILE.tar.gz": FILE,
    "FILE": FILE,
    "HOST": HOST,
    "MACHINE": HOST,
    "PATH": FILE,
    "SNAPSHOT": FILE,
    "[MACHINE=]FILE": FILE,
}
#: Values that only their user knows: nothing is offered.
UNKNOWN = frozenset(
    (
        "ASSET=AMOUNT", "ASSET=Q", "ASSET=W", "FACTOR", "GROUP", "ID", "K", "KNOB=VALUE", "M",
        "MACHINE[@FROM[..UNTIL]]", "N",
        "N:MACHINE", "NAME", "NAME=FACTOR", "NEGOTIATOR", "PATTERN", "POOL", "RANGE",
        "ROLE=VERSION", "RUNTIME", "SECONDS", "SHAPE", "SHARE", "SUBMITTER,...",
        "TIME", "USER", "WHAT", "WHO",
    )
)  # fmt: skip


def _rules() -> tuple[str, ...]:
    return tuple(rule.id for rule in all_rules())


#: By the first spelling of an option, or the name of an argument, and what its value is called:
#: the words that it takes, from where they are defined.
KNOWN: Mapping[tuple[str, str], Callable[[], Sequence[str]]] = {
    ("--asset", "ASSET"): lambda: (*BUILT_IN_ASSETS, GPUS),
    ("--completion", "SHELL"): lambda: SHELLS,
    ("--fail-on", "SEVERITY"): lambda: THRESHOLDS,
    ("--profile", "PROFILE"): lambda: tuple(PROFILES),
    ("--ignore", "RULE,..."): _rules,
    ("--metric", "NAME"): lambda: tuple(METRICS),
    ("--model", "NAME"): lambda: MODELS,
    ("--only", "RULE,..."): _rules,
    ("--preset", "NAME"): lambda: PRESETS,
    ("--role", "ROLE"): lambda: ROLES,
    ("--rule", "RULE"): lambda: RULES,
    ("--schema", "NAME"): lambda: SCHEMAS,
    ("--share", "WHAT"): lambda: SHARES,
    ("--splitting", "WHO"): lambda: SPLITTINGS,
    ("rule", "RULE"): _rules,
}


def script(shell: str) -> str:
    """Return what ``shell`` reads to complete command lines of htcq."""
    return completion_script(shell, tuple(places()))


def places() -> Iterator[Place]:
    """Yield htcq itself, and each command and action with what may follow it."""
    first = (
        Option(("-h", "--help"), "list the commands"),
        Option(("-V", "--version"), "print the version"),
    )
    yield Place("", first, COMMANDS)
    for command in COMMANDS:
        yield from _places(command, parser_of(command))


def _places(path: str, parser: argparse.ArgumentParser) -> Iterator[Place]:
    options, actions, operand = [], {}, None
    choosers = []
    for each in parser._actions:
        if isinstance(each, argparse._SubParsersAction):
            choosers.append(each)
            actions = {chosen.dest: chosen.help or "" for chosen in each._choices_actions}
        elif not each.option_strings:
            operand = _value(each.dest, str(each.metavar))
        elif each.help != argparse.SUPPRESS:
            options.append(_option(each))
    yield Place(path, options, actions, operand)
    for chooser in choosers:
        for name, chosen in chooser.choices.items():
            yield from _places(f"{path} {name}", chosen)


def _option(action: argparse.Action) -> Option:
    value = None
    if action.nargs != 0:
        value = _value(action.option_strings[0], str(action.metavar))
    return Option(
        action.option_strings,
        summary_of((action.help or "").replace("%%", "%")),
        value,
        value_required=action.nargs != "?",
        repeatable=isinstance(action, argparse._AppendAction),
    )


def _value(name: str, label: str) -> Value:
    words = KNOWN.get((name, label))
    if words is None:
        return Value(label, KINDS.get(label, ANY))
    kind = WORDS
    if label.endswith(",..."):
        kind = LIST
    return Value(label, kind, tuple(words()))
