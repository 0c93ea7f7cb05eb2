"""The status of elastic quotas on a pool: capacity, runtimes, and quotas for HTCondor."""

from __future__ import annotations

from dataclasses import dataclass

from htcq.elastic.enforcement import Enforcement, enforcement
from htcq.elastic.lender_reserve import LenderReserve
from htcq.elastic.observation import ElasticObservation, observe
from htcq.elastic.quota_target import QuotaTarget
from htcq.elastic.quota_targets import targets
from htcq.pool.pool import Pool
from htcq.poolquota.ailment import Ailment
from htcq.poolquota.health import ailments
from htcq.quota.elastic.declaration import ElasticQuotas
from htcq.quota.elastic.group_runtime import ElasticOutcome
from htcq.quota.elastic.runtime import compute


@dataclass(frozen=True)
class Status:
    """The status of one tree.

    ``tree`` is its name in the file of quotas, empty where there is only one.
    """

    tree: str
    source: str
    taken: str
    observation: ElasticObservation
    outcome: ElasticOutcome
    targets: tuple[QuotaTarget, ...]
    enforcement: tuple[Enforcement, ...]
    health: tuple[Ailment, ...] = ()


def status_of(
    pool: Pool,
    quotas: ElasticQuotas,
    tree: str = "",
    negotiator: str = "",
    headroom: LenderReserve | None = None,
) -> Status:
    """Return the status of the groups of ``quotas`` on ``pool``.

    ``negotiator`` selects one of several.
    """
    observation = observe(pool, quotas, negotiator)
    outcome = compute(quotas, observation.demand)
    planned = targets(outcome, observation, headroom)
    enforced = enforcement(pool, quotas, observation, outcome, planned)
    return Status(
        tree, pool.source, pool.taken_at, observation, outcome, planned, enforced, ailments(pool)
    )
