"""Jobs that start without a match of their own.

In what is left of a slot that was matched whole for another.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import cast

from htcq.pool.pool import Pool
from htcq.pool.slot import PARTITIONABLE
from htcq.simulate.course.claims import LEFTOVER
from htcq.simulate.course.runtimes import Dice
from htcq.simulate.course.world import World
from htcq.simulate.cycle.cycle import Cycle
from htcq.simulate.cycle.schedd_negotiation import Made


def started_on_leftovers(pool: Pool, cycle: Cycle) -> frozenset[tuple[str, str]]:
    """Return access point and id of the jobs that start so after the finished ``cycle``."""
    made = list(_leaving(pool, cycle))
    if not made:
        return frozenset()
    # Nothing is drawn: no job ends here.
    world = World(pool, lambda job, dice: math.inf, cast("Dice", None))
    world.take(made)
    name_of = cycle.askers.access.name_of
    return frozenset(
        (name_of(start.job), start.job.id) for start in world.starts if start.by == LEFTOVER
    )


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
