"""Commands with actions of their own, such as ``htcq quota emit``: each action is a module, like a command."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Mapping


def add_actions(parser: argparse.ArgumentParser, command: str, actions: Mapping[str, str], required: bool) -> None:
    """Let ``parser``, that of ``command``, take one of ``actions`` (name -> what it does), whose options follow it."""
    chooser = parser.add_subparsers(dest="action", metavar="ACTION", required=required, title="actions")
    for name, summary in actions.items():
        module = importlib.import_module(f"htcq.cli.{command}_{name}")
        chosen = chooser.add_parser(name, help=summary, description=module.__doc__, allow_abbrev=False)
        chosen.formatter_class = argparse.RawDescriptionHelpFormatter
        chosen.add_argument("-help", action="help", help=argparse.SUPPRESS)
        module.add_arguments(chosen)
        chosen.set_defaults(run_action=module.main)
