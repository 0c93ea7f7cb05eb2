"""Commands with actions, such as ``htcq quota emit``; each action is a module, like a command."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Callable, Mapping

from htcq.cli.options import add_deadline
from htcq.cli.parser import Parser


def add_actions(
    parser: argparse.ArgumentParser, command: str, actions: Mapping[str, str], required: bool
) -> None:
    """Add ``actions`` (name -> summary) to ``parser``, which parses the options of ``command``.

    The options of an action follow its name. Where ``parser`` knows its arguments, only the
    modules of actions that are named there are loaded.
    """
    chooser = chooser_of(parser, actions, required)
    arguments = parser.arguments if isinstance(parser, Parser) else None
    for name, summary in actions.items():
        if arguments is not None and name not in arguments:
            # It cannot be chosen: only its name and its summary may be printed.
            chooser.add_parser(name, help=summary)
            continue
        module = importlib.import_module(f"htcq.cli.{command}_{name}")
        add_action(chooser, name, summary, module.__doc__ or "", module.add_arguments, module.main)


def chooser_of(
    parser: argparse.ArgumentParser, actions: Mapping[str, str], required: bool
) -> argparse._SubParsersAction[argparse.ArgumentParser]:
    """Return what takes the actions of ``parser``."""
    if required and isinstance(parser, Parser):
        parser.actions = tuple(actions)
    return parser.add_subparsers(
        dest="action", metavar="ACTION", required=required, title="actions"
    )


def add_action(
    chooser: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    summary: str,
    description: str,
    add_arguments: Callable[[argparse.ArgumentParser], None],
    main: Callable[[argparse.Namespace], int],
) -> None:
    """Add the action ``name``, which ``main`` runs."""
    chosen = chooser.add_parser(name, help=summary, description=description, allow_abbrev=False)
    chosen.formatter_class = argparse.RawDescriptionHelpFormatter
    chosen.add_argument("-help", action="help", help=argparse.SUPPRESS)
    chosen.set_defaults(run_action=main)
    add_arguments(chosen)
    add_deadline(chosen)
