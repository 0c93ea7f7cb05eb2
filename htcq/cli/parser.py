"""The parser of a command line: an error is one line and a hint.

A former spelling of an option is refused, and the hint is the new one.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from htcq.errors import HtcqError, InputError


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one line and a hint, like every other error of htcq."""

    #: Options that are refused, each with the message and the hint.
    refused: Mapping[str, tuple[str, str]] = {}
    #: Actions of which one must be given before any option.
    actions: Sequence[str] = ()
    #: What is to be parsed; None where that is not known before options are added.
    arguments: Sequence[str] | None = None

    def _print_message(self, message: str, file: Any = None) -> None:
        # argparse would say nothing of a text that cannot be written.
        (file or sys.stderr).write(message)

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: Any = None
    ) -> tuple[Any, list[str]]:
        """Parse as argparse does, after options that are refused were looked for."""
        for argument in args or ():
            if argument == "--":
                break
            option = argument.partition("=")[0]
            if option in self.refused:
                raise InputError(*self.refused[option])
        first = args[0] if args else "-"
        if self.actions and first.startswith("-") and first not in ("-h", "--help", "-help"):
            raise InputError(
                f"'{self.prog}' needs an action",
                f"which comes before options: {', '.join(self.actions)}",
            )
        parsed: tuple[Any, list[str]] = super().parse_known_args(args, namespace)
        return parsed

    def error(self, message: str) -> None:  # type: ignore[override]
        """Report ``message`` as an :class:`HtcqError` in htcq's own words."""
        from htcq.cli.option_errors import option_error

        found = option_error(message, self._option_string_actions)
        raise HtcqError(found.message, found.hint or f"see '{self.prog} --help'")


def refuse_options(parser: argparse.ArgumentParser, refused: Mapping[str, tuple[str, str]]) -> None:
    """Let ``parser`` refuse options, each with a message and a hint.

    These are former spellings, and options that the command cannot carry out.
    """
    if isinstance(parser, Parser):
        parser.refused = {**parser.refused, **refused}
