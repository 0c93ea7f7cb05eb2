"""The status of elastic quotas on a pool: capacity, runtimes, and quotas for HTCondor."""

from __future__ import annotations

from dataclasses import dataclass

from htcq.elastic.activity import NEVER, Activity, LastDay
from htcq.elastic.cycle_pace import pace_of
from htcq.elastic.enforcement import Enforcement, enforcement
from htcq.elastic.fitted_runtime import fitted_runtimes
from htcq.elastic.observation import ElasticObservation, observe
from htcq.elastic.quota_target import QuotaTarget
from htcq.elastic.quota_targets import targets
from htcq.elastic.reclaim.ends import Draws
from htcq.elastic.reclaim.min_back import MinBack, mins_back, objectives_of
from htcq.elastic.reclaim.protection import ProtectedUse, protection_of
from htcq.pool.pool import Pool, seconds_of
from htcq.poolquota.ailment import Ailment
from htcq.poolquota.health import ailments
from htcq.quota.elastic.declaration import ElasticQuotas
from htcq.quota.elastic.group_runtime import ElasticOutcome
from htcq.quota.elastic.window import Window, changed_quotas, open_windows
from htcq.settings.reclaim import ReclaimLimits

_NEVER, _NOTHING, _LIMITS = Activity(NEVER), LastDay(), ReclaimLimits()


@dataclass(frozen=True)
class Status:
    """The status of one tree.

    ``tree`` is its name in the file of quotas, empty where there is only one. ``activity`` tells
    whether its quotas are kept elastic, ``windows`` are the planned ones that are open,
    ``last_day`` is what the journals have of it. ``limits`` are those of reclaim, ``mins_back`` in
    what time groups have their mins back, ``protected`` has the groups with jobs that ask for
    protection. ``refused_file`` says why the file of quotas is refused, if these are those of the
    last one that was accepted.
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
    limits: ReclaimLimits = _LIMITS
    mins_back: tuple[MinBack, ...] = ()
    protected: tuple[ProtectedUse, ...] = ()
    refused_file: str = ""


def status_of(
    pool: Pool,
    quotas: ElasticQuotas,
    activity: Activity = _NEVER,
    windows: tuple[Window, ...] = (),
    last_day: LastDay = _NOTHING,
    limits: ReclaimLimits = _LIMITS,
    tree: str = "",
    negotiator: str = "",
    draws: Draws | None = None,
) -> Status:
    """Return the status of the groups of ``quotas`` on ``pool``.

    ``windows`` are the planned ones of the tree; ``negotiator`` selects one of several. Without
    ``draws`` it is not said in what time mins are back.
    """
    opened = open_windows(windows, seconds_of(pool.taken_at) or 0.0)
    quotas = changed_quotas(quotas, opened)
    observation = observe(pool, quotas, negotiator)
    quotas = quotas.of(observation.demand.total)
    outcome = fitted_runtimes(quotas, observation).outcome
    planned = targets(outcome, observation)
    enforced = enforcement(pool, quotas, observation, outcome, planned)
    protection = protection_of(observation.claims, outcome, limits)
    back: tuple[MinBack, ...] = ()
    if draws is not None:
        pace = pace_of(pool, negotiator)
        objectives = objectives_of(quotas)
        back = mins_back(planned, observation, limits, pace, objectives, draws, protection.jobs)
    return Status(
        tree, pool.source, pool.taken_at, observation, outcome, planned, enforced, activity,
        opened, last_day, ailments(pool), limits, back, protection.uses,
    )  # fmt: skip
