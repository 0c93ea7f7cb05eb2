"""From one look at a pool to the plan of the next step."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from htcq.elastic.damping import Damped, Limits, damp
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
    sight: PoolHealth,
    state: JournalState,
    settings: WriteSettings,
    now: float,
) -> NextStep:
    """Return what would be written at ``now``.

    Where no elastic quotas are in force, groups get their targets at once: the static quotas let
    everybody have everything, and slow steps from there would leave slots idle.

    Raises:
        RefusedError: computed numbers contradict each other; nothing may be written.
    """
    if not 0 < observation.pool_weight < math.inf:
        raise RefusedError(
            f"the pool weighs {observation.pool_weight:g}", "are its slots and their weights known?"
        )
    outcome = compute(declared, observation.demand)
    _refuse_contradictions(violations(outcome))
    goals = targets(outcome, observation, LenderReserve(settings.headroom))
    mins = min_targets(declared, observation)
    in_force = (
        file_of(state.in_force.quotas) if state.elastic and state.in_force is not None else None
    )
    damped = Damped({each.group: each.quota for each in goals}, {})
    if in_force is not None:
        before = {each.group: each.quota for each in in_force.groups}
        worth = {each.group: each.quota for each in mins}
        damped = damp(
            goals, before, worth, observation.pool_weight, state.changed, now, _limits(settings)
        )
    _refuse_contradictions(bad_quotas(goals, damped.quotas, observation.pool_weight))
    plan = plan_of(
        declared,
        goals,
        elastic_file(goals, damped.quotas),
        damped.why,
        observation,
        in_force,
        _deciding(settings),
        sight.worklife,
        sight.ceilings,
        now,
    )
    return NextStep(plan, static_file(mins))


def _refuse_contradictions(wrong: Iterable[str]) -> None:
    """Raise what is wrong, if anything."""
    found = list(wrong)
    if found:
        more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        message = f"the computation is inconsistent: {found[0]}{more}"
        raise RefusedError(message, "nothing is written; please report it")


def _limits(settings: WriteSettings) -> Limits:
    return Limits(
        settings.min_change,
        settings.min_change_part,
        settings.max_raise,
        settings.max_lower,
        float(settings.hold_time),
    )


def _deciding(settings: WriteSettings) -> str:
    return repr((settings.directory, settings.file, _limits(settings), settings.headroom))
