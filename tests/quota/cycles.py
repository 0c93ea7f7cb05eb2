"""Small cycles, written as lines of configuration, and what a test looks at of them."""

from __future__ import annotations

from htcq.quota.condor import Inputs, TakeTurn, Turn, compute_quotas, nothing_matched
from htcq.quota.cycle_quotas import CycleQuotas, Round
from htcq.quota.group_tree import build_tree
from htcq.quota.settings import Settings


def cycle(
    knobs: str,
    pool: float,
    requested: dict[str, float] | None = None,
    usage: dict[str, float] | None = None,
    settings: Settings | None = None,
    take_turn: TakeTurn = nothing_matched,
) -> CycleQuotas:
    """Return a cycle in which every group that requests has submitters; ``knobs`` are lines of configuration."""
    tree, _ = build_tree(knobs_of(knobs))
    inputs = Inputs(
        tree, pool, requested or {}, usage or {}, set(requested or {}), settings or Settings()
    )
    return compute_quotas(inputs, take_turn)


def knobs_of(configuration: str) -> dict[str, str]:
    lines = (line.partition("=") for line in configuration.strip().splitlines())
    return {name.strip(): text.strip() for name, _, text in lines}


def quotas_of(quotas: CycleQuotas) -> dict[str, float]:
    return {group.name: group.quota for group in quotas.groups}


def allocated(one: Round) -> dict[str, float]:
    return {group.name: group.allocated for group in one.groups}


def limits(one: Round) -> dict[str, float]:
    return {limit.group: limit.limit for limit in one.limits}


def everything_matches(group: str, limit: int) -> Turn:
    """Let a group use all it may."""
    return Turn({group: max(limit, 0)})
