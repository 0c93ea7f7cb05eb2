"""The nodes that ``--node`` names: files of node facts, or directories of them.

``-`` is standard input; without ``--node`` the node is this machine.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from htcq.errors import HtcqError, InputError
from htcq.node import Node, node_from_facts

_STDIN = "-"
_MAKE_ONE = "'htcq probe --json' makes one"


def read_nodes(named: Sequence[str] | None, execute: str | None) -> tuple[tuple[str, Node], ...]:
    """Return the nodes that ``named`` files and directories hold with their names, or this machine.

    Raises:
        InputError: a file cannot be read or does not hold node facts, or a directory holds none.
    """
    if not named:
        return (("this machine", probed(execute)),)
    if named.count(_STDIN) > 1:
        raise InputError(
            "--node - is given twice", "standard input holds one node; give the others as files"
        )
    return tuple(each for place in named for each in _nodes_at(place))


def _nodes_at(place: str) -> Iterator[tuple[str, Node]]:
    if place == _STDIN or not Path(place).is_dir():
        yield _node_in(place)
        return
    try:
        files = sorted(each for each in Path(place).iterdir() if each.suffix == ".json")
    except OSError as error:
        raise InputError(
            f"{place} cannot be read: {error.strerror}", "give node files or a directory of them"
        ) from error
    if not files:
        raise InputError(
            f"{place}: no node facts in this directory", f"a node is a file *.json; {_MAKE_ONE}"
        )
    for file in files:
        yield _node_in(str(file))


def _node_in(place: str) -> tuple[str, Node]:
    shown = "standard input" if place == _STDIN else place
    try:
        text = sys.stdin.read() if place == _STDIN else Path(place).read_text(encoding="utf-8")
        node = node_from_facts(json.loads(text))
    except OSError as error:
        raise InputError(f"{shown} cannot be read: {error.strerror}", _MAKE_ONE) from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{shown} is not JSON: {error}", _MAKE_ONE) from error
    except HtcqError as error:
        raise InputError(f"{shown}: {error}", error.hint) from error
    return node.hostname or shown, node


def probed(execute: str | None) -> Node:
    """Return this machine, as HTCondor's configuration and the kernel describe it."""
    from htcq.live.configuration import installed_configuration
    from htcq.probe import probe_node

    return probe_node(execute, installed_configuration(), essential=True)
