"""Plan the next step: which group's quota becomes what, who would be over it, and for how long. Writes nothing.

What a reclaim would take of those that are over is told besides: 'htcq elastic reclaim' does that, if anything does.

The id that is printed last is what 'htcq elastic apply --plan' wants; it is good for some minutes, and for as long as
the pool would have the same plan.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from htcq.cli.elastic_look import add_step_options, look, read_declared, writer_of
from htcq.cli.source import add_source_options
from htcq.errors import EXIT_FINE, EXIT_UNKNOWN


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``htcq elastic plan``."""
    add_source_options(parser)
    add_step_options(parser)
    parser.add_argument("--json", "-json", action="store_true", help="print everything as JSON")


def main(arguments: argparse.Namespace) -> int:
    """Look, compute and print; exit 3 where the plan must not be applied now."""
    from htcq.elastic.reclaim.plan import preview
    from htcq.quota.elastic.runtime import compute
    from htcq.report.elastic_plan import show_plan
    from htcq.report.elastic_plan_json import plan_json
    from htcq.store.elastic_journal import read_journal

    declared = read_declared(arguments)
    journal = read_journal(Path(declared.settings.journal))
    present = writer_of(arguments, declared).present()
    found = look(arguments, declared, journal.state, present, float(int(time.time())))
    outcome = compute(declared.quotas, found.observation.demand)
    taken = preview(outcome, found.observation, found.pool, declared.reclaim)
    if arguments.json:
        import json

        print(json.dumps(plan_json(found.step, taken, found.refusals), indent=2))
    else:
        show_plan(found.step, taken, sys.stdout)
        for each in found.refusals:
            print(f"htcq: not now: {each.message} ({each.hint})" if each.hint else f"htcq: not now: {each.message}",
                  file=sys.stderr)  # fmt: skip
        for told in (*journal.doubts(), *([journal.state.stopped] if journal.state.stopped else [])):
            print(f"htcq: {told}", file=sys.stderr)
    return EXIT_UNKNOWN if found.refusals else EXIT_FINE
