"""The ``htcq`` command: finds the command's module, runs it, and turns errors into one line and an exit status."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence

from htcq import __version__
from htcq.errors import EXIT_FINE, EXIT_UNKNOWN, EXIT_USAGE, NESTED_VARIABLE, HtcqError

#: Every command and what it does, in the order a newcomer meets them.
COMMANDS = {
    "probe": "find out what this execute node has",
    "plan": "show what a claim-capacity model would do on a node",
    "emit": "write the HTCondor configuration that makes the model true",
    "snapshot": "capture a pool as it is at this moment",
    "cost": "show what jobs cost on the slots of a pool",
    "quota": "show who gets how much of a pool, and why",
    "simulate": "show what the negotiator would do in its next cycle",
    "audit": "look for what is wrong with a pool",
    "elastic": "share a pool by elastic quotas: min, max, lend and borrow",
    "drift": "keep what becomes of group quotas, and tell how they run apart",
    "explain": "tell what a rule of the audit is about",
}

#: Actions that are monitoring plugins, and how each begins its line.
PLUGINS: dict[tuple[str, ...], str] = {("drift", "check"): "HTCQ DRIFT"}


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one line and a hint, like every other error of htcq."""

    def error(self, message: str) -> None:  # type: ignore[override]
        """Report ``message`` as an :class:`HtcqError`."""
        raise HtcqError(message, f"see '{self.prog} --help'")


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit status; never raises for anything a user can cause."""
    subject = PLUGINS.get(tuple(arguments[:2]))
    if subject:
        from htcq.cli.plugin import run_plugin

        return run_plugin(subject, lambda: _dispatch(list(arguments)))
    if os.environ.get(NESTED_VARIABLE):
        # A tool that htcq started reads a configuration that runs htcq: answering nothing ends the circle.
        return EXIT_FINE
    try:
        return _dispatch(list(arguments))
    except HtcqError as error:
        print(f"htcq: {error} ({error.hint})" if error.hint else f"htcq: {error}", file=sys.stderr)
        return error.exit_status
    except BrokenPipeError:
        sys.stderr.close()
        return EXIT_FINE
    except KeyboardInterrupt:
        print("htcq: interrupted", file=sys.stderr)
        return EXIT_UNKNOWN


def _dispatch(arguments: list[str]) -> int:
    if not arguments or arguments[0] in ("-h", "--help", "-help", "help"):
        print(_usage())
        return EXIT_FINE if arguments else EXIT_USAGE
    if arguments[0] in ("-V", "--version", "-version"):
        print(f"htcq {__version__}")
        return EXIT_FINE
    command = arguments[0]
    if command not in COMMANDS:
        raise HtcqError(f"there is no command '{command}'", f"the commands are: {', '.join(COMMANDS)}")
    parser = parser_of(command)
    status: int = importlib.import_module(f"htcq.cli.{command}").main(parser.parse_args(arguments[1:]))
    return status


def parser_of(command: str) -> Parser:
    """Return what parses the options of ``command``."""
    module = importlib.import_module(f"htcq.cli.{command}")
    parser = Parser(prog=f"htcq {command}", description=module.__doc__, allow_abbrev=False)
    parser.add_argument("-help", action="help", help=argparse.SUPPRESS)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    module.add_arguments(parser)
    return parser


def _usage() -> str:
    lines = ["usage: htcq COMMAND [OPTIONS]", "", "commands:"]
    lines += [f"  {name:<8} {summary}" for name, summary in COMMANDS.items()]
    lines += ["", "'htcq COMMAND --help' lists the options of one; htcq(1) and htcq-models(7) tell the rest."]
    return "\n".join(lines)
