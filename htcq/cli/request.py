"""What the options of ``plan`` and ``emit`` and the site file add up to: a node, its slots, the jobs."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass, replace
from pathlib import Path

from htcq.capacity.layout import Slot, SlotType, lay_out
from htcq.capacity.shape import Shape
from htcq.cli.site import read_site_file
from htcq.errors import InputError
from htcq.node import Node, node_from_facts
from htcq.settings import CHOICE_KEYS, Given, Settings, check_shapes, parse_shape
from htcq.units import CPUS, DISK, GPUS, MEMORY


@dataclass(frozen=True)
class Request:
    """What the user asked about: the node, its slots, the jobs, the form, the site's templates."""

    node: Node
    slots: tuple[Slot, ...]
    shapes: tuple[Shape, ...]
    literal: bool
    proposed: bool
    templates: Path | None


def read_request(arguments: argparse.Namespace, jobs: list[str] | None = None) -> Request:
    """Return what the flags and the site file ask for.

    Raises:
        HtcqError: something of it cannot be used.
    """
    settings = read_site_file(arguments.config, arguments.force)
    node = read_node(arguments)
    shapes = tuple(parse_shape(job) for job in jobs or ()) or settings.jobs
    literal = arguments.literal or settings.literal
    slots = lay_out(node, _slot_types(arguments, settings), literal)
    check_shapes(shapes, {asset for slot in slots for asset in slot.total} - {CPUS, MEMORY, DISK, GPUS})
    templates = getattr(arguments, "templates", None) or settings.templates
    proposed = any(slot.type.choice.leaves_it_to_the_node for slot in slots)
    return Request(node, slots, shapes, literal, proposed, Path(templates) if templates else None)


def _slot_types(arguments: argparse.Namespace, settings: Settings) -> tuple[SlotType, ...]:
    given = {name: getattr(arguments, name) for name in CHOICE_KEYS if getattr(arguments, name) is not None}
    for name in ("level", "charge"):
        if name in given:
            given[name] = _once(name, given[name])
    if given and settings.slot_types and set(given) != {"splitting"}:
        raise InputError(
            "the site file and the flags both choose a model", "leave out one of them (--config /dev/null)"
        )
    if settings.slot_types:
        return tuple(_split_as(kind, arguments.splitting) for kind in settings.slot_types)
    return (SlotType(Given(given).choice(arguments.force)),)


def _split_as(kind: SlotType, splitting: str | None) -> SlotType:
    """Return ``kind`` with the splitting that a flag asks for."""
    return replace(kind, choice=replace(kind.choice, splitting=splitting)) if splitting else kind


def _once(name: str, pairs: list[tuple[str, str]]) -> dict[str, str]:
    amounts: dict[str, str] = {}
    for asset, amount in pairs:
        if asset in amounts:
            raise InputError(f"--{name} {asset} is given twice", "give each asset once")
        amounts[asset] = amount
    return amounts


def read_node(arguments: argparse.Namespace) -> Node:
    """Return the node of ``--node``, or this machine.

    Raises:
        InputError: the file cannot be read or does not hold node facts.
    """
    if not arguments.node:
        return probed(arguments.execute)
    try:
        text = sys.stdin.read() if arguments.node == "-" else Path(arguments.node).read_text(encoding="utf-8")
        return node_from_facts(json.loads(text))
    except OSError as error:
        raise InputError(
            f"{arguments.node} cannot be read: {error.strerror}", "'htcq probe --json' makes one"
        ) from error
    except ValueError as error:
        raise InputError(f"{arguments.node} is not JSON: {error}", "'htcq probe --json' makes one") from error


def probed(execute: str | None) -> Node:
    """Return this machine, as HTCondor's configuration and the kernel describe it."""
    from htcq.live.configuration import installed_configuration
    from htcq.probe import probe_node

    return probe_node(execute, installed_configuration())
