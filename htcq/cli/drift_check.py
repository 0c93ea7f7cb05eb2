"""Check how many groups drifted, and print one line.

With --nagios this is a monitoring plugin for Nagios and Icinga.

Compares what the site file declares, what the central manager has configured, what its
negotiator published and what it should have. The exit status is 1 for WARNING and CRITICAL, and
3 for UNKNOWN. With --nagios it is 0 (OK), 1 (WARNING), 2 (CRITICAL) or 3 (UNKNOWN): whatever
goes wrong is UNKNOWN.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace

from htcq import time_limit
from htcq.cli.drift_options import add_look_options, elastic_of, max_age_of, source_of
from htcq.cli.options import (
    add_collector,
    add_limits,
    add_nagios,
    add_snapshot,
    add_unconfined,
    seconds,
)
from htcq.errors import EXIT_FINDINGS, EXIT_FINE, EXIT_UNKNOWN, ConfinementError, InputError
from htcq.limits import NAGIOS_DEADLINE, PATIENCE
from htcq.operations.handed_over import record_of
from htcq.operations.observe_quotas import observe_quotas
from htcq.operations.pool_source import Source, evaluated_from, open_source
from htcq.operations.site_file import read_site_file
from htcq.report.failure import reason
from htcq.report.formats.nagios import said, without_measures
from htcq.report.verdict import CRITICAL, OK, UNKNOWN, WARNING, Range, read_range
from htcq.report.views.drift_check import (
    DRIFTED,
    METRICS,
    STARVED,
    SUBJECT,
    WRONG,
    CheckOptions,
    check,
)

#: The exit status of a verdict where no monitoring system asks.
_EXIT_STATUS = {
    OK: EXIT_FINE,
    WARNING: EXIT_FINDINGS,
    CRITICAL: EXIT_FINDINGS,
    UNKNOWN: EXIT_UNKNOWN,
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``htcq drift check``."""
    add_look_options(parser)
    pool = parser.add_argument_group("pool")
    which = pool.add_mutually_exclusive_group()
    add_snapshot(which)
    add_collector(which)
    pool.add_argument(
        "-t", "--deadline", "--timeout", metavar="TIME", type=seconds, default=NAGIOS_DEADLINE,
        help=f"time limit of the whole command (default {NAGIOS_DEADLINE:g}s)",
    )  # fmt: skip
    pool.set_defaults(timeout=PATIENCE)
    add_limits(pool)
    add_unconfined(pool)
    parser.add_argument(
        "--quotas", metavar="FILE",
        help=("file of the elastic quotas that are checked too (default: as [drift] of the site "
            "file says, or none)"),
    )  # fmt: skip
    verdict = parser.add_argument_group("verdict")
    verdict.add_argument(
        "--metric", metavar="NAME",
        help=f"what is judged: {', '.join(METRICS)} (default {DRIFTED}; without a range "
        f"{STARVED} as well)",
    )  # fmt: skip
    verdict.add_argument(
        "--group",
        metavar="PATTERN",
        action="append",
        help="only groups of this name or shell pattern; repeatable",
    )
    verdict.add_argument(
        "-w", "--warning", metavar="RANGE",
        help="range outside of which the verdict is WARNING, such as 10, 10:, ~:10, 10:20 or "
        "@10:20 (default 0 for counts)",
    )  # fmt: skip
    verdict.add_argument(
        "-c",
        "--critical",
        metavar="RANGE",
        help="range outside of which the verdict is CRITICAL (default: never)",
    )
    output = parser.add_argument_group("output")
    output.add_argument(
        "-v", "--verbose", action="count", default=0, help="print more lines; repeatable"
    )
    add_nagios(output)


def main(arguments: argparse.Namespace) -> int:
    """Read the pool, print the verdict and return its status.

    As a plugin: a check that takes too long or crashes is UNKNOWN.
    """
    from htcq.live.deadline import NO_ANSWER, Task, TaskOutcome, run_all

    asked = _asked(arguments)
    source = source_of(arguments)
    if not arguments.nagios:
        return _tell(source, arguments, asked)
    task = Task("the check", _verdict, (source, arguments, asked))
    try:
        outcome = run_all([task], arguments.deadline)[0]
    except time_limit.Late:
        # On a busy machine the child's end comes too late.
        outcome = TaskOutcome(task.what, why=NO_ANSWER)
    if outcome.done:
        status, text = outcome.value
    else:
        why = outcome.why
        if why.startswith(NO_ANSWER):
            why = f"{source.name}: not done within {arguments.deadline:g} s"
        status, text = UNKNOWN, said(SUBJECT, UNKNOWN, why)
    print(text)
    return int(status)


def _tell(source: Source, arguments: argparse.Namespace, asked: CheckOptions) -> int:
    """Print the verdict for a person; what goes wrong is an error, as it is for every command."""
    status, text = _looked(source, arguments, asked)
    print(without_measures(text))
    return _EXIT_STATUS[status]


def _asked(arguments: argparse.Namespace) -> CheckOptions:
    metric, also = arguments.metric or DRIFTED, dict[str, Range]()
    if arguments.metric is None and not (arguments.warning or arguments.critical):
        also[STARVED] = read_range("0")
    if metric not in METRICS:
        raise InputError(f"--metric {metric}: unknown", f"choose one of {', '.join(METRICS)}")
    warning = arguments.warning or ("0" if metric in WRONG else None)
    if warning is None and arguments.critical is None:
        raise InputError(
            f"--metric {metric} needs a range", "give --warning or --critical, such as -w 10:"
        )
    return CheckOptions(
        metric,
        _range("--warning", warning),
        _range("--critical", arguments.critical),
        tuple(arguments.group or ()),
        arguments.verbose,
        also,
    )


def _range(option: str, text: str | None) -> Range | None:
    if text is None:
        return None
    try:
        return read_range(text)
    except InputError as error:
        raise InputError(f"{option}: {error}", error.hint) from error


def _verdict(source: Source, arguments: argparse.Namespace, asked: CheckOptions) -> tuple[int, str]:
    """Return the state and what is printed; runs in a process of its own, which may be killed."""
    try:
        return _looked(source, arguments, asked)
    except Exception as error:
        return UNKNOWN, said(SUBJECT, UNKNOWN, reason(error))


@dataclass(frozen=True)
class _Line:
    """The state and what is printed."""

    state: int
    text: str


def _looked(source: Source, arguments: argparse.Namespace, asked: CheckOptions) -> tuple[int, str]:
    """Return the state and what is printed; the pool is evaluated in a confined process."""
    site = read_site_file(arguments.config)
    elastic = elastic_of(arguments, site)
    opened = open_source(replace(source, queues=elastic is not None))
    max_age = max_age_of(arguments)

    def look() -> _Line:
        found = observe_quotas(opened, site.groups, max_age, elastic)
        return _Line(*check(
            found.observation, asked, found.health, found.gaps, found.activity, found.held_by
        ))  # fmt: skip

    line = record_of(_Line, evaluated_from([opened], look))
    if line.state not in _EXIT_STATUS:
        raise ConfinementError(f"{source.name}: there is no state {line.state}")
    return line.state, line.text
