"""Write the quotas of a plan for the negotiator, and wait until it shows them.

If it does not, the earlier quotas are restored.

With --plan a person agrees to the present plan: 'htcq elastic plan' prints its id. This also begins
again after 'rollback' or 'disable'.

With --from one step is taken from a file that 'htcq elastic plan --save' wrote, for a timer: the
account that looks at the pool cannot write, and this one reads no ad of it.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from htcq.cli.elastic_options import add_step_options, declared_of, in_force_of, pool_of
from htcq.cli.options import add_live_pool_options
from htcq.errors import EXIT_FINE, EXIT_USAGE, InputError, RefusedError
from htcq.operations.elastic_quotas import WHAT
from htcq.operations.system_log import log_failure
from htcq.operations.trusted import refuse_shared
from htcq.report.printable import one_line

if TYPE_CHECKING:
    from htcq.operations.elastic_quotas import Declared


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``htcq elastic apply``."""
    add_live_pool_options(
        parser, "a snapshot cannot be written to: a plan is applied to a live pool"
    )
    add_step_options(parser)
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument(
        "--plan", metavar="ID", help="id of the plan, as 'htcq elastic plan' prints it"
    )
    which.add_argument(
        "--from", metavar="FILE", dest="handed",
        help="file of the plan that 'htcq elastic plan --save' wrote; the pool is not looked at",
    )  # fmt: skip
    parser.add_argument(
        "--planner", metavar="USER",
        help=("with --from: name or number of the account that may have saved the plan (default: "
            "you, or root)"),
    )  # fmt: skip


def main(arguments: argparse.Namespace) -> int:
    """Look again and compare, or take what was saved; and write."""
    if arguments.planner and not arguments.handed:
        raise InputError(
            "--planner without --from",
            "give --from FILE too: it says who may have written that file",
        )
    if arguments.accept_loss and arguments.handed:
        raise InputError(
            "--accept-loss and --from contradict each other",
            "a person agrees to a loss by --plan ID",
        )
    if not arguments.handed:
        refuse_shared(Path(arguments.quotas), WHAT)
        _print(_by_id(arguments, declared_of(arguments)))
        return EXIT_FINE
    declared = in_force_of(arguments)
    try:
        _print(_from_file(arguments, declared))
    except (InputError, RefusedError) as error:
        # Whoever saves such a plan may have become the account that plans.
        log_failure("elastic apply", error)
        raise
    return EXIT_USAGE if declared.refused else EXIT_FINE


def _by_id(arguments: argparse.Namespace, declared: Declared) -> Iterator[str]:
    from htcq.elastic.quota_plan import made_at
    from htcq.operations.quota_steps import apply_by_id

    made = made_at(arguments.plan)
    if made is None:
        raise InputError(
            f"--plan {arguments.plan} is not the id of a plan", "'htcq elastic plan' prints it"
        )
    return apply_by_id(
        pool_of(arguments, declared), declared, arguments.plan, made, arguments.accept_loss
    )


def _from_file(arguments: argparse.Namespace, declared: Declared) -> Iterator[str]:
    from htcq.operations.handover_file import read_handover
    from htcq.operations.quota_steps import apply_handover

    given = read_handover(arguments.handed, arguments.planner)
    return apply_handover(pool_of(arguments, declared), declared, given)


def _print(done: Iterator[str]) -> None:
    for told in done:
        print(one_line(told))
