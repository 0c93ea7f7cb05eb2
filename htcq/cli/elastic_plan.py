"""Plan the next step: the new quota of each group, who would exceed it, and for how long. Writes nothing.

The plan also shows which jobs 'htcq elastic reclaim' would vacate; this command vacates none.

The last line is the id for 'htcq elastic apply --plan'. It is valid for some minutes, while the plan stays the same.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from htcq.cli.elastic_look import add_step_options, look, read_declared, writer_of
from htcq.cli.options import add_json, add_pool_options
from htcq.errors import EXIT_FINE, EXIT_UNKNOWN, InputError
from htcq.report.printable import tell


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``htcq elastic plan``."""
    add_pool_options(parser)
    add_step_options(parser)
    add_json(parser)
    parser.add_argument(
        "--save", metavar="FILE", help="save the plan for 'htcq elastic apply --from', if it may be written"
    )


def main(arguments: argparse.Namespace) -> int:
    """Look, compute and print; exit 3 where the plan must not be applied now."""
    from htcq.cli.health import marked
    from htcq.elastic.reclaim.plan import preview
    from htcq.poolquota.health import ailments
    from htcq.quota.elastic.runtime import compute
    from htcq.report.elastic_plan import show_plan
    from htcq.report.elastic_plan_json import plan_json
    from htcq.store.elastic_journal import read_journal

    if arguments.save:
        _check_place(arguments)
    declared = read_declared(arguments)
    journal = read_journal(Path(declared.settings.journal))
    present = writer_of(arguments, declared).present()
    found = look(arguments, declared, journal.state, present, float(int(time.time())))
    health = ailments(found.pool)
    outcome = compute(declared.quotas, found.observation.demand)
    taken = preview(outcome, found.observation, found.pool, declared.reclaim)
    if arguments.json:
        import json

        print(json.dumps(plan_json(found.step, taken, found.refusals, health), indent=2))
    else:
        show_plan(found.step, taken, sys.stdout)
        for each in found.refusals:
            tell(f"htcq: not now: {each.message} ({each.hint})" if each.hint else f"htcq: not now: {each.message}")
        for told in (*journal.doubts(), *([journal.state.stopped] if journal.state.stopped else [])):
            tell(f"htcq: {told}")
    if found.refusals:
        return EXIT_UNKNOWN
    if arguments.save:
        from htcq.cli.elastic_handover import save_handover

        save_handover(arguments.save, found.handover(journal.state))
    return marked(EXIT_FINE, health)


def _check_place(arguments: argparse.Namespace) -> None:
    from htcq.operations.output_files import place_of

    if arguments.snapshot:
        raise InputError("--snapshot and --save contradict each other", "only a plan for a live pool can be written")
    place_of(arguments.save)
