"""Check how many groups drifted, as a monitoring plugin for Nagios and Icinga.

Compares what the site file declares, what the central manager has configured, what its negotiator published and what
it should have. The exit status is 0 (OK), 1 (WARNING), 2 (CRITICAL) or 3 (UNKNOWN): whatever goes wrong is UNKNOWN.
"""

from __future__ import annotations

import argparse
import signal
import time
from typing import Any

from htcq.cli.drift_look import add_look_options, look, source_of
from htcq.cli.failure import reason
from htcq.cli.options import add_limits_option, number
from htcq.errors import InputError
from htcq.operations.pool_source import Source
from htcq.report.formats.nagios import said
from htcq.report.verdict import UNKNOWN, Range, read_range
from htcq.report.views.drift_check import DRIFTED, METRICS, SUBJECT, WRONG, Asked, check

#: Nagios gives a check 60 seconds; this must be over before.
_PATIENCE = 50.0
#: For so long after the timeout the process that looks may tidy up, in seconds.
_GRACE = 2.0


class _Late(BaseException):
    """The time is up; no handler of errors takes it for one of its own."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``htcq drift check``."""
    add_look_options(parser)
    source = parser.add_argument_group("pool")
    source.add_argument("--snapshot", metavar="PATH", help="a snapshot: a directory or a .tar.gz")
    source.add_argument("--pool", "-pool", metavar="HOST", help="a live pool: its collector (default: this machine's)")
    source.add_argument(
        "-t", "--timeout", metavar="SECONDS", type=number, default=_PATIENCE,
        help=f"time limit of the whole command (default {_PATIENCE:g})",
    )  # fmt: skip
    add_limits_option(source)
    verdict = parser.add_argument_group("verdict")
    verdict.add_argument("--metric", metavar="NAME", default=DRIFTED, help=f"{', '.join(METRICS)} (default {DRIFTED})")
    verdict.add_argument("--group", metavar="PATTERN", action="append", help="only these groups; repeatable")
    verdict.add_argument(
        "-w", "--warning", metavar="RANGE", help="range outside of which the status is WARNING (default 0 for counts)"
    )
    verdict.add_argument(
        "-c", "--critical", metavar="RANGE", help="range outside of which the status is CRITICAL (default: never)"
    )
    verdict.add_argument("-v", "--verbose", action="count", default=0, help="more lines; repeatable")


def main(arguments: argparse.Namespace) -> int:
    """Look at the pool, print the verdict and return its state; what takes too long or crashes is UNKNOWN."""
    from htcq.live.deadline import Task, run_all

    asked = _asked(arguments)
    source = source_of(arguments)
    task = Task("the check", _verdict, (source, arguments, asked))
    outcome = run_all([task], arguments.timeout + _GRACE)[0]
    status, text = outcome.value if outcome.done else (UNKNOWN, said(SUBJECT, UNKNOWN, outcome.why))
    print(text)
    return int(status)


def _asked(arguments: argparse.Namespace) -> Asked:
    metric = arguments.metric
    if metric not in METRICS:
        raise InputError(f"--metric {metric}: unknown", f"choose one of {', '.join(METRICS)}")
    warning = arguments.warning or ("0" if metric in WRONG else None)
    if warning is None and arguments.critical is None:
        raise InputError(f"--metric {metric} needs a range", "give --warning or --critical, such as -w 10:")
    return Asked(
        metric,
        _range("--warning", warning),
        _range("--critical", arguments.critical),
        tuple(arguments.group or ()),
        arguments.verbose,
    )


def _range(option: str, text: str | None) -> Range | None:
    if text is None:
        return None
    try:
        return read_range(text)
    except InputError as error:
        raise InputError(f"{option}: {error}", error.hint) from error


def _verdict(source: Source, arguments: argparse.Namespace, asked: Asked) -> tuple[int, str]:
    """Return the state and what is printed; runs in a process of its own, which may be killed."""
    until = time.monotonic() + arguments.timeout
    signal.signal(signal.SIGALRM, _be_late)
    signal.setitimer(signal.ITIMER_REAL, arguments.timeout)
    try:
        found = look(arguments, until)
        return check(found.observation, asked, found.health, found.gaps)
    except _Late:
        return UNKNOWN, said(SUBJECT, UNKNOWN, f"{source.name}: not done within {arguments.timeout:g} s")
    except Exception as error:
        return UNKNOWN, said(SUBJECT, UNKNOWN, reason(error))


def _be_late(*_: Any) -> None:
    raise _Late
