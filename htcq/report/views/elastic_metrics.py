"""Elastic quotas on a pool as metrics, for Prometheus; amounts are in HTCondor's units."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from htcq.elastic.activity import WORDS
from htcq.elastic.status import Status
from htcq.elastic.step_simulation import demands_of
from htcq.quota.elastic.declaration import SELF
from htcq.report.formats.prometheus import metrics_text
from htcq.report.metric import Metric, Sample

_Looked = Sequence[Status]


def _labels(status: Status) -> dict[str, str]:
    return {"pool": status.source, "negotiator": status.observation.negotiator}


def _amount(name: str, about: str) -> Metric[_Looked]:
    """Return the metric of an amount by group and dimension."""

    def read(looked: _Looked) -> Iterator[Sample]:
        for status in looked:
            for group in status.outcome.groups:
                for dimension, value in sorted(getattr(group, name).items()):
                    if dimension in group.runtime and not group.name.endswith(SELF):
                        labels = {"group": group.name, "dimension": dimension}
                        yield {**_labels(status), **labels}, float(value)

    return Metric(f"htcq_elastic_{name}", about, read)


def _state(looked: _Looked) -> Iterator[Sample]:
    for status in looked:
        for word in WORDS:
            yield {**_labels(status), "state": word}, float(word == status.activity.word)


def _below_min(looked: _Looked) -> Iterator[Sample]:
    for status in looked:
        used = demands_of(status.observation).with_below
        waiting = {each.group for each in status.observation.idle if each.count > 0}
        for target in status.targets:
            below = used.get(target.group, 0.0) < min(target.least, target.runtime)
            inside = f"{target.group}."
            waits = any(f"{group}.".startswith(inside) for group in waiting)
            yield {**_labels(status), "group": target.group}, float(waits and below)


def _min_back(looked: _Looked) -> Iterator[Sample]:
    for status in looked:
        for back in status.mins_back:
            for way, seconds in (("ends", back.ends), ("reclaim", back.reclaim)):
                labels = {**_labels(status), "group": back.group, "by": way}
                yield labels, math.inf if seconds is None else seconds


def _min_back_late(looked: _Looked) -> Iterator[Sample]:
    for status in looked:
        late = {back.group for back in status.mins_back if back.late}
        for target in status.targets:
            yield {**_labels(status), "group": target.group}, float(target.group in late)


def _file_refused(looked: _Looked) -> Iterator[Sample]:
    for status in looked:
        yield _labels(status), float(bool(status.refused_file))


def _protected(name: str, attribute: str, about: str) -> Metric[_Looked]:
    """Return the metric of the jobs of each group that ask for protection and have it, or not."""

    def read(looked: _Looked) -> Iterator[Sample]:
        for status in looked:
            found = {use.group: float(getattr(use, attribute)) for use in status.protected}
            for target in status.targets:
                labels = {**_labels(status), "group": target.group}
                yield labels, found.get(target.group, 0.0)

    return Metric(f"htcq_elastic_{name}", about, read)


def _of_day(name: str, attribute: str, about: str) -> Metric[_Looked]:
    return Metric(
        f"htcq_elastic_{name}",
        about,
        lambda looked: [
            (_labels(status), float(getattr(status.last_day, attribute))) for status in looked
        ],
    )


METRICS: tuple[Metric[_Looked], ...] = (
    Metric("htcq_elastic_state",
           "1 for the state of writer and reclaim, 0 for all other states.", _state),
    Metric("htcq_elastic_file_refused",
           "1 while the file of quotas is refused, and the last one that was accepted is in force.",
           _file_refused),
    _amount("min", "Guarantee of a group, in units of the dimension."),
    _amount("runtime", "What a group may use now."),
    _amount("used", "What a group uses, with the groups below it."),
    _amount("lent", "How far the runtime of a group is below its min."),
    _amount("borrowed", "How far the runtime of a group is above its min."),
    _amount("waiting", "What is requested beyond the runtime."),
    Metric("htcq_elastic_below_min",
           "1 where a group, with those below it, uses less than its min while idle jobs wait for "
           "that.",
           _below_min),
    Metric("htcq_elastic_min_back_seconds",
           "In what time a group would have all of its min back: as claims end, in 95 of 100 "
           "cases, or by reclaim.",
           _min_back),
    Metric("htcq_elastic_min_back_late",
           "1 where that is longer than back_within of the group, either way.", _min_back_late),
    _protected("protected_jobs", "paid", "Protected jobs of a group; its min pays for them."),
    _protected("protected_above_min_jobs", "unpaid",
               "Jobs of a group with HtcqProtected = true that are not protected: they are above "
               "its min, or the site does not allow it."),
    _of_day("refused_steps", "refused", "Steps that were refused in the last 24 hours."),
    _of_day("writes", "writes", "Writes in the last 24 hours."),
    _of_day("vacated_jobs", "vacated", "Jobs that reclaim has vacated in the last 24 hours."),
    _of_day("lost_weight_hours", "lost",
            "Work lost by that in the last 24 hours, in slot weight times hours."),
    Metric("htcq_elastic_observation_timestamp_seconds", "When the pool was looked at.",
           lambda looked: [(_labels(status), status.observation.taken_at) for status in looked]),
)  # fmt: skip


def elastic_metrics(looked: _Looked) -> str:
    """Return the metrics of all trees."""
    return metrics_text(METRICS, looked)
