"""Runs an action as a monitoring plugin: any failure is UNKNOWN and one line on standard output.

A monitoring system takes the exit statuses 0 to 2 for a verdict on the pool: none of them may
come of a mistake.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from htcq.errors import NESTED_VARIABLE, NestedError
from htcq.operations.confined import Confined
from htcq.report.failure import reason
from htcq.report.formats.nagios import said
from htcq.report.verdict import UNKNOWN
from htcq.time_limit import Late


def run_plugin(subject: str, action: Callable[[], int]) -> int:
    """Return the state that ``action`` returns after printing it.

    ``subject`` begins the status line of a failure.
    """
    try:
        if os.environ.get(NESTED_VARIABLE):
            raise NestedError(
                f"{NESTED_VARIABLE} is set",
                "htcq sets it for the tools of HTCondor that it runs itself",
            )
        status = action()
        sys.stdout.flush()
    except Confined as ended:
        # The child has printed the verdict.
        return int(str(ended.code))
    except SystemExit:
        # Help was asked for and printed: nobody looked at a pool.
        return UNKNOWN
    except (Exception, KeyboardInterrupt, Late) as error:
        return _tell(said(subject, UNKNOWN, reason(error)))
    return status


def _tell(text: str) -> int:
    try:
        print(text, flush=True)
    except OSError:
        # Nobody reads it: what is left of it must not fail once more when the process ends. A
        # confined process does not open /dev/null.
        os.dup2(os.memfd_create("unread"), sys.stdout.fileno())
    return UNKNOWN
