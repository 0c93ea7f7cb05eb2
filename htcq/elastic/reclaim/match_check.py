"""The next negotiation cycle, simulated with the freed slots: does a group in need get them?

The cycle is simulated as by ``htcq simulate``: group quotas, priorities, ceilings and concurrency
limits count, and so do all other waiting jobs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from htcq.elastic.reclaim.free_space import FreeSpaces
from htcq.pool.pool import Pool
from htcq.pool.slot import Slot
from htcq.simulate.cycle.cycle import Cycle


def taken_places(
    pool: Pool,
    spaces: FreeSpaces,
    ended: Mapping[str, Sequence[str]],
    limited: Collection[str],
    group_by_submitter: Mapping[str, str],
    needy: Collection[str],
) -> frozenset[str]:
    """Return the places where a group in need gets a match once the claims ``ended`` are gone.

    ``ended`` has the slots of these claims by place; ``limited`` are the submitters that a ceiling
    keeps from new matches. A partitionable slot without a consumption policy has one match a
    cycle: what else is free there is for later cycles.
    """
    jobs = [job for job in pool.jobs or () if not (job.wanted and job.submitter in limited)]
    slots = tuple(_slots_left(pool, spaces, ended))
    cycle = Cycle(replace(pool, slots=slots, jobs=tuple(jobs)), skip_bad_slots=True)
    for offer in cycle.offers.at_first:
        # A claimed slot is not matched. A preemption of it would only be reported, and takes long
        # to find.
        if offer.customer:
            cycle.offers.remove(offer)
    taken = set()
    for match in cycle.run().matches:
        if match.slot in ended and group_by_submitter.get(match.submitter) in needy:
            taken.add(match.slot)
    return frozenset(taken)


def _slots_left(
    pool: Pool, spaces: FreeSpaces, ended: Mapping[str, Sequence[str]]
) -> Iterator[Slot]:
    """Yield the slots of the pool once the claims ``ended`` are gone."""
    gone: set[str] = set()
    for names in ended.values():
        gone.update(names)
    for slot in pool.slots or ():
        name = str(slot.name)
        freed = None
        if name in ended:
            freed = spaces.freed(name, ended[name])
        if freed is not None:
            yield freed
        elif name not in gone:
            yield slot
