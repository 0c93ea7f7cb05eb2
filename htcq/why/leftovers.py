"""What slots have left once the claims of a cycle are made, and which jobs start besides.

Jobs start without a match of their own in what is left of a slot that was matched whole for
another.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import NamedTuple, cast

from htcq.pool.pool import Pool
from htcq.pool.slot import PARTITIONABLE, Number, Slot
from htcq.simulate.course.claims import LEFTOVER
from htcq.simulate.course.runtimes import Dice
from htcq.simulate.course.world import World
from htcq.simulate.cycle.cycle import Cycle
from htcq.simulate.cycle.schedd_negotiation import Made


class AfterCycle(NamedTuple):
    """What a finished cycle leaves.

    ``leftovers`` are the slots of the jobs that start without a match of their own, by access point
    and id, ``left`` is what the slots have by name that jobs start in; nothing of those that are
    taken whole. ``without_devices`` are those of which jobs get GPUs, with the others in
    AvailableGPUs. ``dynamic_slots`` is how many of them the slots that are not taken whole have
    then.
    """

    leftovers: Mapping[tuple[str, str], str]
    left: Mapping[str, Mapping[str, Number]]
    without_devices: Mapping[str, Slot] = {}
    dynamic_slots: Mapping[str, int] = {}


#: What a cycle leaves that never comes: all as it was.
NOTHING_TAKEN = AfterCycle({}, {})


def after_cycle(pool: Pool, cycle: Cycle) -> AfterCycle:
    """Return what the finished ``cycle`` leaves of slots of ``pool``, preempted claims aside."""
    left: dict[str, dict[str, Number]] = {}
    at_first = {offer.name: offer.at_first for offer in cycle.offers.at_first}
    for made in cycle.talks.made:
        if made.claim.refusal or made.preempts:
            continue
        amounts = left.setdefault(made.slot, dict(at_first[made.slot]))
        for asset, amount in (made.claim.amounts or dict(amounts)).items():
            amounts[asset] = amounts.get(asset, 0) - amount
    whole = list(_leaving(pool, cycle))
    if not whole:
        return AfterCycle({}, left)
    # Nothing is drawn: no job ends here.
    world = World(pool, lambda job, dice: math.inf, cast("Dice", None))
    # What a schedd ends at once, since it runs too many jobs, has started all the same.
    world.begin(whole)
    name_of = cycle.askers.access.name_of
    slots = {
        id(claim.job): name for name, base in world.holdings.bases.items() for claim in base.claims
    }
    jobs = {
        (name_of(start.job), start.job.id): slots.get(id(start.job), "")
        for start in world.runs.starts
        if start.by == LEFTOVER
    }
    for made in whole:
        if made.slot in left and not world.holdings.bases[made.slot].whole:
            left[made.slot] = world.holdings.bases[made.slot].left
    bases = {name: world.holdings.bases[name] for name in left if name in world.holdings.bases}
    fewer = {name: each.slot for name, each in bases.items() if len(each.free) < len(each.devices)}
    numbers = {name: len(each.claims) for name, each in bases.items() if not each.whole}
    return AfterCycle(jobs, left, fewer, numbers)


def _leaving(pool: Pool, cycle: Cycle) -> Iterator[Made]:
    """Yield the matches, for the jobs as they stand in the queue; none where nothing is left over.

    Those of slots with a consumption policy count too: their access point alone decides whether
    there are leftovers.
    """
    made, access = cycle.talks.made, cycle.askers.access
    if not any(slot.type == PARTITIONABLE for slot in pool.slots or ()):
        return
    jobs = {(access.name_of(job), job.id): job for job in pool.jobs or ()}
    for each in made:
        yield each._replace(job=jobs[access.name_of(each.job), each.job.id])
