"""Share a pool among groups by elastic quotas: guaranteed a min, held to a max, lending and borrowing in between.

'htcq elastic compute' works on files: the quotas that a site declares, and the demand that there is. 'htcq elastic
status' looks at a pool.
"""

from __future__ import annotations

import argparse

from htcq.cli.actions import add_actions

ACTIONS = {
    "compute": "tell what every group may use now, and how that comes about",
    "status": "show how groups stand on a pool, and what HTCondor's quotas would be",
    "plan": "tell what the next step would write, and who would be over",
    "apply": "write the quotas of a plan, and wait until the negotiator shows them",
    "run": "keep the quotas elastic, step by step",
    "rollback": "put back what was there before the last write",
    "reclaim": "take back what is borrowed and somebody waits for, few jobs at a time",
    "disable": "put the static quotas back, by hand or for the dead man",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the actions of ``htcq elastic``, each with its options."""
    add_actions(parser, "elastic", ACTIONS, required=True)


def main(arguments: argparse.Namespace) -> int:
    """Run the chosen action."""
    status: int = arguments.run_action(arguments)
    return status
