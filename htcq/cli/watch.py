"""A command that looks at a live pool again and again: ``--watch SECONDS``.

What each look prints takes the place of what the one before printed. Ctrl-C ends it.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable

from htcq import time_limit
from htcq.cli.options import Container, seconds
from htcq.errors import EXIT_FINE, EXIT_USAGE, HtcqError, InputError
from htcq.operations.confined import Confined
from htcq.report.failure import told
from htcq.report.moments import lasting, local

#: What a command calls when it has asked the pool and is about to print.
Begin = Callable[[], None]
#: One look at the pool; its result is the exit status.
Look = Callable[[Begin], int]
#: Moves the cursor to the first line and erases the terminal (ECMA-48: CUP, ED 2).
_CLEAR = "\x1b[H\x1b[2J"
_LEAST, _MOST = 1, 86400
#: Options that are no table on a terminal, by their names in the parsed command line.
_MACHINE_FORMATS = ("json", "csv", "html", "prometheus")


def add_watch(output: Container) -> None:
    """Add the option that looks again."""
    output.add_argument(
        "--watch", metavar="SECONDS", type=seconds,
        help="look at the live pool again every so many seconds, from 1 to 86400, until Ctrl-C",
    )  # fmt: skip


def watched(
    arguments: argparse.Namespace,
    look: Look,
    wait: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.time,
) -> int:
    """Look once, or again and again with ``--watch``; return the exit status.

    ``wait`` sleeps for a number of seconds, ``clock`` returns the seconds since 1970. A pool that
    does not answer is asked again. Ctrl-C ends with status 0, bad input with 2.

    Raises:
        InputError: the other options do not go with ``--watch``.
    """
    pause = arguments.watch
    if pause is None:
        return look(_begin_nothing)
    _check(arguments, pause)

    def begin() -> None:
        _begin(pause, clock())

    watcher = os.getpid()
    try:
        while True:
            time_limit.begin_again()
            status = _look(look, begin)
            if status == EXIT_USAGE or os.getpid() != watcher:
                # Bad input stays bad; and a confined child has done its part.
                return status
            time_limit.rest()
            wait(pause)
    except KeyboardInterrupt:
        return EXIT_FINE


def _check(arguments: argparse.Namespace, pause: float) -> None:
    if not _LEAST <= pause <= _MOST:
        raise InputError(
            f"--watch {pause:g}: out of range", f"from {_LEAST} to {_MOST} seconds, such as 30"
        )
    if arguments.snapshot:
        raise InputError(
            "--watch does not go with --snapshot",
            "a snapshot does not change; leave out one of the two",
        )
    for name in _MACHINE_FORMATS:
        if getattr(arguments, name, None):
            raise InputError(
                f"--watch does not go with --{name}",
                "it is for people at a terminal; a timer or cron runs a command for programs",
            )


def _look(look: Look, begin: Begin) -> int:
    """Look once; the exit status also where the pool does not answer or a child has printed."""
    try:
        return look(begin)
    except Confined as ended:
        if isinstance(ended.code, int):
            return ended.code
        return EXIT_FINE
    except HtcqError as error:
        if error.exit_status == EXIT_USAGE:
            raise
        begin()
        return told(error)
    except time_limit.Late as late:
        begin()
        return told(late)


def _begin(pause: float, now: float) -> None:
    if sys.stdout.isatty():
        print(_CLEAR, end="")
    moment = local(now).strftime("%Y-%m-%d %H:%M:%S")
    print(f"{moment}, again every {lasting(pause)}; Ctrl-C ends it\n", flush=True)


def _begin_nothing() -> None:
    """Print nothing before the only look."""
