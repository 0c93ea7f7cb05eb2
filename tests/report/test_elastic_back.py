"""A min that would be back later than the site wants: what a person and what an alert are told."""

from __future__ import annotations

from dataclasses import replace

import pytest

from htcq.elastic.reclaim.min_back import MinBack
from htcq.report.views.elastic_back import back_sentence
from htcq.report.views.elastic_metrics import METRICS
from tests.audit.sites import pool
from tests.elastic.quotas import group, node, quotas
from tests.elastic.test_enforcement import status_of

LATE = MinBack("a", 4.0, 1.0, None, 7200.0, 3600.0)


@pytest.mark.parametrize(
    ("back", "end"),
    [
        (LATE, "; back_within is 1 h, and neither is in time"),
        (replace(LATE, reclaim=600.0), "; back_within is 1 h"),
        (replace(LATE, objective=None), "2 h by reclaim"),
    ],
)
def test_a_person_is_told_that_both_ways_take_too_long(back: MinBack, end: str) -> None:
    assert back_sentence(back).endswith(end)


def test_claims_without_a_start_are_told_as_the_reason_of_both() -> None:
    told = back_sentence(replace(LATE, reclaim=None, starts_unknown=True))

    assert told == (
        "4 of slot weight of its min is not in use, and others have 3 of it; their slots do not say "
        "since when their jobs run (JobStart): it is not known when it would be back, and reclaim "
        "vacates none of these jobs"
    )


def test_the_metric_that_the_alert_watches_has_all_groups() -> None:
    both = quotas(group("a", {"cpus": 4}, {"cpus": 8}), group("b", {"cpus": 4}, {"cpus": 8}))
    status = replace(status_of(pool(node()), both), mins_back=(LATE,))
    metric = next(each for each in METRICS if each.name == "htcq_elastic_min_back_late")

    told = {labels["group"]: value for labels, value in metric.read([status])}
    assert told == {"a": 1.0, "b": 0.0}
