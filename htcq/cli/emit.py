"""Write the HTCondor configuration that makes a claim-capacity model true.

Prints it, unless --write is given; as 'include command : htcq emit …' it can stand in a
condor_config.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from htcq.cli.model_options import add_model_options
from htcq.cli.writing import (
    add_writing_options,
    check_writing_options,
    compare,
    target_of,
    write_told,
)
from htcq.emit import EXECUTE, ROLES
from htcq.errors import EXIT_FINE, HtcqError, InputError
from htcq.live.configuration import read_here
from htcq.live.parser_process import ParserProcess

if TYPE_CHECKING:
    from htcq.cli.request import Request


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``htcq emit``."""
    parser.add_argument(
        "--role", metavar="ROLE", default=EXECUTE,
        help=("kind of machine that the configuration is for: execute (the default), access or "
            "central"),
    )  # fmt: skip
    add_model_options(parser)
    add_writing_options(
        parser, "50-htcq-ROLE.config",
        ("change nothing; exit with status 1 if the configuration in effect differs from what "
        "--write DIR would write"),
    )  # fmt: skip
    parser.add_argument(
        "--remove", action="store_true",
        help=("take back what --write DIR wrote for this role: remove the file, or put back the "
            "one that it replaced"),
    )  # fmt: skip


def main(arguments: argparse.Namespace) -> int:
    """Render, prove harmless, then print, compare or write."""
    if arguments.role not in ROLES:
        raise InputError(f"--role {arguments.role}: unknown", f"choose one of {', '.join(ROLES)}")
    check_writing_options(arguments)
    file_name = f"50-htcq-{arguments.role}.config"
    if arguments.remove:
        from htcq.cli.emit_remove import take_back

        return take_back(arguments, file_name)
    from htcq.capacity.fleet_node import one_of_each_kind
    from htcq.cli.request import read_request
    from htcq.emit.check import prove

    # The bindings load in this process while the machine is probed and the text is rendered.
    process = ParserProcess()
    from htcq.emit.render import configuration

    request = read_request(arguments)
    named = bool(arguments.node or arguments.snapshot or arguments.pool)
    _check_nodes(arguments.role, request, named)
    node = request.node
    if arguments.write and arguments.role == EXECUTE:
        request = _for_the_node_of_the_file(arguments, request, file_name)
    nodes = one_of_each_kind(request.nodes)
    slots = [slot for each in nodes for slot in each.slots]
    form = (request.literal, request.templates, request.model_hash, request.for_one_node)
    text = configuration(arguments.role, request.node, slots, *form)
    # This machine is an execution point only where the role says so: no jobs are judged on an
    # access point.
    judged = not arguments.force and (named or arguments.role == EXECUTE)
    process.call(prove, arguments.role, text, nodes, request.shapes if judged else None, read_here)
    if not arguments.write:
        sys.stdout.write(text)
        return _marked(EXIT_FINE, request)
    target = target_of(arguments, text, file_name)
    if arguments.check:
        from htcq.cli.emit_check import check

        return check(arguments, target, request, node)
    if arguments.diff:
        return _marked(compare(target, arguments), request)
    restart = arguments.role == EXECUTE and target.needs_restart()
    needs = "condor_restart -startd" if restart else "condor_reconfig"
    status = write_told("emit", target, needs)
    return _marked(status, request)


def _marked(status: int, request: Request) -> int:
    """Return the exit status ``status``; unknown instead where the pool is not healthy."""
    if not request.health:
        return status
    from htcq.operations.health import marked

    return marked(status, request.health)


def _for_the_node_of_the_file(
    arguments: argparse.Namespace, request: Request, file_name: str
) -> Request:
    """Return ``request`` for the node that the present file was made for, where that node matters.

    It shows whether the file was edited or the node changed. A check compares the text for that
    node, and separately the hardware. A file is not written again because a kernel finds a
    megabyte less: where the node is the same as before, its former amounts stay.
    """
    from pathlib import Path

    from htcq.emit.install import read
    from htcq.emit.made_for import hardware_changes, node_made_for, same_node

    path = Path(arguments.write, arguments.file or file_name)
    # A place that no file can have is refused later, with its reason.
    made = node_made_for(read(path) or "", request.node) if path.is_file() else None
    if made is None:
        return request
    unchanged = same_node(made, request.node) and not hardware_changes(made, request.node)
    if not arguments.check and (request.literal or not unchanged):
        return request
    from htcq.cli.request import read_request

    try:
        return read_request(arguments, given_node=made)
    except HtcqError:
        # What the node was then has no place in these settings; what it is now has.
        return request


def _check_nodes(role: str, request: Request, named: bool) -> None:
    """Refuse a role that cannot be written for the nodes at hand.

    Raises:
        InputError: several nodes and a role that takes one, or a role that needs to know the
            execution points.
    """
    if role == EXECUTE and len(request.nodes) > 1:
        raise InputError(
            f"--role {role} is for one node, but {len(request.nodes)} are given",
            "every execution point runs 'htcq emit' itself, with the same site file",
        )
    if role != EXECUTE and not named and request.proposed:
        raise InputError(
            f"--role {role} without a model would take this machine for an execution point",
            "give the execution points' --weight ASSET=W, or --node FILE of each kind of them",
        )
