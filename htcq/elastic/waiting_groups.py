"""Who waits for whom: groups that accept no surplus until others have their mins.

This is rule 3 of :mod:`htcq.elastic.quota_targets`. Who waits is tried out with the negotiator's
arithmetic (:mod:`htcq.elastic.step_simulation`): only groups that would be matched beyond their min
while another stays below its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from htcq.elastic.guaranteed_quotas import GroupWeights, lend_below_max
from htcq.elastic.quota_file import QuotaKnobs, elastic_file
from htcq.elastic.quota_target import TURNS, QuotaTarget
from htcq.elastic.step_simulation import (
    Demands,
    allocated_to,
    broken_by,
    forecast,
    returned,
)

_SLACK = 1e-6
#: So often the cycles are computed, each time with more groups that wait.
_TRIES = 20
#: The part of what is borrowed that may end until quotas are looked at again.
_ENDING = 0.5
Targets = Callable[[], "tuple[QuotaTarget, ...]"]


def keep_mins(
    weights: Mapping[str, GroupWeights],
    targets: Targets,
    found: Demands,
) -> tuple[QuotaTarget, ...]:
    """Return the targets by rules 1 and 2, or by rule 3 where these break a min."""
    made = targets()
    if not _over(made, found):
        # All that is allocated is there, whoever comes: nobody takes what another is allocated.
        return made
    for each in weights.values():
        each.quota = each.least
    lend_below_max(weights, found)
    for _ in range(_TRIES):
        made = targets()
        takers = dict.fromkeys(each.taker for each in broken_by(_file(made), made, found))
        waiting = [_let_wait(each, weights, targets, found) for each in takers]
        if not any(waiting):
            break
    return targets()


def _let_wait(
    taker: str, weights: Mapping[str, GroupWeights], targets: Targets, found: Demands
) -> bool:
    """Let ``taker`` or a group above it accept no surplus; return whether one accepted some.

    It is the one whose waiting costs the jobs that are there fewest matches, and of equal ones the
    uppermost: those below it can then still have what is left of its min.
    """
    losses = {}
    place = taker
    while place:
        if not weights[place].held:
            weights[place].held = TURNS
            losses[place] = -_matched(targets(), found)
            weights[place].held = ""
        place = weights[place].group.parent
    if not losses:
        return False
    waits = min(losses, key=lambda each: (losses[each], each.count(".")))
    weights[waits].held = TURNS
    return True


def _matched(made: tuple[QuotaTarget, ...], found: Demands) -> int:
    """Return what the present demand has after two cycles: now, and as half of loans end."""
    file = _file(made)
    matched = 0.0
    for share in (0.0, _ENDING):
        left = returned(made, found.usage, share)
        after = forecast(file, found.pool_weight, found.demand, left, settings=found.settings).after
        matched += sum(after[each.group] for each in made if not each.parent)
    return round(matched)


def _file(made: tuple[QuotaTarget, ...]) -> QuotaKnobs:
    return elastic_file(made, {each.group: each.quota for each in made})


def _over(made: tuple[QuotaTarget, ...], found: Demands) -> bool:
    """Return whether a group uses more than it would be allocated if all came.

    Jobs without a group and claims without a submitter count as well: no group can have what they
    use.
    """
    demand = {each.group: found.pool_weight for each in made if each.leaf}
    for name, used in found.usage.items():
        demand.setdefault(name, used)
    allocated = allocated_to(_file(made), found.pool_weight, demand, found.usage, found.settings)
    own = {each.group: allocated.get(each.group, 0.0) for each in made}
    for name, used in found.usage.items():
        if name not in own and used > allocated.get(name, 0.0) + _SLACK:
            return True
    for each in reversed(made):
        if found.with_below.get(each.group, 0.0) > own[each.group] + _SLACK:
            return True
        if each.parent:
            own[each.parent] += own[each.group]
    return False
