"""A captured pool whose machines have the capacity models of a site file.

What ``htcq emit`` would make of them.

The slots stay as they are, and so does what is claimed on them. What a model becomes on a
machine is said once, by ``htcq.capacity.layout``; a machine that cannot carry it stays as it is.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from htcq.capacity.kinds import NodeKind, check_kinds, choose
from htcq.capacity.layout import SlotType
from htcq.classads import as_number
from htcq.errors import HtcqError, InputError
from htcq.policy.weight import greatest
from htcq.pool.configuration import Configuration, Knob
from htcq.pool.pool import Pool
from htcq.pool.slot import DYNAMIC, PARTITIONABLE, Slot
from htcq.simulate.captured_nodes import (
    divisible,
    hardware_of,
    machine_of,
    node_of,
    stands_alone,
)
from htcq.simulate.layouts import laid_out, shape
from htcq.simulate.publishing import Model, Publishing
from htcq.simulate.reweighed import reweighed, with_schedd_weight


@dataclass(frozen=True)
class MachineModel:
    """The models of a site file on machines: ``machines`` is a shell pattern, empty for all.

    ``name`` is the file's.

    ``kinds`` are the nodes that have models of their own in that file.
    """

    name: str
    types: tuple[SlotType, ...]
    machines: str = ""
    literal: bool = False
    kinds: tuple[NodeKind, ...] = ()

    @property
    def told(self) -> str:
        """The option that says so."""
        return f"--model {self.machines}={self.name}" if self.machines else f"--model {self.name}"

    def meant_for(self, machine: str) -> bool:
        """Return whether ``machine`` is one of those."""
        return not self.machines or fnmatch.fnmatchcase(machine, self.machines)


def with_models(pool: Pool, models: Sequence[MachineModel]) -> Pool:
    """Return ``pool`` with ``models`` on its machines, the last that is meant for a machine on it.

    Its ``damage`` tells which machines stay as they are, and why. What is claimed keeps running and
    weighs what its slot weighs now: in what groups and submitters use, too. With a model for all
    machines jobs weigh what the configuration of access points for that model makes them weigh.

    Raises:
        InputError: a model is meant for no machine that has a partitionable slot, or fits none of
            them.
    """
    machines: dict[str, list[Slot]] = {}
    for slot in pool.slots or ():
        machines.setdefault(str(slot.machine), []).append(slot)
    found: dict[str, Model] = {}
    told: list[str] = []
    for model, names in _shared_out(models, machines):
        modelled, refused = _modelled(model, {name: machines[name] for name in names})
        if not modelled:
            why = f": {next(iter(refused))}" if refused else ""
            raise InputError(
                f"{model.told}: it fits no machine{why}",
                "htcq plan shows what a model makes of a node",
            )
        found.update(modelled)
        told += [_stays(model, names, why) for why, names in refused.items()]
    slots, execute = _published(pool.slots or (), found), _execute(pool, found)
    changed = replace(pool, slots=slots, execute=execute, damage=(*pool.damage, *told))
    if all(model.machines for model in models):
        return reweighed(changed, pool)
    weights = dict.fromkeys(each.layout.policy.schedd_weight for each in found.values())
    return reweighed(with_schedd_weight(changed, greatest(list(weights))), pool)


def _shared_out(
    models: Sequence[MachineModel], machines: Mapping[str, Sequence[Slot]]
) -> Iterator[tuple[MachineModel, list[str]]]:
    """Yield each model with the machines that it is for."""
    with_parts = [name for name, slots in machines.items() if any(map(divisible, slots))]
    last = {
        name: number
        for name in with_parts
        for number, model in enumerate(models)
        if model.meant_for(name)
    }
    for number, model in enumerate(models):
        if not any(map(model.meant_for, machines)):
            raise InputError(
                f"{model.told}: no machine of that name", "a name, or a pattern such as node1*"
            )
        if not any(map(model.meant_for, with_parts)):
            raise InputError(f"{model.told}: no partitionable slot there", "a model is for those")
        mine = [name for name, given in last.items() if given == number]
        if mine:
            yield model, mine


def _stays(model: MachineModel, names: Sequence[str], why: str) -> str:
    many = f"{names[0]} stays as it is"
    if len(names) > 1:
        many = f"{len(names)} machines, such as {min(names)}, stay as they are"
    return f"{model.told}: {many}: {why}"


# What a model becomes
# --------------------------------------------------------------------------------------------------


def _modelled(
    model: MachineModel, machines: Mapping[str, Sequence[Slot]]
) -> tuple[dict[str, Model], dict[str, list[str]]]:
    """Return the models by slot name, and by reason the machines that cannot carry theirs."""
    found: dict[str, Model] = {}
    refused: dict[str, list[str]] = {}
    known: dict[tuple[object, ...], list[Model] | str] = {}
    used: set[str] = set()
    for name, slots in machines.items():
        pslots = [slot for slot in slots if divisible(slot)]
        alone = stands_alone(slots)
        kind, types = _types_of(model, pslots)
        used.add(kind)
        key = (kind, alone, *map(shape, pslots))
        if key not in known:
            try:
                hardware = [hardware_of(slot) for slot in pslots]
                layouts = laid_out(types, model.literal, hardware, alone)
                known[key] = [Model(each, model.literal) for each in layouts]
            except HtcqError as error:
                known[key] = str(error)
        outcome = known[key]
        if isinstance(outcome, str):
            refused.setdefault(outcome, []).append(name)
        else:
            found.update(zip([str(slot.name) for slot in pslots], outcome))
    if not model.machines:
        check_kinds(model.kinds, used)
    return found, refused


def _types_of(model: MachineModel, pslots: Sequence[Slot]) -> tuple[str, tuple[SlotType, ...]]:
    """Return the kind of a machine, and the slot types that the model's file has for it."""
    if not model.kinds:
        return "", model.types
    hardware = [hardware_of(slot) for slot in pslots]
    chosen = choose(model.types, model.kinds, node_of(machine_of(hardware), hardware[0]))
    return chosen.kind, chosen.types


# What becomes of the pool
# --------------------------------------------------------------------------------------------------


def _published(slots: Iterable[Slot], models: Mapping[str, Model]) -> tuple[Slot, ...]:
    make, slots = Publishing(), tuple(slots)
    parents = [slot.parent for slot in slots]
    claims: dict[str, int] = {}
    for parent, slot in zip(parents, slots):
        claims[parent] = claims.get(parent, 0) + (slot.type == DYNAMIC)
    return tuple(
        make.slot(slot, models[parent], claims[parent])
        if parent in models and slot.type in (PARTITIONABLE, DYNAMIC)
        else slot
        for parent, slot in zip(parents, slots)
    )


def _execute(pool: Pool, models: Mapping[str, Model]) -> dict[str, Configuration]:
    """Return the configurations of machines, with what their startds now make of requests."""
    execute, known = dict(pool.execute), dict[tuple[object, ...], Configuration]()
    for slot in pool.slots or ():
        model = models.get(str(slot.name))
        if model is None or slot.type != PARTITIONABLE:
            continue
        machine, type_id = str(slot.machine), as_number(slot.value("SlotTypeID"))
        if slot.startd in execute:
            machine = slot.startd
        own = execute.get(machine, Configuration("model"))
        key = (id(own), id(model.layout), type_id)
        if key not in known:
            names = {
                f"SLOT_TYPE_{type_id}_MODIFY_REQUEST_EXPR_REQUEST{asset.upper()}": text
                for asset, text in model.layout.policy.modify.items()
            }
            knobs = {
                name: Knob(name, model.layout.policy.expanded(text)) for name, text in names.items()
            }
            known[key] = own.with_knobs(knobs)
        execute[machine] = known[key]
    return execute
