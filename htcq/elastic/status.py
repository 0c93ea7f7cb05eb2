"""The status of elastic quotas on a pool: capacity, runtimes, and quotas for HTCondor."""

from __future__ import annotations

from dataclasses import dataclass

from htcq.elastic.activity import NEVER, Activity, LastDay
from htcq.elastic.enforcement import Enforcement, enforcement
from htcq.elastic.fitted_runtime import fitted_runtimes
from htcq.elastic.observation import ElasticObservation, observe
from htcq.elastic.quota_target import QuotaTarget
from htcq.elastic.quota_targets import targets
from htcq.pool.pool import Pool
from htcq.poolquota.ailment import Ailment
from htcq.poolquota.health import ailments
from htcq.poolquota.published import seconds_of
from htcq.quota.elastic.declaration import ElasticQuotas
from htcq.quota.elastic.group_runtime import ElasticOutcome
from htcq.quota.elastic.window import Window, changed_quotas, open_windows

_NEVER, _NOTHING = Activity(NEVER), LastDay()


@dataclass(frozen=True)
class Status:
    """The status of one tree.

    ``tree`` is its name in the file of quotas, empty where there is only one. ``activity`` tells
    whether its quotas are kept elastic, ``windows`` are the planned ones that are open,
    ``last_day`` is what the journals have of it.
    """

    tree: str
    source: str
    taken: str
    observation: ElasticObservation
    outcome: ElasticOutcome
    targets: tuple[QuotaTarget, ...]
    enforcement: tuple[Enforcement, ...]
    activity: Activity
    windows: tuple[Window, ...] = ()
    last_day: LastDay = _NOTHING
    health: tuple[Ailment, ...] = ()


def status_of(
    pool: Pool,
    quotas: ElasticQuotas,
    activity: Activity = _NEVER,
    windows: tuple[Window, ...] = (),
    last_day: LastDay = _NOTHING,
    tree: str = "",
    negotiator: str = "",
) -> Status:
    """Return the status of the groups of ``quotas`` on ``pool``.

    ``windows`` are the planned ones of the tree; ``negotiator`` selects one of several.
    """
    opened = open_windows(windows, seconds_of(pool.taken_at) or 0.0)
    quotas = changed_quotas(quotas, opened)
    observation = observe(pool, quotas, negotiator)
    outcome = fitted_runtimes(quotas, observation).outcome
    planned = targets(outcome, observation)
    enforced = enforcement(pool, quotas, observation, outcome, planned)
    return Status(
        tree, pool.source, pool.taken_at, observation, outcome, planned, enforced, activity,
        opened, last_day, ailments(pool),
    )  # fmt: skip
