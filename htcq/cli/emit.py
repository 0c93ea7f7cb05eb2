"""Write the HTCondor configuration that makes a claim-capacity model true.

Prints it, unless told to write; as 'include command : htcq emit …' it can stand in a condor_config.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from htcq.cli.options import add_model_options
from htcq.emit import EXECUTE, ROLES
from htcq.errors import EXIT_FINDINGS, EXIT_FINE, InputError
from htcq.live.configuration import ParserProcess, read_here, values_here

if TYPE_CHECKING:
    from htcq.emit.install import Target


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``htcq emit``."""
    parser.add_argument("--role", metavar="ROLE", default=EXECUTE, help="execute (the default), access or central")
    add_model_options(parser)
    output = parser.add_argument_group("output")
    output.add_argument("--templates", metavar="DIR", help="a site's own templates; those it lacks are htcq's")
    output.add_argument("--write", metavar="DIR", help="write 50-htcq-ROLE.config there, if that changes anything")
    output.add_argument("--file", metavar="NAME", help="another file name there")
    output.add_argument("--diff", action="store_true", help="print what --write DIR would change, and change nothing")
    output.add_argument("--check", action="store_true", help="exit 1 if --write DIR would change anything; no change")


def main(arguments: argparse.Namespace) -> int:
    """Render, prove harmless, then print, compare or write."""
    if arguments.role not in ROLES:
        raise InputError(f"--role {arguments.role}: unknown", f"choose one of {', '.join(ROLES)}")
    if not arguments.write:
        for flag in ("file", "diff", "check"):
            if getattr(arguments, flag):
                raise InputError(f"--{flag} without a directory", f"give --write DIR --{flag}")
    from htcq.cli.request import read_request
    from htcq.emit.check import check_configuration

    # The bindings load in this process while the machine is probed and the text is rendered.
    process = ParserProcess()
    from htcq.emit.render import configuration

    request = read_request(arguments)
    if arguments.role != EXECUTE and not arguments.node and request.proposed:
        raise InputError(
            f"--role {arguments.role} without a model would take this machine for an execute node",
            "give the execute nodes' --charge ASSET=AMOUNT, or --node FILE of one of them",
        )
    text = configuration(arguments.role, request.node, request.slots, request.literal, request.templates)
    process.call(check_configuration, arguments.role, text, request.slots, read_here)
    if not arguments.write:
        sys.stdout.write(text)
        return EXIT_FINE
    target = _target(arguments, text)
    if arguments.diff or arguments.check:
        return _compare(target, arguments)
    return _write(target, arguments.role)


def _target(arguments: argparse.Namespace, text: str) -> Target:
    """Return the file to write, after the HTCondor that is installed has read the text too."""
    from pathlib import Path

    from htcq.emit.install import DIRECTORIES_KNOB, EXCLUDED_KNOB, prepare
    from htcq.live.configuration import installed_configuration
    from htcq.probe.condor_parser import check_with_installed_parser

    check_with_installed_parser(text)
    own = installed_configuration()
    knobs = own((DIRECTORIES_KNOB, EXCLUDED_KNOB)) if own else {}
    defaults = ParserProcess().call(values_here, (EXCLUDED_KNOB,))
    name = arguments.file or f"50-htcq-{arguments.role}.config"
    return prepare(Path(arguments.write), name, text, {**defaults, **knobs})


def _compare(target: Target, arguments: argparse.Namespace) -> int:
    if arguments.diff:
        sys.stdout.write(target.diff())
    if not arguments.check:
        return EXIT_FINE
    if target.differs:
        print(f"{target.path}: differs from what would be written", file=sys.stderr)
    return EXIT_FINDINGS if target.differs else EXIT_FINE


def _write(target: Target, role: str) -> int:
    from htcq.emit.install import write

    if not write(target):
        print(f"{target.path}: unchanged", file=sys.stderr)
        return EXIT_FINE
    restart = role == EXECUTE and target.needs_restart()
    what = "condor_restart -startd" if restart else "condor_reconfig"
    print(f"{target.path}: written; {what} makes it take effect", file=sys.stderr)
    return EXIT_FINE
