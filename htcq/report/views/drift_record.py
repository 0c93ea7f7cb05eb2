"""One look at the quotas of a pool for Prometheus.

A weight is in the unit of quotas, usage and allocation (slots, where the negotiator does not use
weights), demand in that of the schedds' slot weights. A declared or configured quota is a weight
only where it is static; a dynamic one is a share of what its parent has, and a metric of its
own. No label is of a job, a slot or a user.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import attrgetter
from typing import NamedTuple

from htcq.drift.compare import differences
from htcq.drift.observation import DriftObservation
from htcq.drift.quota_state import states_of
from htcq.report.formats.prometheus import metrics_text
from htcq.report.metric import Metric, Sample

#: What the negotiator published and what it should have, by kind of quota.
_PUBLISHED = {"effective": "effective", "computed": "computed", "subtree": "effective_subtree"}


class _Recorded(NamedTuple):
    """One look, when it is written, in seconds since 1970, and how long it took."""

    observation: DriftObservation
    now: float
    took: float


def _pool(look: _Recorded) -> dict[str, str]:
    return {"pool": look.observation.pool, "negotiator": look.observation.negotiator}


def _weights(look: _Recorded) -> Iterator[Sample]:
    for group in look.observation.groups:
        labels = {**_pool(look), "group": group.name}
        for kind, setting in (("declared", group.declared), ("configured", group.configured)):
            if setting is not None and setting.static:
                yield {**labels, "kind": kind}, setting.quota
        for kind, attribute in _PUBLISHED.items():
            quota = getattr(group, attribute)
            if quota is not None:
                yield {**labels, "kind": kind}, quota


def _shares(look: _Recorded) -> Iterator[Sample]:
    for group in look.observation.groups:
        for kind, setting in (("declared", group.declared), ("configured", group.configured)):
            if setting is not None and not setting.static:
                yield {**_pool(look), "group": group.name, "kind": kind}, setting.quota


def _each(look: _Recorded, attribute: str, **more: str) -> list[Sample]:
    value = attrgetter(attribute)
    return [
        ({**_pool(look), "group": group.name, **more}, value(group))
        for group in look.observation.groups
    ]


def _demand(look: _Recorded) -> list[Sample]:
    return [*_each(look, "idle", state="idle"), *_each(look, "running", state="running")]


def _truths(look: _Recorded, groups: set[str]) -> list[Sample]:
    return [
        ({**_pool(look), "group": group.name}, float(group.name in groups))
        for group in look.observation.groups
    ]


def _drifted(look: _Recorded) -> list[Sample]:
    return _truths(look, {each.group for each in differences(look.observation)})


def _state(name: str, attribute: str, about: str) -> Metric[_Recorded]:
    """Return the metric that is 1 where a group is in a state."""

    def read(look: _Recorded) -> list[Sample]:
        states = states_of(look.observation)
        return _truths(look, {group for group, each in states.items() if getattr(each, attribute)})

    return Metric(f"htcq_group_{name}", about, read)


def _whole(name: str, about: str, value: Callable[[_Recorded], float]) -> Metric[_Recorded]:
    """Return a metric of the whole pool."""
    return Metric(name, about, lambda look: [(_pool(look), value(look))])


METRICS: tuple[Metric[_Recorded], ...] = (
    Metric("htcq_group_quota_weight",
           ("Quota of a group: declared and configured if static, effective and subtree as "
           "published, and computed."),
           _weights),
    Metric("htcq_group_quota_share_ratio",
           "Dynamic quota of a group, a share of what its parent has.", _shares),
    Metric("htcq_group_usage_weight",
           "Weight of the slots that a group itself uses.", lambda look: _each(look, "usage")),
    Metric("htcq_group_requested_weight",
           "Demand of a group as the negotiator adds it up, running and idle.",
           lambda look: _each(look, "requested")),
    Metric("htcq_group_allocated_weight",
           "Weight that the first round of the next cycle allocates to a group.",
           lambda look: _each(look, "allocated")),
    Metric("htcq_group_demand_weight", "Weight of the jobs of a group's own submitters.", _demand),
    Metric("htcq_group_drift",
           "1 where what is declared, configured, published and computed of a group differs.",
           _drifted),
    _state("starved", "starved", "1 where a group is below its quota while its jobs wait."),
    _state("over_quota", "over", "1 where a group uses more than its quota."),
    _state("lending", "lending",
           "1 where a group wants no more than a part of its quota and another is above its own."),
    _whole("htcq_pool_weight", "Weight of the pool that the quotas are of.",
           lambda look: look.observation.pool_weight),
    _whole("htcq_slot_weight_expressions", "Different SlotWeight expressions of the slots.",
           lambda look: len(look.observation.weights)),
    _whole("htcq_drift_doubts", "Reasons why the look may be wrong.",
           lambda look: len(look.observation.doubts)),
    _whole("htcq_drift_observation_timestamp_seconds", "When the pool was looked at.",
           lambda look: look.observation.time),
    _whole("htcq_drift_written_timestamp_seconds", "When these metrics were written.",
           lambda look: int(look.now)),
    _whole("htcq_drift_duration_seconds", "How long the look took.", lambda look: look.took),
)  # fmt: skip


def drift_metrics(observation: DriftObservation, now: float, took: float) -> str:
    """Return the metrics.

    ``now`` is when they are written, in seconds since 1970. ``took`` is the duration of the look in
    seconds.
    """
    return metrics_text(METRICS, _Recorded(observation, now, took))
