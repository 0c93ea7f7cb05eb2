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
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from htcq.cli.elastic_options import add_step_options, declared_of, in_force_of, pool_of
from htcq.cli.options import add_json, add_pool_options, add_wide
from htcq.errors import EXIT_FINE, EXIT_UNKNOWN, EXIT_USAGE, InputError, RefusedError
from htcq.report.printable import tell

if TYPE_CHECKING:
    from htcq.elastic.journal import JournalState
    from htcq.elastic.reclaim.min_back import MinBack
    from htcq.operations.elastic_quotas import Declared
    from htcq.operations.observe_and_plan import Captured, Observed
    from htcq.operations.quota_writer import Writer
    from htcq.quota.elastic.group_runtime import ElasticOutcome


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``htcq elastic plan``."""
    add_pool_options(parser)
    add_step_options(parser)
    add_json(parser)
    add_wide(parser)
    parser.add_argument(
        "--save",
        metavar="FILE",
        help="save the plan for 'htcq elastic apply --from', if it may be written",
    )
    parser.add_argument(
        "--diff", action="store_true", help="print what would change in the file, as a diff"
    )
    parser.add_argument(
        "--propose", metavar="FILE",
        help="write the configuration to FILE, for a configuration management that installs it",
    )  # fmt: skip


@dataclass(frozen=True)
class _Looked:
    """The plan as JSON, None where it must not be applied now, and whether the pool is healthy."""

    plan: object
    healthy: bool


def main(arguments: argparse.Namespace) -> int:
    """Look, compute and print; exit 3 where the plan must not be applied now.

    What the pool holds is evaluated in a confined process, which prints; files are written here.
    """
    from htcq.operations.handed_over import record_of
    from htcq.operations.observe_and_plan import SIMULATED, capture
    from htcq.operations.pool_source import evaluated_from
    from htcq.operations.quota_steps import doubts_of_places, writer_for
    from htcq.operations.serving_negotiator import at_serving

    if arguments.save:
        _check_place(arguments)
    if arguments.diff and arguments.json:
        raise InputError("--diff and --json contradict each other", "give one of them")
    # A saved plan is a timer's; whoever looks at a plan is to see what is wrong with the file.
    declared = in_force_of(arguments) if arguments.save else declared_of(arguments)
    source, declared, serves = at_serving(pool_of(arguments, declared), declared)
    writer = writer_for(source, declared)
    state, present = writer.state(), writer.present()
    notes = [*writer.journal.warnings(), *filter(None, [state.stopped])]
    if serves is not None and not serves.here:
        notes.append(serves.sentence)
    if not source.snapshot:
        notes += doubts_of_places(declared.settings)
    now = float(int(time.time()))
    begun = _Begun(declared, writer, state, present, notes, now)
    captured = capture(source, declared)
    found = evaluated_from([captured.opened], lambda: _look(arguments, begun, captured), SIMULATED)
    looked = record_of(_Looked, found)
    if looked.plan is None:
        return EXIT_UNKNOWN
    _write(arguments, begun, looked.plan)
    if declared.refused:
        return EXIT_USAGE
    return EXIT_FINE if looked.healthy else EXIT_UNKNOWN


@dataclass(frozen=True)
class _Begun:
    """What is known before the pool is looked at, ``now``.

    ``present`` is the text of the file in force.
    """

    declared: Declared
    writer: Writer
    state: JournalState
    present: str | None
    notes: Sequence[str]
    now: float


def _look(arguments: argparse.Namespace, begun: _Begun, captured: Captured) -> _Looked:
    """Evaluate the pool and print its plan."""
    from htcq.elastic.fitted_runtime import fitted_runtimes
    from htcq.elastic.handover import handover_json
    from htcq.elastic.quota_file import file_diff
    from htcq.elastic.reclaim.planner import preview
    from htcq.emit.elastic import quota_text
    from htcq.operations.observe_and_plan import plan_of
    from htcq.poolquota.health import ailments
    from htcq.report.views.elastic_plan import plan_json
    from htcq.report.views.elastic_plan_text import show_plan

    declared, writer, state, now = begun.declared, begun.writer, begun.state, begun.now
    found = plan_of(captured, declared, state, begun.present, now, arguments.accept_loss)
    health = ailments(found.pool)
    outcome = fitted_runtimes(declared.quotas, found.observation).outcome
    taken = preview(outcome, found.observation, found.pool, declared.reclaim)
    mins = _mins_back(found, declared, outcome)
    if arguments.diff:
        text = quota_text(found.step.plan.file, writer.instance)
        sys.stdout.writelines(file_diff(begun.present, text, str(writer.path)))
    elif arguments.json:
        import json

        print(json.dumps(plan_json(found.step, taken, mins, found.refusals, health), indent=2))
    else:
        show_plan(found.step, taken, mins, sys.stdout, arguments.wide)
        _tell(found, begun.notes)
    plan = None if found.refusals else handover_json(found.handover(state))
    return _Looked(plan, not health)


def _write(arguments: argparse.Namespace, begun: _Begun, plan: object) -> None:
    """Write the files that the options name, if ``plan`` is one for the declared groups.

    Raises:
        HtcqError: it is not, or a file cannot be written.
    """
    if not (arguments.propose or arguments.save):
        return
    from htcq.elastic.handover import handover_from, wrong_groups
    from htcq.emit.elastic import quota_text
    from htcq.operations.handover_file import save_handover
    from htcq.operations.output_files import put_file

    given = handover_from(plan, "the plan")
    for wrong in wrong_groups(given, begun.declared.quotas.groups):
        raise RefusedError(wrong.message, wrong.hint)
    if arguments.propose:
        put_file(arguments.propose, quota_text(given.file, begun.writer.instance))
    if arguments.save:
        save_handover(arguments.save, given)


def _mins_back(found: Observed, declared: Declared, outcome: ElasticOutcome) -> tuple[MinBack, ...]:
    """Return in what time groups have their mins back."""
    from random import Random

    from htcq.elastic.cycle_pace import pace_of
    from htcq.elastic.reclaim.ends import Draws
    from htcq.elastic.reclaim.min_back import mins_back, objectives_of
    from htcq.elastic.reclaim.protection import protection_of

    return mins_back(
        [group.target for group in found.step.plan.groups],
        found.observation,
        declared.reclaim,
        pace_of(found.pool, declared.negotiator),
        objectives_of(declared.quotas),
        Draws(Random(0)),
        protection_of(found.observation.claims, outcome, declared.reclaim).jobs,
    )


def _tell(found: Observed, notes: Iterable[str]) -> None:
    """Say on standard error why the plan must not be applied, and what else there is to say."""
    for each in found.refusals:
        hint = ""
        if each.hint:
            hint = f" ({each.hint})"
        tell(f"htcq: not now: {each.message}{hint}")
    for note in notes:
        tell(f"htcq: {note}")


def _check_place(arguments: argparse.Namespace) -> None:
    from htcq.operations.output_files import place_of

    if arguments.snapshot:
        raise InputError(
            "--snapshot and --save contradict each other",
            "only a plan for a live pool can be written",
        )
    place_of(arguments.save)
