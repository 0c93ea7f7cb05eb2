"""Write the HTCondor configuration that makes a claim-capacity model true.

Prints it, unless told to write; as 'include command : htcq emit …' it can stand in a condor_config.
"""

from __future__ import annotations

import argparse
import sys

from htcq.cli.options import add_model_options
from htcq.cli.writing import add_writing_options, check_writing_options, compare, target_of, write_told
from htcq.emit import EXECUTE, ROLES
from htcq.errors import EXIT_FINE, InputError
from htcq.live.configuration import ParserProcess, read_here


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``htcq emit``."""
    parser.add_argument("--role", metavar="ROLE", default=EXECUTE, help="execute (the default), access or central")
    add_model_options(parser)
    add_writing_options(parser, "50-htcq-ROLE.config")


def main(arguments: argparse.Namespace) -> int:
    """Render, prove harmless, then print, compare or write."""
    if arguments.role not in ROLES:
        raise InputError(f"--role {arguments.role}: unknown", f"choose one of {', '.join(ROLES)}")
    check_writing_options(arguments)
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
    target = target_of(arguments, text, f"50-htcq-{arguments.role}.config")
    if arguments.diff or arguments.check:
        return compare(target, arguments)
    restart = arguments.role == EXECUTE and target.needs_restart()
    return write_told(target, "condor_restart -startd" if restart else "condor_reconfig")
