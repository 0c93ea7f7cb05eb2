"""One observation of a pool and the next step of its elastic quotas.

The step comes with the reasons why it must not be taken.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from htcq.live.reconfig import Negotiator
from htcq.operations.health import told_ailments
from htcq.operations.pool_source import read
from htcq.report.printable import tell

if TYPE_CHECKING:
    from htcq.elastic.gates import GateRefusal
    from htcq.elastic.handover import Handover
    from htcq.elastic.journal import JournalState, PoolSeen
    from htcq.elastic.next_step import NextStep
    from htcq.elastic.pool_health import PoolHealth
    from htcq.elastic.records import ElasticObservation
    from htcq.operations.elastic_quotas import Declared
    from htcq.operations.pool_source import Source
    from htcq.pool.pool import Pool


@dataclass(frozen=True)
class Observed:
    """One look: the next step, what was seen, and why it must not be taken."""

    step: NextStep
    sight: PoolHealth
    refusals: tuple[GateRefusal, ...]
    pool: Pool
    observation: ElasticObservation

    @property
    def seen(self) -> PoolSeen:
        """What the journal keeps of it."""
        from htcq.elastic.journal import PoolSeen

        sight = self.sight
        return PoolSeen(
            sight.slots, sight.schedds, sight.pool_weight, tuple(sorted(sight.schedd_ads.busy))
        )

    def handover(self, state: JournalState) -> Handover:
        """Return what is to be written, as a step after ``state``."""
        from htcq.elastic.handover import Handover

        plan = self.step.plan
        over = len(plan.over)
        return Handover(
            plan.id,
            plan.inputs,
            state.last,
            plan.negotiator,
            plan.file,
            self.step.static,
            self.seen,
            over,
        )


def observe_and_plan(
    source: Source,
    declared: Declared,
    state: JournalState,
    present: str | None,
    now: float,
    accept_loss: bool = False,
) -> Observed:
    """Read the pool and return the next step as of ``now``.

    ``present`` is the text of the file that is in force.

    Raises:
        HtcqError: the pool cannot be read, or what is computed contradicts itself.
    """
    from htcq.elastic.gates import (
        ignored_faults,
        negotiator_specific,
        refusals,
        several,
        undeclared,
    )
    from htcq.elastic.next_step import next_step
    from htcq.elastic.observation import observe
    from htcq.elastic.pool_health import health_of

    name = declared.negotiator
    pool = read(source)
    told_ailments(pool)
    ages = None if source.snapshot else Negotiator(source.pool, name, source.timeout).slot_ages()
    observation = observe(pool, declared.quotas, name)
    sight = health_of(pool, name, observation.pool_weight, ages)
    clock = (sight.taken_at or now) if source.snapshot else time.time()
    for told in ignored_faults(sight, state, declared.settings, clock):
        tell(f"htcq: {told}")
    found = [
        *several(sight, name),
        *refusals(sight, state, present, declared.settings, clock, accept_loss),
        *undeclared(sight, [group.name for group in declared.quotas.groups]),
    ]
    step = next_step(declared.quotas, observation, sight, state, declared.settings, now)
    found += negotiator_specific(sight.configured or {}, step.plan.file)
    return Observed(step, sight, tuple(found), pool, observation)
