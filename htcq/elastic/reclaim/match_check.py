"""What the negotiator's next cycle would make of it: who would be matched with what is freed, with everybody asking.

The whole cycle is gone through as for ``htcq simulate``: group quotas, priorities, ceilings and
concurrency limits count, and so does everybody else who waits.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from htcq.elastic.reclaim.free_space import FreeSpaces
from htcq.pool.pool import Pool
from htcq.simulate.cycle.cycle import Cycle


def taken_places(
    pool: Pool, rooms: FreeSpaces, ended: Mapping[str, Sequence[str]], held: Collection[str], whose: Mapping[str, str],
    needy: Collection[str],
) -> frozenset[str]:  # fmt: skip
    """Return the places where one of the ``needy`` groups would have a match once the claims ``ended`` are gone.

    A partitionable slot without a consumption policy has one match a cycle: what else is free there
    is for later ones.

    ``ended`` has by place the slots of those claims, ``held`` the submitters that a ceiling
    keeps from new matches, ``whose`` the groups of submitters.
    """
    gone = {name for names in ended.values() for name in names}
    slots = []
    for slot in pool.slots or ():
        name = str(slot.name)
        freed = rooms.freed(name, ended[name]) if name in ended else None
        if freed is not None:
            slots.append(freed)
        elif name not in gone:
            slots.append(slot)
    jobs = tuple(job for job in pool.jobs or () if not (job.wanted and job.submitter in held))
    cycle = Cycle(replace(pool, slots=tuple(slots), jobs=jobs), skip_bad_slots=True)
    for state, offers in cycle.offers.states(""):
        # Nothing is matched with these: that somebody might preempt them would only be told, and
        # takes long to find.
        for offer in tuple(offers) if state.held else ():
            cycle.offers.remove(offer)
    mine = (match for match in cycle.run().matches if whose.get(match.submitter) in needy)
    return frozenset(match.slot for match in mine if match.slot in ended)
