"""``python -m htcq`` and the ``htcq`` command."""

from __future__ import annotations

import contextlib
import gc
import io
import os
import sys
from typing import NoReturn

from htcq.cli.main import run


def main() -> NoReturn:
    """Run the command line and end the process with its exit status.

    ``htcq emit`` may run whenever a daemon reads its configuration: nothing of so short a life is worth collecting,
    and nothing is left to tear down at its end.
    """
    gc.disable()
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
        # What the output's encoding lacks is spelled out: a name in a pool must not end a report.
        sys.stdout.reconfigure(errors="backslashreplace")
    status = run(sys.argv[1:])
    with contextlib.suppress(BrokenPipeError):
        sys.stdout.flush()
    os._exit(status)


if __name__ == "__main__":
    main()
