"""States of groups at one observation: starving, over quota or lending.

A slot is not divided and the negotiator truncates limits (matchmaker.cpp, negotiateWithGroup,
HTCondor 25.14), so that the fraction of a quota is neither missed nor too much. Amounts are in
the pool's unit.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from htcq.drift.observation import DriftObservation, GroupObservation
from htcq.quota.group_tree import ROOT

#: Usage that is no further from the quota than this part of it is at the quota: claims come and go
#: between cycles.
SLACK = 0.01
#: Less idle demand or usage than this is none: sums of weights lose a little.
NOTHING = 1e-6


@dataclass(frozen=True)
class QuotaState:
    """How a group stands to its quota.

    ``starved``: below it while its jobs wait. ``over``: above it. ``lending``: below it with
    nothing waiting, while another group is above its own.
    """

    starved: bool = False
    over: bool = False
    lending: bool = False


def states_of(observation: DriftObservation) -> Mapping[str, QuotaState]:
    """Return the states by group; a group whose quota nobody knows is in none of them."""
    quotas = {each.name: quota_of(each, observation) for each in observation.groups}
    over = {each.name for each in observation.groups if _over(each.usage, quotas[each.name])}
    return {each.name: _state(each, quotas[each.name], over) for each in observation.groups}


def quota_of(group: GroupObservation, observation: DriftObservation) -> float | None:
    """Return the quota that usage is compared with: the effective or else the computed one.

    None without either.

    Where groups regroup, the root's quota is said to be the whole pool: here it is what no other
    group has of it.
    """
    quota = _published(group)
    if group.name != ROOT or quota is None:
        return quota
    others = (_published(each) or 0.0 for each in observation.groups if each.name != ROOT)
    return min(quota, max(0.0, observation.pool_weight - sum(others)))


def _published(group: GroupObservation) -> float | None:
    return group.computed if group.effective is None else group.effective


def _state(group: GroupObservation, quota: float | None, over: set[str]) -> QuotaState:
    below, waiting = _below(group.usage, quota), group.idle > NOTHING
    return QuotaState(
        below and waiting, group.name in over, below and not waiting and bool(over - {group.name})
    )


def _below(usage: float, quota: float | None) -> bool:
    if quota is None:
        return False
    # Of a quota below 1 the negotiator would let nothing through: whoever waits for that starves.
    return usage < min(math.floor(quota) or quota, quota * (1 - SLACK)) - NOTHING


def _over(usage: float, quota: float | None) -> bool:
    return quota is not None and usage > max(math.ceil(quota), quota * (1 + SLACK)) + NOTHING
