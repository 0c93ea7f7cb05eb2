"""Nodes with their slots, and jobs: what the options and the site file ask for.

``plan`` and ``emit`` have these options.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from htcq.capacity.choice import LINEAR
from htcq.capacity.fingerprint import fingerprint, settled
from htcq.capacity.fleet_node import FleetNode
from htcq.capacity.kinds import Chosen, check_kinds
from htcq.capacity.layout import Slot, SlotType, lay_out
from htcq.capacity.shape import Shape
from htcq.cli.nodes import read_nodes
from htcq.emit import EXECUTE
from htcq.errors import HtcqError, InputError
from htcq.node import Node
from htcq.operations.site_file import read_site_file
from htcq.settings import CHOICE_KEYS, Given, Settings, check_shapes, parse_shape, types_for
from htcq.units import CPUS, DISK, GPUS, MEMORY

if TYPE_CHECKING:
    from htcq.poolquota.ailment import Ailment


@dataclass(frozen=True)
class Request:
    """What the user asked about: nodes with their slots, the jobs, the form, the site's templates.

    ``proposed`` says that the model's numbers come from the nodes at hand; ``prices`` are the
    weights among them. ``left_out`` has the names of machines of a pool that could not be used,
    by the reason; ``model_hash`` is that of all the capacity settings, also of those that other
    kinds of node have; ``health`` is what is wrong with the pool.
    """

    nodes: tuple[FleetNode, ...]
    shapes: tuple[Shape, ...]
    literal: bool
    proposed: bool
    templates: Path | None
    left_out: Mapping[str, Sequence[str]] = field(default_factory=dict)
    prices: Mapping[str, Fraction] = field(default_factory=dict)
    model_hash: str = ""
    health: tuple[Ailment, ...] = ()

    @property
    def for_one_node(self) -> bool:
        """Whether htcq found weights for a single node, of which a pool has more."""
        return bool(self.prices) and len(self.nodes) == 1

    @property
    def node(self) -> Node:
        """The first node, which is the only one where a command takes one."""
        return self.nodes[0].node

    @property
    def slots(self) -> tuple[Slot, ...]:
        """The slots of the first node."""
        return self.nodes[0].slots


def read_request(
    arguments: argparse.Namespace, jobs: list[str] | None = None, given_node: Node | None = None
) -> Request:
    """Return what the options and the site file ask for.

    The node is ``given_node``, or else the nodes that the options name.

    Raises:
        HtcqError: something of it cannot be used.
    """
    settings = read_site_file(arguments.config, arguments.force)
    shapes = tuple(parse_shape(job) for job in jobs or ()) or settings.jobs
    literal = arguments.literal or settings.literal
    model = _Model(arguments, settings)
    from_pool = bool(arguments.snapshot or arguments.pool)
    left_out: Mapping[str, Sequence[str]] = {}
    health: tuple[Ailment, ...] = ()
    if given_node is not None:
        nodes = _of_one(given_node, model, literal)
    elif from_pool:
        nodes, left_out, health = _of_pool(arguments, model, literal)
    else:
        nodes = _of_files(arguments, model, literal)
    if given_node is None and (from_pool or len(nodes) > 1):
        check_kinds(settings.kinds, {node.kind for node in nodes})
    slots = [slot for node in nodes for slot in node.slots]
    check_shapes(
        shapes, {asset for slot in slots for asset in slot.total} - {CPUS, MEMORY, DISK, GPUS}
    )
    templates = getattr(arguments, "templates", None) or settings.templates
    proposed = any(slot.type.choice.leaves_it_to_the_node for slot in slots) or bool(model.prices)
    place = Path(templates) if templates else None
    hashed = _model_hash(model, settings, nodes[0])
    return Request(nodes, shapes, literal, proposed, place, left_out, model.prices, hashed, health)


def _model_hash(model: _Model, settings: Settings, node: FleetNode) -> str:
    """Return the hash of the settings of all kinds of nodes.

    The settings of ``node``'s own kind include what their model proposed for the node.
    """
    own = tuple(settled(slot) for slot in node.slots)
    matches = {kind.name: kind.match for kind in settings.kinds}
    kinds = model.all_kinds()
    return fingerprint(
        [
            (matches.get(each.kind, ""), own if each.kind == node.kind else each.types)
            for each in kinds
        ]
    )


class _Model:
    """The model for any node, which the options or the site file choose.

    ``prices`` are the weights that were found for a fleet.
    """

    def __init__(self, arguments: argparse.Namespace, settings: Settings) -> None:
        self._settings = settings
        if getattr(arguments, "write_weights", None) is not None:
            # Weights that the file has already are found anew.
            self._settings = replace(
                settings, slot_types=tuple(map(_without_weights, settings.slot_types))
            )
        self._splitting = arguments.splitting
        self._chosen = bool(settings.slot_types or settings.kinds)
        given = _given(arguments)
        if given and self._chosen and set(given) != {"splitting"}:
            raise InputError(
                "the site file and the options both choose a model",
                "leave out one of them (--config /dev/null)",
            )
        self._types = () if self._chosen else (SlotType(Given(given).choice(arguments.force)),)
        self._gpu_share = _share(getattr(arguments, "gpu_share", None))
        self.prices: Mapping[str, Fraction] = {}

    def price(self, nodes: Sequence[Node]) -> None:
        """Find the weights that are not given, once for all ``nodes``.

        One file must serve the whole fleet.
        """
        if not nodes:
            return
        if not any(map(_lacks_weights, self._all_types())):
            if self._gpu_share is not None:
                raise InputError(
                    "--gpu-share is for weights that htcq finds",
                    "leave it out, or the model's settings",
                )
            return
        from htcq.capacity.prices import even_prices

        self.prices = even_prices([node.assets() for node in nodes], self._gpu_share)

    def _all_types(self) -> list[SlotType]:
        if not self._chosen:
            return list(self._types)
        kinds = [slot_type for kind in self._settings.kinds for slot_type in kind.types]
        return [*self._settings.slot_types, *kinds]

    def all_kinds(self) -> list[Chosen]:
        """Return each kind with its slot types; the first is that of nodes of no kind, if any."""
        plain = self._settings.slot_types if self._chosen else self._types
        found = [Chosen("", plain)] if plain else []
        found += [Chosen(kind.name, kind.types) for kind in self._settings.kinds]
        return [
            Chosen(each.kind, tuple(self._completed(one) for one in each.types)) for each in found
        ]

    def types_for(self, node: Node) -> Chosen:
        """Return the kind of ``node`` and its slot types."""
        chosen = types_for(self._settings, node) if self._chosen else Chosen("", self._types)
        return Chosen(chosen.kind, tuple(self._completed(each) for each in chosen.types))

    def _completed(self, kind: SlotType) -> SlotType:
        """Return ``kind`` with the splitting of the option and the weights that were found."""
        choice = kind.choice
        if self._splitting and self._chosen:
            choice = replace(choice, splitting=self._splitting)
        if self.prices and _lacks_weights(kind):
            choice = replace(choice, weights=self.prices)
        if choice is kind.choice:
            return kind
        return replace(kind, choice=choice)


def _without_weights(kind: SlotType) -> SlotType:
    if kind.choice.kind != LINEAR:
        return kind
    return replace(kind, choice=replace(kind.choice, model=LINEAR, weights={}))


def _lacks_weights(kind: SlotType) -> bool:
    return kind.choice.kind == LINEAR and not kind.choice.weights


def _share(text: str | None) -> Fraction | None:
    """Return the part of a pool's weight that its GPUs stand for: ``0.25`` or ``25%``."""
    if text is None:
        return None
    try:
        share = Fraction(text.rstrip("%"))
        if text.endswith("%"):
            share /= 100
    except (ValueError, ZeroDivisionError):
        share = Fraction(-1)
    if not 0 <= share < 1:
        raise InputError(
            f"--gpu-share {text}: not a part of the weight", "from 0 to below 1, such as 0.25"
        )
    return share


def _given(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the flags that choose a model."""
    flags = {name: getattr(arguments, name, None) for name in CHOICE_KEYS}
    given = {name: value for name, value in flags.items() if value is not None}
    for name, flag in (("level", "--level"), ("charge", "--charge"), ("weights", "--weight")):
        if name in given:
            given[name] = _once(flag, given[name])
    return given


def _once(flag: str, pairs: list[tuple[str, str]]) -> dict[str, str]:
    amounts: dict[str, str] = {}
    for asset, amount in pairs:
        if asset in amounts:
            raise InputError(f"{flag} {asset} is given twice", "give each asset once")
        amounts[asset] = amount
    return amounts


def _of_one(node: Node, model: _Model, literal: bool) -> tuple[FleetNode, ...]:
    model.price([node])
    return (_laid_out("this node", node, model, literal, alone=True),)


def _of_files(arguments: argparse.Namespace, model: _Model, literal: bool) -> tuple[FleetNode, ...]:
    """Return the nodes of files, or this machine.

    Raises:
        HtcqError: one of them cannot be read, or cannot carry its model.
    """
    named = read_nodes(arguments.node, arguments.execute)
    if not arguments.node and getattr(arguments, "role", EXECUTE) != EXECUTE:
        # An access point or a central manager serves the nodes of every kind, and is none of them
        # itself.
        return tuple(_of_kind(chosen, named[0][1], literal) for chosen in model.all_kinds())
    model.price([node for _, node in named])
    return tuple(
        _laid_out(name, node, model, literal, alone=len(named) == 1) for name, node in named
    )


def _of_kind(chosen: Chosen, node: Node, literal: bool) -> FleetNode:
    """Return ``node`` in the place of a node of a kind whose hardware is not known."""
    try:
        return FleetNode(chosen.kind, node, lay_out(node, chosen.types, literal), chosen.kind)
    except HtcqError as error:
        raise type(error)(
            f"{error}, on this machine", "give --node FILE of each kind of execution point"
        ) from error


def _laid_out(name: str, node: Node, model: _Model, literal: bool, alone: bool) -> FleetNode:
    chosen = model.types_for(node)
    try:
        return FleetNode(name, node, lay_out(node, chosen.types, literal), chosen.kind)
    except HtcqError as error:
        if alone:
            raise
        raise type(error)(f"{name}: {error}", error.hint) from error


def _of_pool(
    arguments: argparse.Namespace, model: _Model, literal: bool
) -> tuple[tuple[FleetNode, ...], Mapping[str, Sequence[str]], tuple[Ailment, ...]]:
    """Return a pool's machines as nodes, the unusable ones, and the health of the pool.

    The unusable machines are names, by the reason why they are unusable.

    Raises:
        HtcqError: the pool cannot be read, or has no machine that can be used.
    """
    if arguments.node:
        raise InputError(
            "--node and a pool contradict each other", "give files of nodes, or a pool"
        )
    from htcq.cli.pool_options import sources
    from htcq.operations.pool_nodes import seen_startds
    from htcq.simulate.captured_nodes import captured_nodes
    from htcq.simulate.layouts import fleet_of

    source = replace(sources(arguments)[0], machines=False, schedds=False)
    seen = seen_startds(source)
    machines, left_out = captured_nodes(seen.startds)
    model.price([machine.node for machine in machines])
    nodes, refused = fleet_of(machines, model.types_for, literal)
    left_out = {**left_out, **refused}
    if not nodes:
        why = f": {next(iter(left_out))}" if left_out else ""
        raise InputError(
            f"{source.name}: no machine of it can be used{why}",
            "a node is a machine with a partitionable slot",
        )
    return nodes, left_out, seen.health
