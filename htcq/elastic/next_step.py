"""The plan of the next step, from one observation of a pool."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass

from htcq.elastic.damping import Damped, StepLimits, damp
from htcq.elastic.invariants import bad_quotas, violations
from htcq.elastic.journal import JournalState
from htcq.elastic.lender_reserve import LenderReserve
from htcq.elastic.pool_health import PoolHealth
from htcq.elastic.quota_file import QuotaKnobs, elastic_file, file_of
from htcq.elastic.quota_plan import QuotaPlan, plan_of
from htcq.elastic.quota_targets import targets
from htcq.elastic.records import ElasticObservation
from htcq.elastic.static import min_targets, static_file
from htcq.errors import RefusedError
from htcq.quota.elastic.declaration import ElasticQuotas
from htcq.quota.elastic.runtime import compute
from htcq.settings.elastic_write import WriteSettings


@dataclass(frozen=True)
class NextStep:
    """The plan, and the static quotas to fall back to."""

    plan: QuotaPlan
    static: QuotaKnobs


def next_step(
    declared: ElasticQuotas,
    observation: ElasticObservation,
    health: PoolHealth,
    state: JournalState,
    settings: WriteSettings,
    now: float,
) -> NextStep:
    """Return the plan that would be written at ``now``.

    Where no elastic quotas are in force, groups get their targets at once: static quotas limit
    nobody, and slow steps from there would leave slots idle.

    Raises:
        RefusedError: the computed numbers contradict each other; nothing may be written.
    """
    if not 0 < observation.pool_weight < math.inf:
        raise RefusedError(
            f"the pool weighs {observation.pool_weight:g}", "are its slots and their weights known?"
        )
    outcome = compute(declared, observation.demand)
    _refuse_contradictions(violations(outcome))
    goals = targets(outcome, observation, LenderReserve(settings.headroom))
    mins = min_targets(declared, observation)
    in_force = None
    damped = Damped({each.group: each.quota for each in goals}, {})
    if state.elastic and state.in_force is not None:
        in_force = file_of(state.in_force.quotas)
        before = {each.group: each.quota for each in in_force.groups}
        min_quotas = {each.group: each.quota for each in mins}
        limits = _limits(settings)
        pool_weight = observation.pool_weight
        damped = damp(goals, before, min_quotas, pool_weight, state.changed, now, limits)
    _refuse_contradictions(bad_quotas(goals, damped.quotas, observation.pool_weight))
    plan = plan_of(
        declared,
        goals,
        elastic_file(goals, damped.quotas),
        damped.why,
        observation,
        in_force,
        _deciding(settings),
        health.worklife,
        health.ceilings,
        now,
    )
    return NextStep(plan, static_file(mins))


def _refuse_contradictions(wrong: Iterable[str]) -> None:
    """Raise what is wrong, if anything."""
    found = list(wrong)
    if found:
        more = ""
        if len(found) > 1:
            more = f" (and {len(found) - 1} more)"
        message = f"the computation is inconsistent: {found[0]}{more}"
        raise RefusedError(message, "nothing is written; please report it")


def _limits(settings: WriteSettings) -> StepLimits:
    return StepLimits(
        settings.min_change,
        settings.min_change_part,
        settings.max_raise,
        settings.max_lower,
        float(settings.hold_time),
    )


def _deciding(settings: WriteSettings) -> str:
    """Return the settings that decide on a plan, as text.

    The ids of plans depend on this text: the same settings must give the same text for ever.
    """
    limits = ", ".join(f"{key}={value!r}" for key, value in asdict(_limits(settings)).items())
    place = f"{settings.directory!r}, {settings.file!r}"
    return f"({place}, Limits({limits}), {settings.headroom!r})"
