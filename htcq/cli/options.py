"""The options that ``plan`` and ``emit`` share, and what they add up to: a node and its slots."""

from __future__ import annotations

import argparse
import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from htcq.capacity.layout import Slot, SlotType, lay_out
from htcq.capacity.plan import Shape
from htcq.errors import InputError
from htcq.node import Node, node_from_facts
from htcq.settings import Given, Settings, check_shapes, parse_shape, settings_from
from htcq.units import CPUS, DISK, GPUS, MEMORY

#: Where a site file is looked for when none is named.
SITE_FILES = ("htcq.toml", "/etc/htcq/htcq.toml")

_MODEL_FLAGS = ("model", "preset", "claims", "share", "assets", "level", "rule", "charge", "whole_charges", "cpu_shares")


@dataclass(frozen=True)
class Request:
    """What the user asked about: the node, its slots, the jobs, the form, the site's templates."""

    node: Node
    slots: tuple[Slot, ...]
    shapes: tuple[Shape, ...]
    literal: bool
    templates: Path | None


def add_model_options(parser: argparse.ArgumentParser) -> None:
    """Add the flags that name a node, a model and jobs."""
    node = parser.add_argument_group("node")
    node.add_argument("--node", metavar="FILE", help="node facts as 'htcq probe --json' prints them (- for stdin)")
    node.add_argument("--execute", metavar="DIR", help="where jobs run, if HTCondor is not installed")
    node.add_argument("--config", metavar="FILE", help="site file (default: htcq.toml here or in /etc/htcq)")
    model = parser.add_argument_group("model")
    model.add_argument("--model", metavar="NAME", help="fixed, quantized or minimum-charge (the default)")
    model.add_argument("--preset", metavar="NAME", help="a named policy: simple, cpu-centric, memory-centric, …")
    model.add_argument("--claims", metavar="M", type=whole, help="fixed: number of claims")
    model.add_argument("--share", metavar="WHAT", help="fixed: even, request or none")
    model.add_argument("--asset", metavar="ASSET", action="append", dest="assets", help="fixed: divide this asset")
    model.add_argument("--level", metavar="ASSET=Q", action="append", type=pair, help="quantized: levels of an asset")
    model.add_argument("--rule", metavar="RULE", help="quantized: min or max")
    model.add_argument(
        "--charge", metavar="ASSET=AMOUNT", action="append", type=pair, help="minimum-charge: least charge (2GiB)"
    )
    model.add_argument("--whole-charges", action="store_true", default=None, help="minimum-charge: whole charges only")
    model.add_argument("--cpu-shares", metavar="K", type=whole, help="count each core as K cpus")
    model.add_argument("--splitting", metavar="WHO", help="negotiator (the default) or scheduler")
    model.add_argument("--literal", action="store_true", help="numbers of this node instead of portable expressions")
    model.add_argument("--force", action="store_true", help="accept what is refused for good reason")


def whole(text: str) -> int:
    """Return ``text`` as a whole number."""
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number") from None


def pair(text: str) -> tuple[str, str]:
    """Return ``ASSET=AMOUNT`` in two."""
    asset, equals, amount = text.partition("=")
    if not equals or not asset.strip():
        raise argparse.ArgumentTypeError(f"'{text}' is not ASSET=AMOUNT, such as memory=2GiB")
    return asset.strip().lower(), amount.strip()


def read_request(arguments: argparse.Namespace, jobs: list[str] | None = None) -> Request:
    """Return what the flags and the site file ask for.

    Raises:
        HtcqError: something of it cannot be used.
    """
    settings = _site_settings(arguments)
    node = read_node(arguments)
    shapes = tuple(parse_shape(job) for job in jobs or ()) or settings.jobs
    literal = arguments.literal or settings.literal
    slots = lay_out(node, _slot_types(arguments, settings), literal)
    check_shapes(shapes, {asset for slot in slots for asset in slot.total} - {CPUS, MEMORY, DISK, GPUS})
    templates = getattr(arguments, "templates", None) or settings.templates
    return Request(node, slots, shapes, literal, Path(templates) if templates else None)


def _slot_types(arguments: argparse.Namespace, settings: Settings) -> tuple[SlotType, ...]:
    given = {name: getattr(arguments, name) for name in _MODEL_FLAGS if getattr(arguments, name) is not None}
    for name in ("level", "charge"):
        if name in given:
            given[name] = _once(name, given[name])
    if arguments.splitting:
        given["splitting"] = arguments.splitting
    if given and settings.slot_types and set(given) != {"splitting"}:
        raise InputError("the site file and the flags both choose a model", "leave out one of them (--config /dev/null)")
    if not given and settings.slot_types:
        return settings.slot_types
    return (SlotType(Given(given).choice(arguments.force)),)


def _once(name: str, pairs: list[tuple[str, str]]) -> dict[str, str]:
    amounts: dict[str, str] = {}
    for asset, amount in pairs:
        if asset in amounts:
            raise InputError(f"--{name} {asset} is given twice", "give each asset once")
        amounts[asset] = amount
    return amounts


def _site_settings(arguments: argparse.Namespace) -> Settings:
    named = arguments.config
    path = Path(named) if named else next((Path(each) for each in SITE_FILES if Path(each).is_file()), None)
    if path is None:
        return Settings()
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read: {getattr(error, 'strerror', error)}", "see htcq.toml(5)") from error
    return settings_from(_parse_toml(text, path), arguments.force)


def _parse_toml(text: str, path: Path) -> dict[str, Any]:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path}: {error}", "see htcq.toml(5)") from error


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
        raise InputError(f"{arguments.node} cannot be read: {error.strerror}", "'htcq probe --json' makes one") from error
    except ValueError as error:
        raise InputError(f"{arguments.node} is not JSON: {error}", "'htcq probe --json' makes one") from error


def probed(execute: str | None) -> Node:
    """Return this machine, as HTCondor's configuration and the kernel describe it."""
    from htcq.live.configuration import own_configuration
    from htcq.probe import probe_node

    params = own_configuration if _has_own_configuration() else None
    return probe_node(execute, params)


def _has_own_configuration() -> bool:
    """Tell whether there is a configuration that the bindings would read."""
    usual = ("/etc/condor/condor_config", "/usr/local/etc/condor_config")
    return "CONDOR_CONFIG" in os.environ or any(Path(each).is_file() for each in usual)
