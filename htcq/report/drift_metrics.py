"""One look at the quotas of a pool for Prometheus.

A weight is in the unit of quotas, usage and allocation (slots, where the negotiator does not use weights), demand in
that of the schedds' slot weights. A declared or configured quota is a weight only where it is static; a dynamic one is
a share of what its parent has, and a metric of its own. No label is of a job, a slot or a user.
"""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter

from htcq.drift.compare import differences
from htcq.drift.observation import Observation
from htcq.drift.state import states_of
from htcq.report.formats.prometheus import Sample, gauges, text_of

#: The states of a group, by the end of their metrics' names.
_STATES = {
    "starved": ("starved", "1 where a group is below its quota while its jobs wait."),
    "over_quota": ("over", "1 where a group uses more than its quota."),
    "lending": ("lending", "1 where a group wants no more than a part of its quota and another is above its own."),
}
#: What the negotiator published and what it should have, by kind of quota.
_PUBLISHED = {"effective": "effective", "computed": "computed", "subtree": "effective_subtree"}


def drift_metrics(observation: Observation, now: float, took: float) -> str:
    """Return the metrics; ``now`` is when they are written, in seconds since 1970, ``took`` how long the look took."""
    return text_of(_lines(observation, now, took))


def _lines(observation: Observation, now: float, took: float) -> Iterator[str]:
    yield from _quotas(observation)
    yield from _amounts(observation)
    yield from _states(observation)
    whole = {
        "htcq_pool_weight": ("Weight of the pool that the quotas are of.", observation.pool_weight),
        "htcq_slot_weight_expressions": ("Different SlotWeight expressions of the slots.", len(observation.weights)),
        "htcq_drift_doubts": ("Reasons why the look may be wrong.", len(observation.doubts)),
        "htcq_drift_observation_timestamp_seconds": ("When the pool was looked at.", observation.time),
        "htcq_drift_written_timestamp_seconds": ("When these metrics were written.", int(now)),
        "htcq_drift_duration_seconds": ("How long the look took.", took),
    }
    for name, (meaning, value) in whole.items():
        yield from gauges(name, meaning, [(_pool(observation), value)])


def _pool(observation: Observation) -> dict[str, str]:
    return {"pool": observation.pool, "negotiator": observation.negotiator}


def _quotas(observation: Observation) -> Iterator[str]:
    weights: list[Sample] = []
    shares: list[Sample] = []
    for group in observation.groups:
        labels = {**_pool(observation), "group": group.name}
        for kind, setting in (("declared", group.declared), ("configured", group.configured)):
            if setting is not None:
                (weights if setting.static else shares).append(({**labels, "kind": kind}, setting.quota))
        for kind, attribute in _PUBLISHED.items():
            quota = getattr(group, attribute)
            if quota is not None:
                weights.append(({**labels, "kind": kind}, quota))
    yield from gauges(
        "htcq_group_quota_weight",
        "Quota of a group: declared and configured if static, effective and subtree as published, and computed.",
        weights,
    )
    yield from gauges(
        "htcq_group_quota_share_ratio", "Dynamic quota of a group, a share of what its parent has.", shares
    )


def _amounts(observation: Observation) -> Iterator[str]:
    for name, meaning in (
        ("usage", "Weight of the slots that a group itself uses."),
        ("requested", "Demand of a group as the negotiator adds it up, running and idle."),
        ("allocated", "Weight that the first round of the next cycle allocates to a group."),
    ):
        yield from gauges(f"htcq_group_{name}_weight", meaning, _each(observation, name))
    demand = [each for state in ("idle", "running") for each in _each(observation, state, state=state)]
    yield from gauges("htcq_group_demand_weight", "Weight of the jobs of a group's own submitters.", demand)


def _each(observation: Observation, attribute: str, **more: str) -> list[Sample]:
    value = attrgetter(attribute)
    return [({**_pool(observation), "group": group.name, **more}, value(group)) for group in observation.groups]


def _states(observation: Observation) -> Iterator[str]:
    drifted = {each.group for each in differences(observation)}
    states = states_of(observation)

    def samples(groups: set[str]) -> list[Sample]:
        return [
            ({**_pool(observation), "group": group.name}, float(group.name in groups)) for group in observation.groups
        ]

    yield from gauges(
        "htcq_group_drift",
        "1 where what is declared, configured, published and computed of a group differs.",
        samples(drifted),
    )
    for name, (state, meaning) in _STATES.items():
        found = {group for group, each in states.items() if getattr(each, state)}
        yield from gauges(f"htcq_group_{name}", meaning, samples(found))
