"""States of groups at one observation: starving, over quota or lending.

The negotiator truncates limits and does not divide a slot (matchmaker.cpp, negotiateWithGroup,
HTCondor 25.14), so that the fraction of a quota is neither missing nor too much. Amounts are in
the pool's unit.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from htcq.drift.observation import DriftObservation, GroupObservation
from htcq.quota.group_tree import ROOT

#: Usage within this part of the quota counts as at the quota: claims change between cycles.
SLACK = 0.01
#: Less idle demand or usage counts as none: sums of weights are rounded.
NOTHING = 1e-6


@dataclass(frozen=True)
class QuotaState:
    """The state of a group.

    ``starved``: below it while its jobs wait. ``over``: above it. ``lending``: below it with
    nothing waiting, while another group is above its own.
    """

    starved: bool = False
    over: bool = False
    lending: bool = False


def states_of(observation: DriftObservation) -> Mapping[str, QuotaState]:
    """Return the states by group; without a known quota none of them holds."""
    quotas = {each.name: quota_of(each, observation) for each in observation.groups}
    over = {each.name for each in observation.groups if _over(each.usage, quotas[each.name])}
    return {each.name: _state(each, quotas[each.name], over) for each in observation.groups}


def quota_of(group: GroupObservation, observation: DriftObservation) -> float | None:
    """Return the quota that usage is compared with: the effective or else the computed one.

    None without either.

    With autoregroup, the published quota of the root is the whole pool: here it is the part that no
    other group has.
    """
    quota = _published(group)
    if group.name != ROOT or quota is None:
        return quota
    others = (_published(each) or 0.0 for each in observation.groups if each.name != ROOT)
    return min(quota, max(0.0, observation.pool_weight - sum(others)))


def _published(group: GroupObservation) -> float | None:
    if group.effective is None:
        return group.computed
    return group.effective


def _state(group: GroupObservation, quota: float | None, over: set[str]) -> QuotaState:
    below = _below(group.usage, quota)
    waiting = group.idle > NOTHING
    others_over = bool(over - {group.name})
    return QuotaState(
        starved=below and waiting,
        over=group.name in over,
        lending=below and not waiting and others_over,
    )


def _below(usage: float, quota: float | None) -> bool:
    if quota is None:
        return False
    # With a quota below 1 the negotiator starts nothing: a group that waits for it starves.
    whole = math.floor(quota) or quota
    return usage < min(whole, quota * (1 - SLACK)) - NOTHING


def _over(usage: float, quota: float | None) -> bool:
    if quota is None:
        return False
    return usage > max(math.ceil(quota), quota * (1 + SLACK)) + NOTHING
