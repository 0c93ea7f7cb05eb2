"""One cycle with the machines before and after it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from htcq.pool.pool import Pool
from htcq.simulate.course.machines import Fill, fill_of
from htcq.simulate.cycle.cycle import Cycle
from htcq.simulate.cycle.trace import Trace


@dataclass(frozen=True)
class Single:
    """Result of one cycle, and the fill of machines before it and after its claims."""

    trace: Trace
    before: Fill
    after: Fill


def run_single(pool: Pool, order: Sequence[str] = (), skip_bad_slots: bool = False) -> Single:
    """Return one cycle over ``pool``; see :func:`htcq.simulate.cycle.cycle.run_cycle`.

    Raises:
        PolicyError: GROUP_SORT_EXPR is no expression.
    """
    cycle = Cycle(pool, order, skip_bad_slots)
    trace, slots = cycle.run(), pool.slots or ()
    return Single(trace, fill_of(slots), fill_of(slots, cycle.talks.made))
