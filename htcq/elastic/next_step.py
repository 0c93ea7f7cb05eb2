"""The plan of the next step, from one observation of a pool."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from htcq.elastic.fitted_runtime import fitted_runtimes
from htcq.elastic.invariants import bad_quotas, violations
from htcq.elastic.journal import JournalState
from htcq.elastic.next_quotas import next_quotas
from htcq.elastic.pool_health import PoolHealth
from htcq.elastic.quota_file import QuotaKnobs, file_of
from htcq.elastic.quota_plan import QuotaPlan, plan_of
from htcq.elastic.quota_targets import targets
from htcq.elastic.records import ElasticObservation
from htcq.elastic.static import min_targets, static_file
from htcq.elastic.step_simulation import BrokenMin, broken_by, demands_of
from htcq.errors import RefusedError
from htcq.quota.elastic.declaration import ElasticQuotas
from htcq.settings.elastic_write import WriteSettings


@dataclass(frozen=True)
class NextStep:
    """The plan, and the static quotas to fall back to.

    ``broken`` are the mins that a forecast of the next cycle breaks: the step must not be taken.
    """

    plan: QuotaPlan
    static: QuotaKnobs
    broken: tuple[BrokenMin, ...] = ()


def next_step(
    declared: ElasticQuotas,
    observation: ElasticObservation,
    health: PoolHealth,
    state: JournalState,
    settings: WriteSettings,
    now: float,
    base: ElasticQuotas | None = None,
) -> NextStep:
    """Return the plan that would be written at ``now``.

    The static quotas are those of ``base``, which has no planned windows.

    Raises:
        RefusedError: the computed numbers contradict each other; nothing may be written.
    """
    if not 0 < observation.pool_weight < math.inf:
        raise RefusedError(
            f"the pool weighs {observation.pool_weight:g}", "are its slots and their weights known?"
        )
    found = fitted_runtimes(declared, observation)
    _refuse_contradictions(violations(found.computed))
    goals = targets(found.outcome, observation)
    in_force = None
    if state.elastic and state.in_force is not None:
        in_force = file_of(state.in_force.quotas)
    demands = demands_of(observation)
    quotas = next_quotas(goals, in_force, demands, settings.offer_step)
    written = {each.group: each.quota for each in quotas.file.groups}
    _refuse_contradictions(bad_quotas(goals, written))
    broken = broken_by(quotas.file, goals, demands)
    plan = plan_of(
        declared,
        goals,
        quotas.file,
        quotas.why,
        observation,
        in_force,
        _deciding(settings),
        health.worklife,
        health.ceilings,
        now,
    )
    return NextStep(plan, static_file(min_targets(base or declared, observation)), broken)


def _refuse_contradictions(wrong: Iterable[str]) -> None:
    """Raise what is wrong, if anything."""
    found = list(wrong)
    if found:
        more = ""
        if len(found) > 1:
            more = f" (and {len(found) - 1} more)"
        message = f"the computation is inconsistent: {found[0]}{more}"
        raise RefusedError(message, "nothing is written; please report it")


def _deciding(settings: WriteSettings) -> str:
    """Return the settings that decide on a plan, as text.

    The ids of plans depend on this text: the same settings must give the same text forever.
    """
    return f"({settings.directory!r}, {settings.file!r}, {settings.offer_step!r})"
