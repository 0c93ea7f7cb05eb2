"""The options by which a command writes a configuration file, and what they do with a text.

Nothing else is imported here: ``emit`` starts HTCondor's parser beside it before it loads the rest.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from htcq.cli.options import add_templates
from htcq.errors import EXIT_FINDINGS, EXIT_FINE, InputError
from htcq.operations.configuration_files import put_in_place, target_for
from htcq.report.printable import printable, tell

if TYPE_CHECKING:
    from htcq.emit.install import Target


def add_writing_options(
    parser: argparse.ArgumentParser,
    file_name: str,
    check: str = "change nothing; exit with status 1 if --write DIR would change anything",
) -> None:
    """Add the options for templates and for the place of the text.

    ``file_name`` is the usual name of the file. ``check`` says what ``--check`` does.
    """
    output = parser.add_argument_group("output")
    add_templates(output)
    output.add_argument(
        "--write", metavar="DIR",
        help=f"write {file_name} to this directory, if that changes anything; the former file is "
        "kept under its name with ~ at the end",
    )  # fmt: skip
    output.add_argument("--file", metavar="NAME", help=f"name of the file (default {file_name})")
    output.add_argument(
        "--diff",
        action="store_true",
        help="print what --write DIR would change as a unified difference; change nothing",
    )
    output.add_argument("--check", action="store_true", help=check)


def check_writing_options(arguments: argparse.Namespace) -> None:
    """Refuse flags that say nothing without a directory.

    Raises:
        InputError: there is such a flag.
    """
    if not arguments.write:
        for flag in ("file", "diff", "check", "remove"):
            if getattr(arguments, flag, None):
                raise InputError(f"--{flag} without a directory", f"give --write DIR --{flag}")


def target_of(arguments: argparse.Namespace, text: str, file_name: str) -> Target:
    """Return the file to write, after the HTCondor that is installed has read the text too.

    Raises:
        HtcqError: that HTCondor cannot read the text, would not read the file, or it cannot be
            written.
    """
    from pathlib import Path

    from htcq.probe.condor_parser import check_with_installed_parser

    check_with_installed_parser(text)
    writing = not (arguments.check or arguments.diff)
    return target_for(Path(arguments.write), arguments.file or file_name, text, writing)


def compare(target: Target, arguments: argparse.Namespace) -> int:
    """Do what ``--diff`` and ``--check`` ask for and return the exit status."""
    if arguments.diff:
        sys.stdout.write(printable(target.diff()))
    if not arguments.check:
        return EXIT_FINE
    warn_of_managed(target)
    if not target.differs:
        return EXIT_FINE
    tell(f"{target.path}: differs from what would be written")
    return EXIT_FINDINGS


def write_told(command: str, target: Target, needs: str) -> int:
    """Write the file if that changes anything, and say so, and that ``needs`` makes it take effect.

    Raises:
        InstallError: it could not be written; the system's log tells that ``command`` tried.
    """
    if put_in_place(command, target):
        tell(f"{target.path}: written; {needs} makes it take effect")
    else:
        tell(f"{target.path}: unchanged")
    warn_of_managed(target)
    return EXIT_FINE


def warn_of_managed(target: Target) -> None:
    """Tell that a file beside ``target`` names software that may delete what it does not manage."""
    from htcq.emit.managed import managed_beside

    found = managed_beside(target.path)
    if found is not None:
        tell(f"htcq: {found.sentence}")
