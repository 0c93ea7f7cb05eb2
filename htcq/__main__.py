"""``python -m htcq`` and the ``htcq`` command."""

from __future__ import annotations

import sys

from htcq.cli.main import run


def main() -> int:
    """Run the command line and return its exit status."""
    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
