"""The ``htcq`` command: finds the command's module and runs it.

An error becomes one line and an exit status.
"""

from __future__ import annotations

import argparse
import importlib
import os
from collections.abc import Sequence

from htcq import __version__, time_limit
from htcq.cli.options import add_deadline, deadline_of
from htcq.cli.parser import Parser
from htcq.errors import EXIT_FINE, EXIT_USAGE, NESTED_VARIABLE, HtcqError, NestedError
from htcq.report.failure import told

#: Every command and what it does, in the order a newcomer meets them.
COMMANDS = {
    "probe": "find out what this execution point has",
    "plan": "show what a claim-capacity model would do on a node",
    "emit": "write the HTCondor configuration that makes the model true",
    "snapshot": "capture the present state of a pool",
    "status": "show where a pool's capacity is, what its jobs wait for, and what to do",
    "cost": "show what jobs cost on the slots of a pool",
    "quota": "show who gets how much of a pool, and why",
    "simulate": "show what the negotiator would do in its next cycle",
    "why": "explain why a job is idle, and when it starts",
    "migrate": "show how a new capacity model changes quotas, and the steps to it",
    "audit": "check a pool for mistakes",
    "elastic": "share a pool by elastic quotas: min, max, lend and borrow",
    "drift": "record group quotas over time, and report how they drift apart",
    "report": "write linked pages about a pool, for cron to publish",
    "config": "check the site file htcq.toml for mistakes",
    "explain": "explain a rule of the audit",
}

#: HTCondor's configuration may include what it prints (``include command``). A tool that htcq
#: started reads that configuration too: that the command answers nothing then ends the circle.
_INCLUDED = "emit"

#: The option that makes a command a monitoring plugin, and how the line of each such command
#: begins.
_NAGIOS = "--nagios"
_SUBJECTS = {"audit": "HTCQ", "drift": "HTCQ DRIFT", "status": "HTCQ STATUS"}


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit status.

    Nothing is raised but the SystemExit of ``--help``.
    """
    subject = _plugin(arguments)
    if subject:
        from htcq.cli.plugin import run_plugin

        return run_plugin(subject, lambda: _dispatch(list(arguments)))
    try:
        return _dispatch(list(arguments))
    except (Exception, KeyboardInterrupt, time_limit.Late) as error:
        return told(error)


def _plugin(arguments: Sequence[str]) -> str:
    """Return the subject of a monitoring plugin's status line; empty for a plain command."""
    if _NAGIOS not in arguments:
        return ""
    return _SUBJECTS.get(arguments[0], "")


def _dispatch(arguments: list[str]) -> int:
    if not arguments or arguments[0] in ("-h", "--help", "-help", "help"):
        print(_usage())
        return EXIT_FINE if arguments else EXIT_USAGE
    if arguments[0] in ("-V", "--version", "-version"):
        print(f"htcq {__version__}")
        return EXIT_FINE
    command = arguments[0]
    if command not in COMMANDS:
        raise HtcqError(
            f"there is no command '{command}'", f"the commands are: {', '.join(COMMANDS)}"
        )
    if os.environ.get(NESTED_VARIABLE):
        if command == _INCLUDED:
            return EXIT_FINE
        raise NestedError(
            f"htcq {command}: {NESTED_VARIABLE} is set",
            "htcq sets it for the tools of HTCondor that it runs itself",
        )
    parser = parser_of(command, arguments[1:])
    parsed = parser.parse_args(arguments[1:])
    with time_limit.limited(deadline_of(parsed), given=parsed.deadline is not None):
        status: int = importlib.import_module(f"htcq.cli.{command}").main(parsed)
    return status


def parser_of(command: str, arguments: Sequence[str] | None = None) -> Parser:
    """Return what parses the options of ``command``.

    With ``arguments`` it serves to parse these alone: other actions than theirs have no options.
    """
    module = importlib.import_module(f"htcq.cli.{command}")
    parser = Parser(prog=f"htcq {command}", description=module.__doc__, allow_abbrev=False)
    parser.add_argument("-help", action="help", help=argparse.SUPPRESS)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.arguments = arguments
    module.add_arguments(parser)
    add_deadline(parser)
    return parser


def _usage() -> str:
    lines = ["usage: htcq COMMAND [OPTIONS]", "", "commands:"]
    lines += [f"  {name:<8} {summary}" for name, summary in COMMANDS.items()]
    lines += [
        "",
        "'htcq COMMAND --help' lists the options of one. See htcq(1) and htcq-models(7).",
    ]
    return "\n".join(lines)
