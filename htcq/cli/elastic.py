"""Share a pool among groups by elastic quotas: min, max, lend and borrow.

A group is guaranteed its min and held to its max; in between it lends and borrows.

'htcq elastic compute' works on two files: the declared quotas and the present demand. 'htcq elastic
status' looks at a pool.
"""

from __future__ import annotations

import argparse

from htcq.cli.actions import add_actions

ACTIONS = {
    "compute": "compute what every group may use now, and explain how",
    "status": "show usage and demand of groups on a pool, and HTCondor's quotas for them",
    "plan": "print the quotas of the next step, and the groups that would exceed theirs",
    "apply": "write the quotas of a plan, and wait until the negotiator shows them",
    "run": "adapt the quotas to demand, step by step",
    "on": "let the writer and reclaim act again after they were stopped",
    "off": "stop the writer and reclaim, and put static or the former quotas in place",
    "rollback": "restore what was there before the last write",
    "reclaim": "vacate jobs on borrowed slots that other groups wait for, few at a time",
    "disable": "restore the static quotas, by hand or by the dead-man timer",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the actions of ``htcq elastic``, each with its options."""
    add_actions(parser, "elastic", ACTIONS, required=True)


def main(arguments: argparse.Namespace) -> int:
    """Run the chosen action."""
    status: int = arguments.run_action(arguments)
    return status
