"""A department whose min is its own alone is watched as well: its groups wait, and it is below its min."""

from __future__ import annotations

from htcq.report.views.elastic_metrics import METRICS
from tests.audit.sites import pool
from tests.elastic.quotas import claimed, group, node, quotas
from tests.elastic.test_enforcement import status_of
from tests.elastic.test_projection import waiting


def test_a_department_below_its_min_is_told() -> None:
    declared = quotas(
        group("p", {"cpus": 4}, {"cpus": 8}),
        group("p.a", {"cpus": 0}, {"cpus": 8}),
        group("q", {"cpus": 4}, {"cpus": 8}),
    )
    held = [claimed(number, "q.ann@site") for number in range(1, 8)]
    given = pool(node(cpus_left=1), *held, jobs=[waiting(1, "p.a", 3)])
    status = status_of(given, declared)
    metric = next(each for each in METRICS if each.name == "htcq_elastic_below_min")

    told = {labels["group"]: value for labels, value in metric.read([status])}
    assert told == {"p": 1.0, "p.a": 0.0, "q": 0.0}
