"""Plan the next step: the new quota of each group, and who would exceed it for how long.

Nothing is written. The plan also shows which jobs 'htcq elastic reclaim' would vacate; this command
vacates none.

The last line is the id for 'htcq elastic apply --plan'. It is valid for some minutes, while the
plan stays the same.
"""

from __future__ import annotations

import argparse
import sys
import time

from htcq.cli.elastic_options import add_step_options, declared_of, pool_of
from htcq.cli.options import add_json, add_pool_options
from htcq.errors import EXIT_FINE, EXIT_UNKNOWN, InputError
from htcq.report.printable import tell


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``htcq elastic plan``."""
    add_pool_options(parser)
    add_step_options(parser)
    add_json(parser)
    parser.add_argument(
        "--save",
        metavar="FILE",
        help="save the plan for 'htcq elastic apply --from', if it may be written",
    )


def main(arguments: argparse.Namespace) -> int:
    """Look, compute and print; exit 3 where the plan must not be applied now."""
    from htcq.elastic.reclaim.planner import preview
    from htcq.operations.health import marked
    from htcq.operations.observe_and_plan import observe_and_plan
    from htcq.operations.quota_steps import writer_for
    from htcq.poolquota.health import ailments
    from htcq.quota.elastic.runtime import compute
    from htcq.report.views.elastic_plan import plan_json
    from htcq.report.views.elastic_plan_text import show_plan

    if arguments.save:
        _check_place(arguments)
    declared = declared_of(arguments)
    source = pool_of(arguments, declared)
    writer = writer_for(source, declared)
    state, doubts = writer.state(), writer.journal.warnings()
    now = float(int(time.time()))
    found = observe_and_plan(source, declared, state, writer.present(), now, arguments.accept_loss)
    health = ailments(found.pool)
    outcome = compute(declared.quotas, found.observation.demand)
    taken = preview(outcome, found.observation, found.pool, declared.reclaim)
    if arguments.json:
        import json

        print(json.dumps(plan_json(found.step, taken, found.refusals, health), indent=2))
    else:
        show_plan(found.step, taken, sys.stdout)
        for each in found.refusals:
            tell(
                f"htcq: not now: {each.message} ({each.hint})"
                if each.hint
                else f"htcq: not now: {each.message}"
            )
        for told in (*doubts, *([state.stopped] if state.stopped else [])):
            tell(f"htcq: {told}")
    if found.refusals:
        return EXIT_UNKNOWN
    if arguments.save:
        from htcq.operations.handover_file import save_handover

        save_handover(arguments.save, found.handover(state))
    return marked(EXIT_FINE, health)


def _check_place(arguments: argparse.Namespace) -> None:
    from htcq.operations.output_files import place_of

    if arguments.snapshot:
        raise InputError(
            "--snapshot and --save contradict each other",
            "only a plan for a live pool can be written",
        )
    place_of(arguments.save)
