"""``htcq emit --write DIR --remove``: takes back what emit wrote for a role."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from htcq.emit import ACCESS, EXECUTE
from htcq.errors import EXIT_FINE, InputError
from htcq.operations.configuration_files import reading_knobs, take_away
from htcq.report.printable import printable, tell


def take_back(arguments: argparse.Namespace, file_name: str) -> int:
    """Remove the role's file, or put back the one that it replaced.

    A message says what the daemons must do for that to take effect.

    Raises:
        HtcqError: the file is not htcq's own, or it cannot be removed.
    """
    from htcq.emit.install import prepare_removal

    if arguments.check:
        raise InputError(
            "--remove and --check contradict each other", "--remove --diff shows what would go"
        )
    target = prepare_removal(Path(arguments.write), arguments.file or file_name, reading_knobs())
    if arguments.diff:
        sys.stdout.write(printable(target.diff()))
        return EXIT_FINE
    done = take_away("emit --remove", target)
    if done:
        tell(f"{target.path}: {done}; {_what_it_takes(arguments.role)}")
    else:
        tell(f"{target.path}: not there")
    return EXIT_FINE


def _what_it_takes(role: str) -> str:
    if role == EXECUTE:
        return (
            "condor_restart -startd makes it take effect, which ends the node's jobs: drain it "
            "first (condor_drain)"
        )
    if role == ACCESS:
        return "condor_reconfig -schedd makes it take effect"
    return "condor_reconfig makes it take effect"
