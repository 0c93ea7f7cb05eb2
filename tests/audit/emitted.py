"""Pools whose nodes have taken what ``htcq emit`` writes: the ads that its startd would publish, and all files.

A partitionable slot publishes SLOT_WEIGHT, CONSUMPTION_<asset> and NUM_CLAIMS as SlotWeight,
Consumption<asset> and NumClaims, and makes WithinResourceLimits of the policy
(ResAttributes.cpp:publish_static, 25.14)."""

from __future__ import annotations

from collections.abc import Iterable

from htcq.capacity.choice import Choice
from htcq.capacity.layout import Slot, SlotType, lay_out
from htcq.emit import ACCESS, CENTRAL, EXECUTE
from htcq.emit.render import configuration
from htcq.live.configuration import read_configuration
from htcq.node import Node
from htcq.pool.pool import Pool
from htcq.units import attribute
from tests.audit.sites import Text, collector, job, pool, schedd, slot

#: Three kinds of node: of few memory, of much memory, and with GPUs.
MIXED = {
    "a1": Node(32, 65536, 400_000_000),
    "a2": Node(32, 65536, 400_000_000),
    "b1": Node(64, 524_288, 400_000_000),
    "g1": Node(16, 131_072, 400_000_000, gpus=4),
}


def emitted_pool(choice: Choice, node: Node, literal: bool = False) -> Pool:
    """Return the pool of such a node, an access point and a central manager, with some jobs of different shapes."""
    (laid_out,) = lay_out(node, (SlotType(choice),), literal)
    texts = {
        role: configuration(role, node, (laid_out,), literal=literal)
        for role in (EXECUTE, ACCESS, CENTRAL)
    }
    # What the node would detect by itself.
    texts[EXECUTE] += f"NUM_CPUS = {laid_out.machine['cpus']}\n"
    shapes = (
        (1, 600, 1000),
        (1, 1024, 1024),
        (2, 2100, 500_000),
        (1, 5000, 2_000_000),
        (3, 100, 1000),
        (0, 0, 0),
    )
    jobs = [
        job(f"{number}.0", RequestCpus=cpus, RequestMemory=memory, RequestDisk=disk)
        for number, (cpus, memory, disk) in enumerate(shapes, 1)
    ]
    return pool(
        slot_ad(laid_out, texts[EXECUTE]),
        schedd("access1"),
        collector("central"),
        jobs=jobs,
        config=texts[CENTRAL],
        access={"access1": texts[ACCESS]},
        execute={"node1": texts[EXECUTE]},
    )


def mixed_pool(choice: Choice, *ads: str, jobs: Iterable[str] = (), groups: str = "") -> Pool:
    """Return a pool of three kinds of node that all have taken ``choice``, with these jobs and groups."""
    slots, execute, other = [], {}, {}
    for name, node in MIXED.items():
        (laid_out,) = lay_out(node, (SlotType(choice),), literal=False)
        text = configuration(EXECUTE, node, (laid_out,))
        execute[name] = f"{text}NUM_CPUS = {laid_out.machine['cpus']}\n"
        slots.append(slot_ad(laid_out, execute[name], name))
        other = {role: configuration(role, node, (laid_out,)) for role in (ACCESS, CENTRAL)}
    daemons = (schedd("access1"), collector("central"), *ads)
    config = f"{other[CENTRAL]}NEGOTIATOR_CONSIDER_PREEMPTION = False\n{groups}"
    access = {"access1": other[ACCESS]}
    return pool(*slots, *daemons, jobs=jobs, config=config, access=access, execute=execute)


def slot_ad(laid_out: Slot, text: str, node: str = "node1") -> str:
    """Return the ad of the partitionable slot of ``node``, whose configuration is ``text``."""
    # A startd lists GPUs also where there are none.
    total, machine = {"gpus": 0, **laid_out.total}, {"gpus": 0, **laid_out.machine}
    assets = {asset: attribute(asset) for asset in total}
    knobs = [
        "SLOT_WEIGHT",
        "NUM_CLAIMS",
        "CONSUMPTION_POLICY",
        *(f"CONSUMPTION_{asset.upper()}" for asset in assets),
    ]
    values = read_configuration(text, knobs)
    ad: dict[str, Text] = {"SlotWeight": values["SLOT_WEIGHT"], "SlotTypeID": 1}
    ad["MachineResources"] = f'"{" ".join(["Swap", *assets.values()])}"'
    for asset, name in assets.items():
        ad[name], ad[f"TotalSlot{name}"], ad[f"Total{name}"] = (
            total[asset],
            total[asset],
            machine[asset],
        )
    ad["TotalSlotDisk"], ad["TotalCpus"] = float(total["disk"]), float(machine["cpus"])
    if values["CONSUMPTION_POLICY"].lower() == "true":
        ad["NumClaims"] = values["NUM_CLAIMS"]
        for asset, name in assets.items():
            ad[f"Consumption{name}"] = values[f"CONSUMPTION_{asset.upper()}"]
        ad["WithinResourceLimits"] = " && ".join(
            f"ifThenElse(TARGET._cp_orig_Request{name} =!= undefined, TARGET.Request{name} <= "
            f"MY.{name}, "
            f"MY.Consumption{name} <= MY.{name})"
            for name in assets.values()
        )
    return slot(f"slot1@{node}", **ad)
