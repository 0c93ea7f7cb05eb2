"""Proves a rendered configuration harmless: read back as HTCondor reads it, then evaluated.

The text may come from a site's own template, so nothing is taken from the model that it was
rendered from but the amounts of the node.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from htcq.capacity.fleet_node import FleetNode
from htcq.capacity.layout import Slot
from htcq.capacity.shape import Shape
from htcq.claims.planned import Charges
from htcq.claims.safety import dangers
from htcq.classads import Expr, as_number
from htcq.emit import ACCESS, CENTRAL, EXECUTE, SUBSYSTEMS
from htcq.errors import PolicyError
from htcq.policy.consumption import MODIFIABLE, NEGOTIATOR, SCHEDULER, Policy
from htcq.pool.configuration import assignments
from htcq.pool.daemons import daemons_of
from htcq.quota.knobs import truth_of

#: Reads a configuration text as the daemon of a subsystem does, and returns the values of the named
#: knobs (those that are defined).
Reader = Callable[[str, Sequence[str], str], Mapping[str, str]]
_FLAGS = ("CONSUMPTION_POLICY", "CLAIM_PARTITIONABLE_LEFTOVERS")


def prove(
    role: str, text: str, nodes: Sequence[FleetNode], shapes: Sequence[Shape] | None, read: Reader
) -> None:
    """Refuse a text that would harm a daemon, or whose model would let groups exceed their quotas.

    ``nodes`` has one of each kind. ``shapes`` are the jobs that are judged: none stands for typical
    ones, None for no judgement.

    Raises:
        PolicyError: with the first danger, or the worst charge.
    """
    slots = [slot for node in nodes for slot in node.slots]
    check_configuration(role, text, slots, read)
    if shapes is not None and not all(slot.additive for slot in slots):
        # Loaded only where charges have to be reckoned: a linear weight cannot charge more than a
        # match costs.
        from htcq.emit.overcharges import refuse_overcharges

        refuse_overcharges(nodes, shapes)


def check_configuration(role: str, text: str, slots: Sequence[Slot], read: Reader) -> None:
    """Refuse a text that HTCondor cannot read or that would harm a daemon.

    Raises:
        PolicyError: with the first danger and how many more there are.
    """
    found: list[str] = []
    for values in _seen(text, SUBSYSTEMS[role], _knobs(slots), read):
        for slot in slots:
            policy = _policy_of(role, slot, values)
            found += dangers(Charges(policy, slot.total, slot.machine, slot.type.number))
        if role == EXECUTE:
            found += _bad_flags(values)
    found = list(dict.fromkeys(found))
    if found:
        more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        raise PolicyError(
            f"refused: {found[0]}{more}", "nothing was written; fix the template or the model"
        )


def _seen(
    text: str, subsystem: str, names: Sequence[str], read: Reader
) -> Iterator[Mapping[str, str]]:
    """Yield the values that each daemon of ``subsystem`` sees.

    A text may set knobs for daemons with a local name, which wins over the subsystem.
    """
    daemons = daemons_of(assignments(text), subsystem)
    locals_ = [each.local.upper() for each in daemons if each.subsystem == subsystem]
    prefixed = [f"{local}.{name}" for local in locals_ for name in names if local]
    values = read(text, [*names, *prefixed], subsystem)
    for local in locals_:
        own = {name: values[f"{local}.{name}"] for name in names if f"{local}.{name}" in values}
        yield {**values, **own}


def _knobs(slots: Sequence[Slot]) -> list[str]:
    names = ["SLOT_WEIGHT", "NUM_CLAIMS", "SCHEDD_SLOT_WEIGHT", *_FLAGS]
    assets = {asset.upper() for slot in slots for asset in slot.total}
    names += [f"CONSUMPTION_{asset}" for asset in assets]
    names += [f"MODIFY_REQUEST_EXPR_REQUEST{asset.upper()}" for asset in MODIFIABLE]
    typed = [f"SLOT_TYPE_{slot.type.number}_{name}" for slot in slots for name in names]
    return names + typed


def _policy_of(role: str, slot: Slot, values: Mapping[str, str]) -> Policy:
    """Return the slot's policy in the text; a knob of the slot type wins over the general one."""

    def value(name: str) -> str | None:
        return values.get(f"SLOT_TYPE_{slot.type.number}_{name}", values.get(name))

    policy = slot.policy
    if role == ACCESS:
        return replace(policy, schedd_weight=value("SCHEDD_SLOT_WEIGHT") or "undefined")
    if role == CENTRAL:
        return replace(policy, weight=value("SLOT_WEIGHT") or "undefined")
    consumption = {asset: value(f"CONSUMPTION_{asset.upper()}") for asset in slot.total}
    return replace(
        policy,
        splitting=NEGOTIATOR if truth_of(value("CONSUMPTION_POLICY") or "") else SCHEDULER,
        consumption=_given(consumption.items()),
        weight=value("SLOT_WEIGHT") or "undefined",
        num_claims=_whole(value("NUM_CLAIMS"), policy.num_claims),
        modify=_given(
            (asset, value(f"MODIFY_REQUEST_EXPR_REQUEST{asset.upper()}")) for asset in MODIFIABLE
        ),
    )


def _given(items: Iterable[tuple[str, str | None]]) -> dict[str, str]:
    return {name: text for name, text in items if text}


def _whole(text: str | None, otherwise: int) -> int:
    number = as_number(Expr(text).evaluate()) if text else otherwise
    if number is None:
        return 0
    return int(number)


def _bad_flags(values: Mapping[str, str]) -> Iterator[str]:
    truths = [truth_of(values.get(name, "false")) for name in _FLAGS]
    for name, truth in zip(_FLAGS, truths):
        if truth is None:
            yield f"{name} is neither true nor false: {values[name]}, and the startd exits"
    if all(truths):
        yield (
            "CONSUMPTION_POLICY and CLAIM_PARTITIONABLE_LEFTOVERS are both on, which HTCondor "
            "does not support"
        )
