"""One look at the quotas of a pool as a monitoring plugin tells it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from htcq.drift.compare import differences
from htcq.drift.observation import DriftObservation, GroupObservation
from htcq.drift.quota_state import QuotaState, quota_of, states_of
from htcq.errors import InputError
from htcq.poolquota.health import Ailment
from htcq.report.formats.nagios import at_most
from htcq.report.formats.nagios import told as told_by_plugin
from htcq.report.verdict import Measure, Range, Verdict
from htcq.report.views.drift_sentences import amount, told
from htcq.units import counted

SUBJECT = "HTCQ DRIFT"
DRIFTED, STARVED, OVER, LENDING, USAGE, WAITING = (
    "drifted",
    "starved",
    "over",
    "lending",
    "usage",
    "waiting",
)
#: What can be measured, and how it is said. The first four count groups, the others are weights.
METRICS = {
    DRIFTED: "{value} of {groups} drifted",
    STARVED: "{value} of {groups} below quota while jobs wait",
    OVER: "{value} of {groups} above quota",
    LENDING: "{value} of {groups} lending quota",
    USAGE: "usage of {groups}: {value}",
    WAITING: "idle demand of {groups}: {value}",
}
#: Those that count what should not be; any group at all is worth a warning.
WRONG = (DRIFTED, STARVED, OVER)
#: Most names on the first line.
_MAX_NAMES = 3


@dataclass(frozen=True)
class Asked:
    """What is measured, in which ranges it is fine, and of which groups (shell patterns; none: of all).

    ``verbosity``: 0 tells of the groups that are counted, 1 of all that any metric counts, 2 of
    every group and why the look may be wrong.
    """

    metric: str = DRIFTED
    warning: Range | None = None
    critical: Range | None = None
    groups: tuple[str, ...] = ()
    verbosity: int = 0


def check(
    observation: DriftObservation,
    asked: Asked,
    health: Sequence[Ailment] = (),
    gaps: Sequence[str] = (),
) -> tuple[int, str]:
    """Return the state and what is printed; ``health`` is that of the pool, ``gaps`` what of it is not known.

    Raises:
        InputError: there are no such groups.
    """
    groups = _chosen(observation, asked.groups)
    notes = _notes(observation)
    named = {
        metric: [each.name for each in groups if metric in notes[each.name]] for metric in METRICS
    }
    values = {metric: float(len(names)) for metric, names in named.items()}
    values[USAGE] = sum(each.usage for each in groups)
    values[WAITING] = sum(each.idle for each in groups)
    measures = [
        _measure(metric, value, asked, len(groups), observation) for metric, value in values.items()
    ]
    status = next(each.status for each in measures if each.label == asked.metric)
    text = METRICS[asked.metric].format(
        value=amount(values[asked.metric]), groups=counted(len(groups), "group")
    )
    names = named[asked.metric]
    first = (
        f": {', '.join(names[:_MAX_NAMES])}{', ...' if len(names) > _MAX_NAMES else ''}"
        if names
        else ""
    )
    lines = list(_lines(observation, groups, notes, asked))
    text = f"{observation.pool}: {text}{first}"
    lines = lines if asked.verbosity else at_most(lines)
    return told_by_plugin(Verdict(SUBJECT, status, text, health, gaps, measures, lines))


def _chosen(observation: DriftObservation, patterns: Sequence[str]) -> tuple[GroupObservation, ...]:
    """Return the groups that ``patterns`` name; HTCondor does not tell letters of different case apart."""
    groups = observation.groups
    if not any(each.computed is not None or each.declared is not None for each in groups):
        raise InputError(
            f"{observation.pool} has no groups, and none are declared",
            "set GROUP_NAMES or give --config",
        )
    lower = [pattern.lower() for pattern in patterns] or ["*"]
    chosen = tuple(
        each for each in groups if any(fnmatchcase(each.name.lower(), pattern) for pattern in lower)
    )
    if not chosen:
        raise InputError(
            f"{observation.pool} has no group {' or '.join(patterns)}",
            "give names or shell patterns",
        )
    return chosen


def _notes(observation: DriftObservation) -> Mapping[str, Mapping[str, str]]:
    """Return by group what each metric that counts it says of it."""
    differing: dict[str, list[str]] = {}
    for each in differences(observation):
        differing.setdefault(each.group, []).append(told(each))
    states = states_of(observation)
    found = {}
    for group in observation.groups:
        drifted = {DRIFTED: "; ".join(differing[group.name])} if group.name in differing else {}
        found[group.name] = {**drifted, **_state_notes(group, states[group.name], observation)}
    return found


def _state_notes(
    group: GroupObservation, state: QuotaState, observation: DriftObservation
) -> dict[str, str]:
    quota = quota_of(group, observation)
    uses = "" if quota is None else f"uses {amount(group.usage)} of {amount(quota)}"
    notes = {
        STARVED: (state.starved, f"{uses} while {amount(group.idle)} waits"),
        OVER: (state.over, uses),
        LENDING: (state.lending, f"{uses} and wants no more"),
    }
    return {metric: note for metric, (holds, note) in notes.items() if holds}


def _measure(
    metric: str, value: float, asked: Asked, groups: int, observation: DriftObservation
) -> Measure:
    most = {USAGE: observation.pool_weight, WAITING: None}.get(metric, groups)
    chosen = metric == asked.metric
    return Measure(
        metric,
        value,
        asked.warning if chosen else None,
        asked.critical if chosen else None,
        0,
        most,
    )


def _lines(
    observation: DriftObservation,
    groups: Sequence[GroupObservation],
    notes: Mapping[str, Mapping[str, str]],
    asked: Asked,
) -> Iterator[str]:
    metrics = list(METRICS) if asked.verbosity else [asked.metric]
    for group in groups:
        for metric in metrics:
            if metric in notes[group.name]:
                yield f"{group.name}: {metric}: {notes[group.name][metric]}"
        if asked.verbosity > 1:
            quota = quota_of(group, observation)
            yield (
                f"{group.name}: quota {'unknown' if quota is None else amount(quota)}, usage "
                f"{amount(group.usage)}, "
                f"idle demand {amount(group.idle)}"
            )
    if asked.verbosity > 1:
        yield from observation.doubts
