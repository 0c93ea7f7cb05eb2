"""What groups use beyond their mins: the claims by whose end others have their mins back."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from htcq.elastic.quota_target import QuotaTarget
from htcq.elastic.records import PARTS, WEIGHT, ElasticObservation, GroupClaim
from htcq.elastic.step_simulation import demands_of, lines_of

#: Amounts of slot weight that differ by less are the same.
SLACK = 1e-6
#: Of more claims every second, third, … one stands for the others.
_MOST_CLAIMS = 2000


@dataclass(frozen=True)
class Borrowed:
    """The claims of one group that uses more than its min; each stands for ``times`` of them.

    ``beyond`` has what the group, and each group above it, uses more than its min. ``ages`` are for
    how many seconds the jobs of the claims have run.
    """

    group: str
    beyond: Mapping[str, float]
    claims: tuple[GroupClaim, ...]
    ages: tuple[float, ...]
    times: int = 1

    def weight_for(self, group: str) -> float:
        """Return how much of the slot weight of the claims comes back to ``group``.

        It is nothing of a group at or below ``group``. A group above both bounds nothing: what one
        subgroup gives up of its min, the other gets.
        """
        if _is_below(self.group, group):
            return 0.0
        return max(
            0.0,
            min(
                weight
                for place, weight in self.beyond.items()
                if place == self.group or not _is_below(group, place)
            ),
        )

    def weight_of(self, claim: GroupClaim) -> float:
        """Return the slot weight of all claims for which one stands."""
        return claim.amounts.get(WEIGHT, 0) / PARTS * self.times


def borrowed(targets: Sequence[QuotaTarget], observation: ElasticObservation) -> Iterator[Borrowed]:
    """Yield the groups that use more than their min."""
    lines = lines_of(targets)
    used = demands_of(observation).with_below
    beyond = {each.group: used.get(each.group, 0.0) - each.least for each in targets}
    by_group: dict[str, list[GroupClaim]] = {}
    for claim in observation.claims:
        by_group.setdefault(claim.group, []).append(claim)
    every = max(1, math.ceil(len(observation.claims) / _MOST_CLAIMS))
    for group, claims in by_group.items():
        own = {place: beyond[place] for place in lines.get(group, ())}
        if own.get(group, 0.0) > SLACK:
            ordered = sorted(claims, key=lambda each: (each.started or 0.0, each.slot))[::every]
            yield Borrowed(group, own, tuple(ordered), _ages(ordered, observation.taken_at), every)


def _is_below(group: str, other: str) -> bool:
    """Return whether ``group`` is ``other`` or below it."""
    return f"{group}.".startswith(f"{other}.")


def _ages(claims: Sequence[GroupClaim], now: float) -> tuple[float, ...]:
    """Return how long the jobs have run; one whose start is not known as long as the oldest."""
    known = [max(0.0, now - each.started) for each in claims if each.started is not None]
    oldest = max(known, default=math.inf)
    return tuple(
        oldest if each.started is None else max(0.0, now - each.started) for each in claims
    )
