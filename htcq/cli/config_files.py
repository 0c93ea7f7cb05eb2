"""The options that name configuration files, and what is known of the machine that they are of."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from htcq.emit import ACCESS, CENTRAL, EXECUTE
from htcq.errors import InputError
from htcq.spelling import did_you_mean

if TYPE_CHECKING:
    from htcq.cli.options import Container
    from htcq.operations.config_directory import Given


def add_config_files(which: Container, parser: argparse.ArgumentParser) -> None:
    """Add the options: the files beside the pools that ``which`` names, and the rest."""
    which.add_argument(
        "--config-dir",
        metavar="PATH",
        action="append",
        help="no pool: the configuration files in this directory, as HTCondor reads them, or this "
        "file; repeatable, in the order given",
    )
    files = parser.add_argument_group("configuration files")
    files.add_argument(
        "--role",
        metavar="ROLE",
        help="what the machine of --config-dir is: central, access or execute, or several with "
        "commas between (default: as its DAEMON_LIST says, or the daemons that read the knobs in "
        "its files; all of them where neither tells)",
    )
    files.add_argument(
        "--node",
        metavar="PATH",
        help="the hardware of that execution point, as 'htcq probe --json' prints it",
    )


def machine_given(roles: str | None, node: str | None) -> Given:
    """Return what --role and --node say.

    Raises:
        InputError: there is no such role, or the file holds no node.
    """
    from htcq.cli.nodes import read_nodes
    from htcq.operations.config_directory import Given
    from htcq.pool.machine_roles import Role

    named = {CENTRAL: Role.CENTRAL, ACCESS: Role.ACCESS, EXECUTE: Role.EXECUTE}
    chosen = []
    for word in [each.strip() for each in (roles or "").split(",") if each.strip()]:
        if word not in named:
            hint = did_you_mean(word, named, f"it must be {CENTRAL}, {ACCESS} or {EXECUTE}")
            raise InputError(f"--role {word}: there is no such role", hint)
        chosen.append(named[word])
    if node is None:
        return Given(tuple(chosen))
    nodes = read_nodes([node], None)
    if len(nodes) > 1:
        raise InputError(f"--node {node} holds {len(nodes)} nodes", "name the file of one")
    return Given(tuple(chosen), nodes[0][1])


def check_alone(arguments: argparse.Namespace) -> None:
    """Refuse options of configuration files where none are named.

    Raises:
        InputError: one is given without --config-dir.
    """
    options: Sequence[tuple[str, str | None]] = (
        ("--role", arguments.role),
        ("--node", arguments.node),
    )
    for option, value in options:
        if value is not None and not arguments.config_dir:
            raise InputError(
                f"{option} is given without --config-dir", "it says what configuration files are of"
            )
