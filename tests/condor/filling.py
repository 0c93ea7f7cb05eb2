"""A fleet that fills up: jobs of several groups, and what is used at every moment until nothing changes any more."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fleet import Fleet
from measured import GATE
from testpool import PoolError

_ENDED = "Finished Negotiation Cycle"
#: Cycles without any change after which a pool is full: the negotiator offers 20 jobs of a
#: submitter in one cycle.
_QUIET_CYCLES = 3


@dataclass(frozen=True)
class Crowd:
    """``count`` equal jobs of one submitter, ``group.user``."""

    submitter: str
    count: int
    cpus: int
    memory: int
    gpus: int = 0

    @property
    def group(self) -> str:
        """The group of the submitter."""
        return self.submitter.partition(".")[0]

    def commands(self) -> dict[str, object]:
        """Return the submit commands."""
        group, _, user = self.submitter.partition(".")
        found: dict[str, object] = {"accounting_group": group, "accounting_group_user": user}
        found.update(request_cpus=self.cpus, request_memory=self.memory)
        if self.gpus:
            found["request_gpus"] = self.gpus
        return found


@dataclass
class Filled:
    """A full pool: weighted usage by group, and every weight that each node had while the pool filled.

    ``fitting`` names the groups that have an idle job for which some slot has enough of everything.
    """

    usage: dict[str, float]
    gpu_claims: int
    fitting: set[str]
    weights: dict[str, set[float]]


def group_knobs(quotas: Mapping[str, float], surplus: bool = False, **knobs: object) -> str:
    """Return the configuration of groups with static quotas."""
    text = f"GROUP_NAMES = {', '.join(quotas)}\nGROUP_ACCEPT_SURPLUS = {surplus}\n"
    text += "".join(f"GROUP_QUOTA_{name} = {quota}\n" for name, quota in quotas.items())
    return text + "".join(f"{name} = {value}\n" for name, value in knobs.items())


def submit(fleet: Fleet, crowds: Sequence[Crowd], gated: bool = False) -> None:
    """Submit the jobs; gated ones match nothing before :func:`open_gate`."""
    for crowd in crowds:
        fleet.submit({**crowd.commands(), **(GATE if gated else {})}, crowd.count)


def open_gate(fleet: Fleet) -> None:
    """Let the gated jobs match."""
    for access_point in fleet.access_points:
        fleet.tool(
            access_point,
            "condor_qedit",
            "-constraint",
            "JobStatus == 1",
            "MayRun",
            "true",
            check=False,
        )


def running(fleet: Fleet, count: int, seconds: float = 60.0) -> None:
    """Wait until so many jobs run, and the negotiator has seen their claims."""

    def run() -> bool:
        return len(fleet.slots(constraint='Activity == "Busy"')) == count

    fleet.pool.wait(run, seconds, f"{count} busy slots", ("NegotiatorLog",))
    seen = _cycles(fleet) + 2
    fleet.pool.wait(lambda: _cycles(fleet) >= seen, seconds, "two cycles", ("NegotiatorLog",))


def fill(fleet: Fleet, seconds: float = 180.0) -> Filled:
    """Look at the slots again and again until some cycles have changed nothing.

    Raises:
        PoolError: claims still came or went at the end of ``seconds``.
    """
    deadline = time.monotonic() + seconds
    last: frozenset[tuple[object, object]] = frozenset()
    weights: dict[str, set[float]] = {node: set() for node in fleet.machines}
    since = _cycles(fleet)
    while time.monotonic() < deadline:
        for node, weight in fleet.weights().items():
            weights[node].add(weight)
        now = frozenset((slot["Name"], slot["Activity"]) for slot in fleet.slots("Activity"))
        if now != last:
            last, since = now, _cycles(fleet)
        elif _cycles(fleet) > since + _QUIET_CYCLES:
            claimed_gpus = fleet.slots(constraint='State == "Claimed" && GPUs > 0')
            return Filled(fleet.usage(), len(claimed_gpus), _fitting(fleet), weights)
    raise PoolError(f"claims still come and go after {seconds:g} s: {fleet.usage()}")


def _cycles(fleet: Fleet) -> int:
    return fleet.pool.log("NegotiatorLog").count(_ENDED)


def _fitting(fleet: Fleet) -> set[str]:
    """Return the groups that have an idle job for which some slot has enough of everything."""
    free = fleet.slots("Cpus", "Memory", "GPUs", constraint="PartitionableSlot =?= true")
    rooms = [tuple(_number(slot[name]) for name in ("Cpus", "Memory", "GPUs")) for slot in free]
    idle = set(
        fleet.jobs(
            "AcctGroup", "RequestCpus", "RequestMemory", "RequestGPUs", constraint="JobStatus == 1"
        )
    )
    found = set()
    for group, *asked in idle:
        wants = [_number(amount) for amount in asked]
        if any(all(want <= has for want, has in zip(wants, room)) for room in rooms):
            found.add(str(group))
    return found


def _number(amount: object) -> float:
    """Return an attribute's number; 0 where the ad has none."""
    return float(amount) if isinstance(amount, (int, float)) else 0.0
