"""Static quotas: each group gets the weight of its declared min, and all share the rest.

They need no process to keep them up to date. HTCondor's own group quotas do the same with a
guarantee and no max: these quotas are the fallback. They do not depend on demand or on the size of
the pool: where mins exceed the pool, HTCondor serves groups by the part of their quota that they
use.
"""

from __future__ import annotations

from htcq.elastic.quota_file import QuotaKnobs, WrittenQuota, ordered
from htcq.elastic.quota_target import QuotaTarget
from htcq.elastic.quota_targets import jobs_by_group, min_weight, unit_of
from htcq.elastic.records import PARTS, ElasticObservation
from htcq.quota.elastic.declaration import ElasticGroup, ElasticQuotas


def min_targets(
    declared: ElasticQuotas, observation: ElasticObservation
) -> tuple[QuotaTarget, ...]:
    """Return the mins as quotas.

    A dimension of which a group is guaranteed nothing does not limit its use of the others.
    """
    unit = unit_of(observation, jobs_by_group(observation))
    below: dict[str, list[ElasticGroup]] = {}
    for group in declared.groups:
        below.setdefault(group.parent, []).append(group)

    def weight(group: ElasticGroup) -> int:
        own = min_weight(group, observation.unit_weights, unit)
        return max(own, sum(weight(child) for child in below.get(group.name, ())))

    return tuple(
        QuotaTarget(group.name, group.parent, group.name not in below, weight(group) / PARTS, True)
        for group in declared.groups
    )


def static_file(mins: tuple[QuotaTarget, ...]) -> QuotaKnobs:
    """Return the static quotas; ``mins`` are the mins as quotas."""
    written = [WrittenQuota(each.group, each.quota, accept_surplus=True) for each in ordered(mins)]
    return QuotaKnobs(tuple(written))
