"""Static quotas: each group gets the weight of its min, and all share the rest.

They need no process to keep them up to date. HTCondor's own group quotas do the same with a
guarantee and no max: these quotas are the fallback.
"""

from __future__ import annotations

from dataclasses import replace

from htcq.elastic.lender_reserve import LenderReserve
from htcq.elastic.quota_file import QuotaKnobs, WrittenQuota, ordered
from htcq.elastic.quota_target import QuotaTarget
from htcq.elastic.quota_targets import targets
from htcq.elastic.records import ElasticObservation
from htcq.quota.elastic.declaration import Amounts, ElasticQuotas
from htcq.quota.elastic.group_runtime import GroupRuntime
from htcq.quota.elastic.runtime import compute


def min_targets(
    declared: ElasticQuotas, observation: ElasticObservation
) -> tuple[QuotaTarget, ...]:
    """Return the mins as quotas: the targets if every group asked for exactly its min.

    A dimension of which a group is guaranteed nothing does not limit its use of the others.
    """
    outcome = compute(declared, replace(observation.demand, request=_mins(declared), used={}))
    groups = tuple(replace(group, runtime=_given(group)) for group in outcome.groups)
    return targets(replace(outcome, groups=groups), observation, LenderReserve(0.0))


def _mins(declared: ElasticQuotas) -> dict[str, Amounts]:
    """Return each group's min without those of the groups right below it: its own jobs' part."""
    own = {group.name: dict(group.min) for group in declared.groups}
    for group in declared.groups:
        for name, amount in group.min.items():
            if group.parent and name in own[group.parent]:
                own[group.parent][name] = max(0, own[group.parent][name] - amount)
    return dict(own)


def _given(group: GroupRuntime) -> Amounts:
    given = {name: amount for name, amount in group.runtime.items() if amount > 0}
    return given or dict.fromkeys(group.runtime, 0)


def static_file(mins: tuple[QuotaTarget, ...]) -> QuotaKnobs:
    """Return the static quotas; ``mins`` are the mins as quotas."""
    written = [WrittenQuota(each.group, each.quota, accept_surplus=True) for each in ordered(mins)]
    return QuotaKnobs(tuple(written))
