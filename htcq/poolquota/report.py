"""One look at the groups of a pool, kept as a record.

What reports show of it and compare with another.

Amounts are in ``unit``, those of jobs in ``demand_unit``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from htcq.pool.pool import Pool
from htcq.poolquota.ailment import Ailment
from htcq.poolquota.demand import Submitter
from htcq.poolquota.group_status import GroupStatus, statuses_of
from htcq.poolquota.health import ailments
from htcq.poolquota.kept_back import KeptBack, kept_back
from htcq.poolquota.pool_quotas import PoolQuotas
from htcq.poolquota.published import MAX_AGE
from htcq.poolquota.supply import SLOTS, WEIGHT
from htcq.quota.cycle_quotas import CycleQuotas, GroupLimit
from htcq.quota.group_tree import name_key
from htcq.quota.knobs import TreeProblem
from htcq.quota.settings import Settings

#: What demand is: weighed by the schedds, or counted.
SCHEDD_WEIGHT, JOBS = "schedd slot weight", "jobs"


@dataclass(frozen=True)
class PoolQuotaReport:
    """The groups of one pool, depth first; without configuration there is only the root.

    ``pool_weight`` is what the captured slots weigh, ``published_weight`` what the negotiator's
    last cycle shared out, None where that is not known. ``weights`` are the SlotWeight
    expressions of the slots that count, that of most weight first. ``limits`` are those at the
    end of the first round, in the order of turns. ``problems`` are those of the configuration,
    ``doubts`` tell why something cannot be taken as it is, ``incomplete`` what could not be
    read, ``health`` what is wrong with the daemons. ``kept_back`` are the idle jobs that count
    as demand and are not offered, where the queues are known.
    """

    source: str
    taken: str
    negotiator: str
    unit: str
    demand_unit: str
    weights: tuple[str, ...]
    pool_weight: float
    published_weight: float | None
    standings: tuple[GroupStatus, ...]
    quotas: CycleQuotas
    limits: tuple[GroupLimit, ...]
    settings: Settings
    submitters: tuple[Submitter, ...] = ()
    problems: tuple[TreeProblem, ...] = ()
    doubts: tuple[str, ...] = ()
    incomplete: tuple[str, ...] = ()
    health: tuple[Ailment, ...] = ()
    kept_back: tuple[KeptBack, ...] = ()

    @property
    def grouped(self) -> bool:
        """Whether there is any group but the root."""
        return len(self.standings) > 1

    @property
    def cores(self) -> bool:
        """Whether a slot's weight is the number of its cpus everywhere."""
        return self.unit == WEIGHT and {text.lower() for text in self.weights} == {"cpus"}

    @property
    def promised(self) -> float:
        """What all quotas add up to."""
        return sum(standing.quota for standing in self.standings)

    @property
    def used(self) -> float:
        """What all groups use."""
        return sum(standing.usage for standing in self.standings)

    @property
    def allocated(self) -> float:
        """What all groups are allocated.

        Of a root that may use the whole pool, only what it has for its own jobs.
        """
        return sum(standing.own_allocated for standing in self.standings)

    def find(self, name: str) -> GroupStatus | None:
        """Return the group of that name, whatever its case; None where there is none."""
        key = name_key(name)
        return next(
            (standing for standing in self.standings if name_key(standing.name) == key), None
        )


def look_at(quotas: PoolQuotas, pool: Pool, max_age: float = MAX_AGE) -> PoolQuotaReport:
    """Return the look at ``quotas``, which are those of ``pool``.

    What the negotiator published is in doubt where it is older than ``max_age`` seconds. It is
    not compared where the pool's configuration is one that it might have.
    """
    found = statuses_of(quotas)
    if pool.central is not None and pool.central is pool.changed:
        # What was published is of the configuration as it is, not as it would be.
        found = tuple(replace(standing, marks=()) for standing in found)
    names = [standing.name for standing in found]
    unit, demand_unit = SLOTS, JOBS
    if quotas.settings.use_slot_weights:
        unit = WEIGHT
    if quotas.weighted_demand:
        demand_unit = SCHEDD_WEIGHT
    return PoolQuotaReport(
        source=pool.source,
        taken=pool.taken_at,
        negotiator=quotas.published.negotiator,
        unit=unit,
        demand_unit=demand_unit,
        weights=quotas.supply.expressions,
        pool_weight=quotas.computed.pool_weight,
        published_weight=quotas.published.pool_weight,
        standings=found,
        quotas=quotas.computed,
        limits=quotas.last_limits,
        settings=quotas.settings,
        submitters=quotas.submitters,
        problems=quotas.problems,
        doubts=(*_missing(pool), *quotas.published.doubts(names, max_age)),
        incomplete=pool.incomplete,
        health=ailments(pool),
        kept_back=kept_back(pool, quotas),
    )


def _missing(pool: Pool) -> tuple[str, ...]:
    """Return what was not captured and therefore counts as nothing."""
    lacking = (
        (pool.central is None, "the central manager's configuration is not known: no group is"),
        (pool.slots is None, "there are no slot ads: the pool has no weight"),
        (pool.records is None, "the collector has no submitter ads: no group has demand"),
    )
    return tuple(sentence for missing, sentence in lacking if missing)
