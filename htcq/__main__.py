"""``python -m htcq`` and the ``htcq`` command."""

from __future__ import annotations

import contextlib
import gc
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
    status = run(sys.argv[1:])
    with contextlib.suppress(BrokenPipeError):
        sys.stdout.flush()
    os._exit(status)


if __name__ == "__main__":
    main()
