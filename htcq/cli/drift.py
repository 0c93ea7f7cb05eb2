"""Record group quotas over time, and report how they drift apart.

Each group has a declared, a configured, a published and a computed quota, and its usage.

'htcq drift record' records the present state, 'report' shows the past, 'check' is a monitoring
plugin, and 'prune' makes the history smaller.
"""

from __future__ import annotations

import argparse

from htcq.cli.actions import add_actions

ACTIONS = {
    "record": "record the present state of a pool",
    "report": "report what changed and how the groups fared",
    "check": "check for drift; with --nagios as a monitoring plugin",
    "prune": "merge and drop old records",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the actions of ``htcq drift``, each with its options."""
    add_actions(parser, "drift", ACTIONS, required=True)


def main(arguments: argparse.Namespace) -> int:
    """Run the chosen action."""
    status: int = arguments.run_action(arguments)
    return status
