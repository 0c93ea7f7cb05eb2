"""The quotas to fall back to: mins, in slot weight, and surplus for all."""

from __future__ import annotations

from htcq.elastic.records import PARTS, ElasticObservation
from htcq.elastic.static import min_targets, static_file
from htcq.quota.elastic.declaration import ElasticDemand, ElasticGroup, ElasticQuotas

WORTH = {"cpus": float(PARTS), "memory": PARTS / 2048}


def static(*groups: ElasticGroup, cpus: int = 100) -> dict[str, tuple[float, bool]]:
    demand = ElasticDemand(total={"cpus": cpus, "memory": cpus * 2048})
    look = ElasticObservation(0.0, "cm", demand, float(cpus), unit_weights=WORTH)
    return static_file(min_targets(ElasticQuotas(groups), look)).quotas


def test_each_group_has_its_min_although_it_asks_for_nothing() -> None:
    a, b = (
        ElasticGroup("a", min={"cpus": 30}, max={"cpus": 40}),
        ElasticGroup("b", min={"cpus": 20}, max={"cpus": 100}),
    )

    assert static(a, b) == {"a": (30.0, True), "b": (20.0, True)}


def test_a_dimension_without_a_min_takes_nothing_from_the_others() -> None:
    assert static(ElasticGroup("a", min={"cpus": 30}, max={"cpus": 40, "memory": 50 * 2048})) == {
        "a": (30.0, True)
    }


def test_the_scarcest_dimension_counts() -> None:
    scarce = ElasticGroup(
        "a", min={"cpus": 30, "memory": 10 * 2048}, max={"cpus": 40, "memory": 50 * 2048}
    )

    assert static(scarce) == {"a": (10.0, True)}


def test_who_is_guaranteed_nothing_has_nothing_but_surplus() -> None:
    assert static(ElasticGroup("a", max={"cpus": 40})) == {"a": (0.0, True)}


def test_fault_7_mins_that_exceed_the_pool_stay_what_was_declared() -> None:
    a, b = (
        ElasticGroup("a", min={"cpus": 30}, max={"cpus": 40}),
        ElasticGroup("b", min={"cpus": 30}, max={"cpus": 100}),
    )

    assert static(a, b, cpus=40) == {"a": (30.0, True), "b": (30.0, True)}


def test_a_group_above_others_keeps_what_its_min_has_beyond_theirs() -> None:
    groups = (
        ElasticGroup("phys", min={"cpus": 50}, max={"cpus": 80}),
        ElasticGroup("phys.hep", "phys", min={"cpus": 30}, max={"cpus": 80}),
    )

    assert static(*groups) == {"phys": (50.0, True), "phys.hep": (30.0, True)}
