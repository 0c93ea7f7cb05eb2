"""Keep what becomes of group quotas: as declared, configured, published, computed and used, and how they run apart.

'htcq drift record' keeps one look at a pool, 'report' tells what became of many, 'check' is a monitoring plugin,
'prune' makes the history smaller.
"""

from __future__ import annotations

import argparse

from htcq.cli.actions import add_actions

ACTIONS = {
    "record": "look at a pool and keep what is seen",
    "report": "tell what changed and how the groups fared",
    "check": "tell as a monitoring plugin what differs now",
    "prune": "merge and drop what is old",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the actions of ``htcq drift``, each with its options."""
    add_actions(parser, "drift", ACTIONS, required=True)


def main(arguments: argparse.Namespace) -> int:
    """Run the chosen action."""
    status: int = arguments.run_action(arguments)
    return status
