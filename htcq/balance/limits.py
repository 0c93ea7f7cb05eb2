"""How many waiting jobs limits of access points, groups and submitters would still let start.

That is as the simulated cycle left them (:mod:`htcq.simulate.cycle.accounts`,
:mod:`htcq.poolquota.access.access_point`). A match that goes beyond a group's or a submitter's
limit is permitted where anything of it is left.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from htcq.balance.demand import JobWeights
from htcq.balance.wanting import Waiting
from htcq.why.verdict import Verdicts


def within_limits(
    verdicts: Verdicts, waiting: Sequence[Waiting], weight_of: JobWeights
) -> list[int]:
    """Return how many jobs of each class would start if only slots kept them; 0 of the others.

    Those that come first in the queues take what the limits leave.
    """
    limits = _Limits(verdicts)
    found = []
    for one in waiting:
        number = 0
        if not one.cause:
            job = one.verdict.jobs[0]
            weight = float(weight_of(job, one.verdict.access_point)) / (job.wanted or 1)
            number = limits.take(one, weight)
        found.append(number)
    return found


class _Limits:
    """What the limits of a cycle leave."""

    def __init__(self, verdicts: Verdicts) -> None:
        self._cycle = verdicts.cycle
        self._submitters = {each.name: each for each in self._cycle.quotas.submitters}
        self._groups: dict[str, float] = {}
        self._ceilings: dict[str, float] = {}
        self._schedds: dict[str, float] = {}

    def take(self, one: Waiting, weight: float) -> int:
        """Return how many jobs of a class may start, each of which weighs so much."""
        group, name = self._cycle.accounts.group_of(one.meeting.submitter), one.meeting.submitter
        schedd = one.verdict.access_point
        left = min(self._group(group), self._ceiling(name))
        number: float = 0
        if left > 0:
            number = one.number if math.isinf(left) or weight <= 0 else max(1, left // weight)
        taken = int(min(number, one.number, self._schedd(schedd)))
        self._groups[group] -= taken * weight
        self._ceilings[name] -= taken * weight
        self._schedds[schedd] -= taken
        return taken

    def _group(self, name: str) -> float:
        if name not in self._groups:
            turn = self._cycle.turns.get(name)
            left = math.inf
            if self._cycle.quotas.grouped and turn is not None:
                left = turn.limit - self._cycle.accounts.groups[name]
            self._groups[name] = left
        return self._groups[name]

    def _ceiling(self, name: str) -> float:
        if name not in self._ceilings:
            left, known = math.inf, self._submitters.get(name)
            if known is not None:
                ceiling = self._cycle.accounts.claimant(known).ceiling
                if ceiling is not None:
                    left = ceiling - self._cycle.accounts.usage(name)
            self._ceilings[name] = left
        return self._ceilings[name]

    def _schedd(self, name: str) -> float:
        if name not in self._schedds:
            more = self._cycle.askers.access[name].startable_now
            self._schedds[name] = math.inf if more is None else float(more)
        return self._schedds[name]
