"""Usage against quota over all cycles, of each group or of each submitter where there is no group.

Amounts are in the pool's unit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from statistics import fmean

from htcq.simulate.course.course import Course


@dataclass(frozen=True)
class Use:
    """Usage of one group or submitter after each cycle, and its quotas.

    ``quotas`` is None for submitters, which have no quota.
    """

    kind: str
    name: str
    usage: tuple[float, ...]
    quotas: tuple[float, ...] | None

    @property
    def mean(self) -> float:
        """Mean usage."""
        return fmean(self.usage)

    @property
    def quota(self) -> float | None:
        """Quota in the last cycle; None for a submitter."""
        if self.quotas is None:
            return None
        return self.quotas[-1]


def uses(course: Course) -> Iterator[Use]:
    """Yield the usage of every group, of every submitter where there is none but the root."""
    samples = course.samples
    names = dict.fromkeys(name for sample in samples for name in sample.groups)
    if len(names) > 1:
        for name in names:
            quotas = tuple(sample.quotas.get(name, 0.0) for sample in samples)
            yield Use("group", name, _amounts([sample.groups for sample in samples], name), quotas)
        return
    for name in dict.fromkeys(name for sample in samples for name in sample.submitters):
        yield Use(
            "submitter", name, _amounts([sample.submitters for sample in samples], name), None
        )


def _amounts(found: list[Mapping[str, float]], name: str) -> tuple[float, ...]:
    return tuple(each.get(name, 0.0) for each in found)
