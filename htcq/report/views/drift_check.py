"""One observation of the quotas of a pool, as a monitoring plugin prints it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from htcq.drift.compare import differences
from htcq.drift.observation import DriftObservation, GroupObservation
from htcq.drift.quota_state import QuotaState, quota_of, states_of
from htcq.elastic.activity import NEVER, OFF, ON, Activity
from htcq.errors import InputError
from htcq.poolquota.ailment import Ailment
from htcq.poolquota.shortfall import Holder
from htcq.report.formats.nagios import at_most
from htcq.report.formats.nagios import told as told_by_plugin
from htcq.report.verdict import Measure, Range, Verdict
from htcq.report.views.drift_sentences import amount, told
from htcq.report.views.holders import holders_text
from htcq.units import counted

SUBJECT = "HTCQ DRIFT"
DRIFTED, STARVED, OVER, LENDING, USAGE, WAITING, BELOW_MIN, NOT_KEPT = (
    "drifted",
    "starved",
    "over",
    "lending",
    "usage",
    "waiting",
    "below_min",
    "not_kept",
)
#: What can be measured, and how it is said. USAGE and WAITING are weights, NOT_KEPT is 0 or 1, the
#: others count groups. The last two are for elastic quotas.
METRICS = {
    DRIFTED: "{value} of {groups} drifted",
    STARVED: "{value} of {groups} below quota while jobs wait",
    OVER: "{value} of {groups} above quota",
    LENDING: "{value} of {groups} lending quota",
    USAGE: "usage of {groups}: {value}",
    WAITING: "idle demand of {groups}: {value}",
    BELOW_MIN: "{value} of {groups} below min while jobs wait",
    NOT_KEPT: "elastic quotas: {state}",
}
#: Those of which nothing is known without elastic quotas.
ELASTIC = (BELOW_MIN, NOT_KEPT)
#: Those that count what should not be; any group at all is worth a warning.
WRONG = (DRIFTED, STARVED, OVER, *ELASTIC)
#: States in which elastic quotas are as a person wants them.
KEPT = (ON, OFF, NEVER)
#: The maximum of names on the first line.
_MAX_NAMES = 3
#: By group and metric why the metric counts the group.
_Notes = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True)
class CheckOptions:
    """What is measured, in which ranges it is fine, and of which groups.

    ``also`` are further metrics that are judged, each with the range outside of which it warns.
    ``groups`` are shell patterns; none means all groups. ``verbosity`` says which details are
    printed: with 0 the groups that the metric counts, with 1 those that any metric counts, with 2
    every group, and why the observation may be wrong.
    """

    metric: str = DRIFTED
    warning: Range | None = None
    critical: Range | None = None
    groups: tuple[str, ...] = ()
    verbosity: int = 0
    also: Mapping[str, Range] = field(default_factory=dict)


def check(
    observation: DriftObservation,
    asked: CheckOptions,
    health: Sequence[Ailment] = (),
    gaps: Sequence[str] = (),
    activity: Activity | None = None,
    held_by: Sequence[Holder] = (),
) -> tuple[int, str]:
    """Return the state and the text to print.

    ``health`` has the ailments of the pool, ``gaps`` the data that is missing. ``activity`` tells
    whether elastic quotas are kept; None where there are none. ``held_by`` has who and what has
    what groups lack of their quotas.

    Raises:
        InputError: there are no such groups, or no elastic quotas.
    """
    if activity is None and asked.metric in ELASTIC:
        raise InputError(
            f"--metric {asked.metric} is of elastic quotas", "give --quotas, or [drift] quotas"
        )
    groups = _chosen(observation, asked.groups)
    notes = _notes(observation)
    values = {metric: float(len(_counted(metric, groups, notes))) for metric in METRICS}
    values[USAGE] = sum(each.usage for each in groups)
    values[WAITING] = sum(each.idle for each in groups)
    state = ""
    if activity is None:
        values = {metric: value for metric, value in values.items() if metric not in ELASTIC}
    else:
        values[NOT_KEPT] = float(activity.word not in KEPT)
        state = activity.word
        if activity.why:
            state += f" ({activity.why})"
    measures = []
    for metric, value in values.items():
        measures.append(_measure(metric, value, asked, len(groups), observation))
    judged = (asked.metric, *asked.also)
    status = max(each.status for each in measures if each.label in judged)
    text = METRICS[asked.metric].format(
        value=amount(values[asked.metric]), groups=counted(len(groups), "group"), state=state
    )
    text = f"{observation.pool}: {text}{_first_names(_counted(asked.metric, groups, notes))}"
    for metric in asked.also:
        if values[metric]:
            more = METRICS[metric].format(
                value=amount(values[metric]), groups=counted(len(groups), "group")
            )
            text += f"; {more}{_first_names(_counted(metric, groups, notes))}"
    lines = list(_lines(observation, groups, notes, asked))
    if held_by and STARVED in judged and values[STARVED]:
        lines.insert(0, f"what groups lack of their quotas is held by {holders_text(held_by)}")
    if not asked.verbosity:
        lines = at_most(lines)
    return told_by_plugin(Verdict(SUBJECT, status, text, health, gaps, measures, lines))


def _counted(metric: str, groups: Sequence[GroupObservation], notes: _Notes) -> list[str]:
    """Return the names of the groups that a metric counts."""
    return [group.name for group in groups if metric in notes[group.name]]


def _first_names(names: Sequence[str]) -> str:
    if not names:
        return ""
    more = ""
    if len(names) > _MAX_NAMES:
        more = ", ..."
    return f": {', '.join(names[:_MAX_NAMES])}{more}"


def _chosen(observation: DriftObservation, patterns: Sequence[str]) -> tuple[GroupObservation, ...]:
    """Return the groups that ``patterns`` name; HTCondor ignores the case of letters."""
    groups = observation.groups
    if not any(each.computed is not None or each.declared is not None for each in groups):
        raise InputError(
            f"{observation.pool} has no groups, and none are declared",
            "set GROUP_NAMES or give --config",
        )
    lower = [pattern.lower() for pattern in patterns] or ["*"]
    chosen = tuple(group for group in groups if _matches(group.name.lower(), lower))
    if not chosen:
        raise InputError(
            f"{observation.pool} has no group {' or '.join(patterns)}",
            "give names or shell patterns",
        )
    return chosen


def _matches(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def _notes(observation: DriftObservation) -> _Notes:
    """Return by group and metric why the metric counts the group."""
    differing: dict[str, list[str]] = {}
    for each in differences(observation):
        differing.setdefault(each.group, []).append(told(each))
    states = states_of(observation)
    below = _below_min(observation)
    found = {}
    for group in observation.groups:
        notes = _state_notes(group, states[group.name], observation)
        if group.idle > 0 and group.name in below:
            notes[BELOW_MIN] = f"uses {below[group.name]} while {amount(group.idle)} waits"
        if group.name in differing:
            notes[DRIFTED] = "; ".join(differing[group.name])
        found[group.name] = notes
    return found


def _below_min(observation: DriftObservation) -> Mapping[str, str]:
    """Return the groups that use less than their min, in every dimension in which they have one."""
    found: dict[str, list[str]] = {}
    reached = set()
    for entry in observation.ledger:
        if not entry.min:
            continue
        if entry.used >= entry.min:
            reached.add(entry.group)
        used = f"{entry.used} of {entry.min} {entry.dimension}"
        found.setdefault(entry.group, []).append(used)
    return {name: ", ".join(used) for name, used in found.items() if name not in reached}


def _state_notes(
    group: GroupObservation, state: QuotaState, observation: DriftObservation
) -> dict[str, str]:
    quota = quota_of(group, observation)
    # No state holds of a group whose quota is not known.
    uses = starves = ""
    if quota is not None:
        uses = starves = f"uses {amount(group.usage)} of {amount(quota)}"
        if group.usage < group.requested < quota:
            # As htcq-quota(1) and htcq-status(1) have it.
            due = f"{amount(group.requested)} that it is due (its quota is {amount(quota)})"
            starves = f"uses {amount(group.usage)} of the {due}"
    notes = {
        STARVED: (state.starved, f"{starves} while {amount(group.idle)} waits"),
        OVER: (state.over, uses),
        LENDING: (state.lending, f"{uses} and wants no more"),
    }
    return {metric: note for metric, (holds, note) in notes.items() if holds}


def _measure(
    metric: str, value: float, asked: CheckOptions, groups: int, observation: DriftObservation
) -> Measure:
    most = {USAGE: observation.pool_weight, WAITING: None, NOT_KEPT: 1}.get(metric, groups)
    if metric in asked.also:
        return Measure(metric, value, asked.also[metric], None, 0, most)
    if metric != asked.metric:
        return Measure(metric, value, least=0, most=most)
    return Measure(metric, value, asked.warning, asked.critical, 0, most)


def _lines(
    observation: DriftObservation,
    groups: Sequence[GroupObservation],
    notes: _Notes,
    asked: CheckOptions,
) -> Iterator[str]:
    metrics = [asked.metric, *asked.also]
    if asked.verbosity:
        metrics = list(METRICS)
    for group in groups:
        for metric in metrics:
            if metric in notes[group.name]:
                yield f"{group.name}: {metric}: {notes[group.name][metric]}"
        if asked.verbosity > 1:
            quota = quota_of(group, observation)
            shown = "unknown"
            if quota is not None:
                shown = amount(quota)
            usage, idle = amount(group.usage), amount(group.idle)
            yield f"{group.name}: quota {shown}, usage {usage}, idle demand {idle}"
    if asked.verbosity > 1:
        yield from observation.doubts
