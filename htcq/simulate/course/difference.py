"""Differences between two courses of the same pool, and their reasons.

Amounts are in the pool's unit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from htcq.simulate.course.course import Course
from htcq.simulate.course.usage import Use, uses
from htcq.simulate.course.wait_stats import waits
from htcq.simulate.cycle.outcome import Pair, because_of_others

#: Sums of fractions miss by less than this.
_DUST = 1e-9


@dataclass(frozen=True)
class CourseDifference:
    """Mean usage of one group or submitter in either course, and the reason of the difference.

    ``asked`` is how many jobs wanted to start at all.
    """

    kind: str
    name: str
    used: Pair
    asked: Pair
    because: str


def compare_courses(before: Course, after: Course) -> tuple[CourseDifference, ...]:
    """Return the groups and submitters whose usage differs, groups first."""
    return tuple(
        each for each in (*_groups(before, after), *_submitters(before, after)) if each.because
    )


def sentences(before: Course, after: Course) -> Iterator[str]:
    """Yield what makes the difference, a sentence for each group and submitter."""
    for each in compare_courses(before, after):
        yield f"{each.kind} {each.name}: {each.because}"


def _groups(before: Course, after: Course) -> Iterator[CourseDifference]:
    one, other = (
        {use.name: use for use in uses(course) if use.kind == "group"} for course in (before, after)
    )
    names = dict.fromkeys([*one, *other])
    asked = [_asked_by_group(_asked(course), names) for course in (before, after)]
    used = {name: Pair(_mean(one.get(name)), _mean(other.get(name))) for name in names}
    changes = {name: pair.difference for name, pair in used.items()}
    for name in names:
        use, later = one.get(name), other.get(name)
        wants = Pair(asked[0][name], asked[1][name])
        quotas = Pair(_quota(use), _quota(later))
        because = _why(name, changes, wants, before, after)
        if abs(quotas.difference) > _DUST:
            because = f"the quota of {name} goes from {quotas.before:g} to {quotas.after:g}"
        yield CourseDifference("group", name, used[name], wants, because)


def _quota(use: Use | None) -> float:
    return 0.0 if use is None or use.quota is None else use.quota


def _mean(use: Use | None) -> float:
    return 0.0 if use is None else use.mean


def _submitters(before: Course, after: Course) -> Iterator[CourseDifference]:
    one, other = (_asked(course) for course in (before, after))
    used = [_means(course) for course in (before, after)]
    names = dict.fromkeys([*one, *other, *used[0], *used[1]])
    means = {name: Pair(used[0].get(name, 0.0), used[1].get(name, 0.0)) for name in names}
    changes = {name: pair.difference for name, pair in means.items()}
    for name in names:
        asked = Pair(one.get(name, 0), other.get(name, 0))
        yield CourseDifference(
            "submitter", name, means[name], asked, _why(name, changes, asked, before, after)
        )


def _why(
    name: str, changes: Mapping[str, float], asked: Pair, before: Course, after: Course
) -> str:
    """Return why the usage of ``name`` differs.

    It is empty where neither it nor what is asked for does.
    """
    cpus = after.total_cpus - before.total_cpus
    if asked.difference:
        return (
            f"it asks for {abs(asked.difference):g} {'more' if asked.difference > 0 else 'fewer'}"
        )
    if abs(changes[name]) <= _DUST:
        return ""
    if abs(cpus) > _DUST:
        return f"the pool has {abs(cpus):g} cores {'more' if cpus > 0 else 'fewer'}"
    return because_of_others(name, changes)


def _asked(course: Course) -> dict[str, int]:
    return {wait.submitter: wait.started + wait.waiting for wait in waits(course)}


def _asked_by_group(asked: Mapping[str, int], groups: Iterable[str]) -> dict[str, int]:
    """Return the sums of those whose names begin with that of a group.

    The longest such name is theirs.
    """
    found = dict.fromkeys(groups, 0)
    for submitter, jobs in asked.items():
        mine = [name for name in found if submitter.lower().startswith(f"{name.lower()}.")]
        if mine:
            found[max(mine, key=len)] += jobs
    return found


def _means(course: Course) -> dict[str, float]:
    sums: dict[str, float] = {}
    for sample in course.samples:
        for name, amount in sample.submitters.items():
            sums[name] = sums.get(name, 0.0) + amount
    return {name: amount / len(course.samples) for name, amount in sums.items()}
