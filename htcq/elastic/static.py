"""The quotas that need nobody to keep them: each group has what its min is worth, and all take what is left.

That is what HTCondor's own group quotas do with a guarantee, without a max: the place to fall back to.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from htcq.elastic.headroom import Headroom
from htcq.elastic.invariants import bad_quotas
from htcq.elastic.projection import managed, targets
from htcq.elastic.quota_file import GroupQuota, QuotaKnobs, ordered
from htcq.elastic.records import PARTS, Observation
from htcq.elastic.target import Target
from htcq.elastic.worth import Jobs, worth
from htcq.quota.elastic.groups import Amounts
from htcq.quota.elastic.results import Outcome, Standing


def min_targets(outcome: Outcome, observation: Observation) -> tuple[Target, ...]:
    """Return what the mins in effect are worth, as quotas; a dimension without a min keeps nobody from the others."""
    groups = tuple(replace(group, runtime=_guaranteed(group), lent={}) for group in outcome.groups)
    return targets(replace(outcome, groups=groups), observation, Headroom(0.0))


def _guaranteed(group: Standing) -> Amounts:
    given = {name: amount for name, amount in group.scaled_min.items() if amount > 0}
    return given or dict.fromkeys(group.scaled_min, 0)


def static_file(mins: tuple[Target, ...], outcome: Outcome, observation: Observation) -> QuotaKnobs:
    """Return the static quotas; a group above others has its own min where that is more than theirs come to."""
    sums = {each.group: each.quota for each in mins}
    more = dict(sums)
    for each in mins:
        standing = outcome[each.group]
        if not each.leaf:
            parts = worth(managed(standing, _guaranteed(standing)), Jobs(), observation.worth).parts
            more[each.group] = max(sums[each.group], float(parts // PARTS))
    quotas: Mapping[str, float] = sums if any(bad_quotas(mins, more, observation.pool_weight)) else more
    return QuotaKnobs(tuple(GroupQuota(each.group, quotas[each.group], True) for each in ordered(mins)))
