"""Kinds of node, by which one site file has several capacity models.

Every kind has a condition on what the node has, a ClassAd expression such as ``TotalGPUs > 0``.
A node of no kind has the site's own model, if it has one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from htcq.capacity.layout import SlotType
from htcq.classads import UNDEFINED, Ad, Expr
from htcq.errors import InputError
from htcq.node import Node, card_of
from htcq.units import GPUS, attribute, nearest_asset


@dataclass(frozen=True)
class NodeKind:
    """The nodes for which ``match`` is true, and the slot types that they have."""

    name: str
    match: str
    types: tuple[SlotType, ...]


@dataclass(frozen=True)
class Chosen:
    """What one node has: the name of its kind (empty: the site's own model) and its slot types."""

    kind: str
    types: tuple[SlotType, ...]


def choose(types: tuple[SlotType, ...], kinds: Sequence[NodeKind], node: Node) -> Chosen:
    """Return which of ``kinds`` the ``node`` is, else the site's own ``types``.

    Raises:
        InputError: it is of two kinds, or of none and there are no types; or a condition cannot be
            evaluated.
    """
    matching = [kind for kind in kinds if _matches(kind, kinds, node)]
    if len(matching) > 1:
        first, second = matching[:2]
        raise InputError(
            f"htcq.toml: {_name(node)} is of two kinds, nodes.{first.name} and nodes.{second.name}",
            "make their match expressions exclude each other",
        )
    if matching:
        return Chosen(matching[0].name, matching[0].types)
    if kinds and not types:
        raise InputError(
            f"htcq.toml: {_name(node)} is of no kind: "
            "no match expression of [nodes] is true for it",
            "add a kind, or [capacity] for all other nodes",
        )
    return Chosen("", types)


def check_kinds(kinds: Iterable[NodeKind], used: Iterable[str]) -> None:
    """Refuse kinds that no node of a fleet is of; ``used`` are the names of the others.

    Raises:
        InputError: there is such a kind.
    """
    names = set(used)
    for kind in kinds:
        if kind.name not in names:
            raise InputError(
                f'htcq.toml: nodes.{kind.name}: match = "{kind.match}" is true for no node of '
                "the fleet",
                "fix the expression, or remove the kind",
            )


def node_ad(node: Node) -> Ad:
    """Return the ad in which the match expressions are evaluated.

    It has the attributes that the node's slots will have.
    """
    ad = Ad({"Machine": node.hostname, "TotalGPUs": node.gpus})
    for asset, amount in node.assets().items():
        ad[f"Total{attribute(asset)}"] = amount
    if card_of(node):
        ad["GPUs_DeviceName"] = card_of(node)
    return ad


def _matches(kind: NodeKind, kinds: Sequence[NodeKind], node: Node) -> bool:
    expression = Expr(kind.match)
    _check_names(kind, expression, kinds, node)
    value = expression.evaluate(node_ad(node))
    if value is UNDEFINED:
        return False
    if not isinstance(value, bool):
        raise InputError(
            f"htcq.toml: nodes.{kind.name}.match is neither true nor false for {_name(node)}: "
            f"{kind.match}",
            'such as match = "TotalGPUs > 0"',
        )
    return value


def _check_names(kind: NodeKind, expression: Expr, kinds: Sequence[NodeKind], node: Node) -> None:
    """Refuse names that no node advertises: such an expression would be undefined everywhere."""
    assets = {*node.assets(), GPUS}
    for each in kinds:
        for slot_type in each.types:
            assets.update(slot_type.choice.optional_assets)
    known = ["Machine", "GPUs_DeviceName"]
    known += [f"Total{attribute(asset)}" for asset in sorted(assets)]
    lower = {name.lower(): name for name in known}
    found = expression.references()
    unknown = (found.own | found.target) - lower.keys()
    if unknown:
        name = min(unknown)
        near = nearest_asset(name, lower)
        hint = f"nodes have {', '.join(known)}"
        if near:
            hint = f"did you mean {lower[near]}?"
        raise InputError(
            f"htcq.toml: nodes.{kind.name}.match names {name}, which no node has", hint
        )


def _name(node: Node) -> str:
    return node.hostname or f"a node of {node.cpus} cpus"
