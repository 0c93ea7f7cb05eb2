"""A pool of one large machine and a few groups, as the rules on quotas look at it."""

from __future__ import annotations

from collections.abc import Iterable

from htcq.pool.pool import Pool
from tests.audit.sites import Text, dynamic_slot, policy_slot, pool, submitter

#: Physics has 20, hep 15 and lep 5 of it, chemistry 10; hep and lep accept surplus and physics does
#: not.
PHYSICS = """
GROUP_NAMES = physics, physics.hep, physics.lep, chem
GROUP_QUOTA_physics = 20
GROUP_QUOTA_physics.hep = 15
GROUP_QUOTA_physics.lep = 5
GROUP_QUOTA_chem = 10
GROUP_ACCEPT_SURPLUS_physics.hep = True
GROUP_ACCEPT_SURPLUS_physics.lep = True
"""


def machine(weight: int, name: str = "slot1@big", **changes: Text | None) -> str:
    """Return a machine with a consumption policy and a weight of ``weight``, all of it free."""
    memory = 4096 * weight
    return policy_slot(
        name,
        **{
            "Cpus": weight,
            "TotalSlotCpus": weight,
            "Memory": memory,
            "TotalSlotMemory": memory,
            **changes,
        },
    )


def wants(
    group: str, idle: int = 50, running: int = 0, user: str = "ada", **changes: Text | None
) -> str:
    """Return a submitter of ``group`` (empty: of none) whose jobs weigh 1 each."""
    own: dict[str, Text | None] = {
        "IdleJobs": idle, "RunningJobs": running, "WeightedIdleJobs": idle, "WeightedRunningJobs": f"{running}.0",
    }  # fmt: skip
    return submitter(f"{group}.{user}@site" if group else f"{user}@site", **{**own, **changes})


def uses(group: str, number: int, user: str = "ada", cpus: int = 1) -> tuple[str, ...]:
    """Return the slots that a submitter of ``group`` holds, with a weight of ``cpus`` each."""
    who = f"{group}.{user}@site" if group else f"{user}@site"
    return tuple(
        dynamic_slot(f"slot1_{each}@{group or user}", who, Cpus=cpus)
        for each in range(1, number + 1)
    )


def groups(config: str, *ads: str, weight: int = 100, jobs: Iterable[str] | None = ()) -> Pool:
    """Return a pool with ``weight`` free, the groups of ``config`` and ``ads``; its queues are empty unless given."""
    return pool(machine(weight), *ads, config=config, jobs=jobs)
