"""One look at the quotas of a pool as a monitoring plugin tells it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from htcq.drift.compare import differences
from htcq.drift.observation import GroupObservation, Observation
from htcq.drift.state import State, quota_of, states_of
from htcq.errors import InputError
from htcq.report.drift_words import amount, told_all
from htcq.report.nagios import OK, UNKNOWN, WARNING, Measure, at_most, said
from htcq.report.thresholds import Range

SUBJECT = "HTCQ DRIFT"
DRIFTED, STARVED, OVER, LENDING, USAGE, WAITING = "drifted", "starved", "over", "lending", "usage", "waiting"
#: What can be measured, and how it is said; the first four count groups, the others are weights.
METRICS = {
    DRIFTED: "{value} of {groups} drifted",
    STARVED: "{value} of {groups} below quota while jobs wait",
    OVER: "{value} of {groups} above quota",
    LENDING: "{value} of {groups} leave quota to others",
    USAGE: "{groups} use {value} of {pool} {unit}",
    WAITING: "jobs of {groups} wait for {value}",
}
COUNTS = (DRIFTED, STARVED, OVER, LENDING)
#: Those for which there should be no group.
WRONG = (DRIFTED, STARVED, OVER)
#: Most names on the first line.
_MOST_NAMES = 3


@dataclass(frozen=True)
class Asked:
    """What is to be measured, the ranges in which that is fine, and of which groups (shell patterns; none: of all).

    ``verbosity``: 0 tells the groups that are counted, 1 all that any metric counts, 2 every group and every doubt.
    """

    metric: str = DRIFTED
    warning: Range | None = None
    critical: Range | None = None
    groups: tuple[str, ...] = ()
    verbosity: int = 0


def check(observation: Observation, asked: Asked) -> tuple[int, str]:
    """Return the state and what is printed.

    Raises:
        InputError: there is no such group.
    """
    groups = _chosen(observation, asked.groups)
    found = _Found.of(observation, groups)
    measures = tuple(found.measure(metric, asked) for metric in METRICS)
    measured = next(each for each in measures if each.label == asked.metric)
    status = measured.status
    lines = list(found.lines(asked))
    if asked.verbosity == 0:
        lines = at_most(lines)
    return status, said(SUBJECT, status, found.summary(asked.metric, measured.value), measures, lines)


def unknown(message: str) -> str:
    """Return the line for a pool that could not be looked at."""
    return said(SUBJECT, UNKNOWN, message)


def _chosen(observation: Observation, patterns: Sequence[str]) -> tuple[GroupObservation, ...]:
    """Return the groups that ``patterns`` name; HTCondor does not tell letters of different case apart."""
    groups = observation.groups
    if not any(each.computed is not None or each.declared is not None for each in groups):
        raise InputError(f"{observation.pool} has no groups, and none are declared", "set GROUP_NAMES, or see --config")
    if not patterns:
        return groups
    lower = [pattern.lower() for pattern in patterns]
    chosen = tuple(each for each in groups if any(fnmatchcase(each.name.lower(), pattern) for pattern in lower))
    if not chosen:
        raise InputError(f"{observation.pool} has no group {', '.join(patterns)}", "give a name or a shell pattern")
    return chosen


@dataclass(frozen=True)
class _Found:
    """What is told of each of the groups that were asked for, by metric."""

    observation: Observation
    groups: tuple[GroupObservation, ...]
    drifted: Mapping[str, str]
    states: Mapping[str, State]

    @classmethod
    def of(cls, observation: Observation, groups: tuple[GroupObservation, ...]) -> _Found:
        differing: dict[str, list[object]] = {}
        every = differences(observation)
        names = {each.group for each in every}
        drifted = {name: told_all(each for each in every if each.group == name) for name in names}
        del differing
        return cls(observation, groups, drifted, states_of(observation))

    def counted(self, metric: str) -> list[GroupObservation]:
        """Return the groups that ``metric`` counts, the first of them first."""
        if metric == DRIFTED:
            return [each for each in self.groups if each.name in self.drifted]
        return [each for each in self.groups if metric in COUNTS and getattr(self.states[each.name], metric)]
