"""In what time a group has its min back, if it asked for all of it now.

What nobody uses is its own after the next cycle. The rest comes back as borrowed claims end, or as
reclaim vacates jobs. Amounts are slot weight, times seconds.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from htcq.elastic.cycle_pace import CyclePace
from htcq.elastic.quota_target import QuotaTarget
from htcq.elastic.reclaim.borrowed import SLACK, borrowed
from htcq.elastic.reclaim.ends import DrawnEnds, Draws
from htcq.elastic.reclaim.reclaim_fields import JobKey
from htcq.elastic.reclaim.reclaim_forecast import ReclaimForecast
from htcq.elastic.records import ElasticObservation
from htcq.elastic.step_simulation import demands_of
from htcq.quota.elastic.declaration import ElasticQuotas
from htcq.settings.reclaim import ReclaimLimits


@dataclass(frozen=True)
class MinBack:
    """A group whose min is not all in use.

    ``missing`` is what it does not use of its min, ``free`` how much of that nobody uses. ``ends``
    is in what time the rest is back as claims end, in 95 of 100 cases; ``reclaim`` as reclaim
    vacates jobs. None: not by that alone. ``objective`` is in what time the site wants it back.
    ``starts_unknown``: no slot of a borrowed claim says since when its job runs, so that neither
    time is known.
    """

    group: str
    missing: float
    free: float
    ends: float | None
    reclaim: float | None
    objective: float | None = None
    starts_unknown: bool = False

    @property
    def lent(self) -> float:
        """What others use of the min."""
        return self.missing - self.free

    @property
    def late(self) -> bool:
        """Whether it is back within the objective neither as claims end nor by reclaim."""
        if self.objective is None:
            return False
        times = (self.ends, self.reclaim)
        return not any(time is not None and time <= self.objective for time in times)


def objectives_of(declared: ElasticQuotas) -> dict[str, float]:
    """Return, by group, in how many seconds the site wants its min back, where it says so."""
    return {
        group.name: group.back_within for group in declared.groups if group.back_within is not None
    }


def mins_back(
    targets: Sequence[QuotaTarget],
    observation: ElasticObservation,
    limits: ReclaimLimits,
    pace: CyclePace,
    objectives: Mapping[str, float],
    draws: Draws,
    protected: Collection[JobKey] = (),
) -> tuple[MinBack, ...]:
    """Return the groups with a min that is not all in use, in the order of ``targets``.

    ``objectives`` has, by group, in what time the site wants its min back; ``protected`` are the
    jobs that reclaim leaves alone.
    """
    found = demands_of(observation)
    lent = tuple(borrowed(targets, observation))
    ages = [age for each in lent for age in each.ages]
    waiting = {each.submitter for each in observation.idle if each.count > 0}
    ends: DrawnEnds | None = None
    mins = []
    for each in targets:
        missing = each.least - found.with_below.get(each.group, 0.0)
        if missing <= SLACK:
            continue
        free = min(missing, found.free)
        by_ends: float | None = 0.0
        by_reclaim: float | None = 0.0
        if missing - free > SLACK:
            if ends is None:
                ends = DrawnEnds(lent, waiting, pace.worklife, draws)
            by_ends = ends.seconds(each.group, missing - free)
            by_reclaim = ReclaimForecast(
                lent,
                each.group,
                limits,
                len(observation.claims),
                observation.pool_weight,
                pace.cycle,
                protected,
            ).seconds(missing - free)
        mins.append(
            MinBack(
                each.group,
                missing,
                free,
                _matched(by_ends, pace),
                _matched(by_reclaim, pace),
                objectives.get(each.group),
                missing - free > SLACK and bool(ages) and not any(map(math.isfinite, ages)),
            )
        )
    return tuple(mins)


def _matched(seconds: float | None, pace: CyclePace) -> float | None:
    """Return when what is free after ``seconds`` is matched: in the cycle that follows."""
    if seconds is None:
        return None
    return seconds + pace.cycle
