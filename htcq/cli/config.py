"""Check htcq.toml, the site file.

'htcq config check' says what is wrong in it, with line and hint.
"""

from __future__ import annotations

import argparse

from htcq.cli.actions import add_actions

ACTIONS = {"check": "check every section of the site file for mistakes"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the actions of ``htcq config``, each with its options."""
    add_actions(parser, "config", ACTIONS, required=True)


def main(arguments: argparse.Namespace) -> int:
    """Run the chosen action."""
    status: int = arguments.run_action(arguments)
    return status
