"""Groups of a pool of slots, and what the negotiator's log says of one of its cycles."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable

from broken import UNHURRIED
from testpool import Pool


def slots(number: int) -> dict[str, str]:
    """Return the knobs of a pool of so many slots of 1 cpu, without weights."""
    return {
        "NUM_CPUS": str(number),
        "SLOT_TYPE_1": "cpus=1",
        "NUM_SLOTS_TYPE_1": str(number),
        "SLOT_TYPE_1_PARTITIONABLE": "False",
        "NEGOTIATOR_USE_SLOT_WEIGHTS": "False",
        **UNHURRIED,
    }


def tree(**quotas: str) -> dict[str, str]:
    """Return the knobs of groups; ``d_`` in front of a name makes its quota dynamic, ``_of_`` stands for the dot."""
    knobs, names = {}, []
    for name, quota in quotas.items():
        dynamic, name = ("DYNAMIC_", name[2:]) if name.startswith("d_") else ("", name)
        names.append(".".join(reversed(name.split("_of_"))))
        knobs[f"GROUP_QUOTA_{dynamic}{names[-1]}"] = quota
    return {"GROUP_NAMES": ", ".join(names), **knobs}


def first_cycle(pool: Pool, log: Callable[[], str]) -> str:
    """Return what the negotiator's log says of the first whole cycle in it: later ones may see slots as they were."""
    begun, ended = "Started Negotiation Cycle", "Finished Negotiation Cycle"
    pool.wait(lambda: ended in log().partition(begun)[2], 30, "a cycle", ("NegotiatorLog",))
    return log().partition(begun)[2].partition(ended)[0]


def allocated(cycle: str) -> dict[str, float]:
    """Return what the first round of a cycle allocates."""
    first = cycle.partition("group quotas: groups=")[0]
    return {
        name: float(got)
        for name, got in re.findall(r"group= (\S+)  quota= .* allocated= (\S+) ", first)
    }


def limits(cycle: str, group: str) -> list[float]:
    """Return the limits with which a group had its turns."""
    return [
        float(limit)
        for limit in re.findall(rf"Group {group} - BEGIN .* quota limit of (\S+)", cycle)
    ]


def matched(cycle: str) -> dict[str, int]:
    """Return how many jobs of each submitter were matched."""
    return dict(Counter(re.findall(r"Matched \S+ (\S+)@test ", cycle)))
