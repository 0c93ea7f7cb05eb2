"""Numbers that cannot be right are found before they are written: each kind of mistake, made on purpose."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from htcq.elastic.invariants import bad_quotas, violations
from htcq.quota.elastic.declaration import ElasticDemand, ElasticGroup, ElasticQuotas, Options
from htcq.quota.elastic.group_runtime import ElasticOutcome, GroupRuntime
from htcq.quota.elastic.runtime import compute
from tests.elastic.writing import target

QUOTAS = ElasticQuotas(
    (
        ElasticGroup("a", min={"cpus": 30}, max={"cpus": 60}),
        ElasticGroup("b", min={"cpus": 30}, max={"cpus": 100}, lend=False),
    )
)
DEMAND = ElasticDemand(total={"cpus": 100}, request={"a": {"cpus": 100}})


def computed(quotas: ElasticQuotas = QUOTAS) -> ElasticOutcome:
    return compute(quotas, DEMAND)


def changed(
    outcome: ElasticOutcome, name: str, change: Callable[[GroupRuntime], GroupRuntime]
) -> ElasticOutcome:
    return replace(
        outcome,
        groups=tuple(change(each) if each.name == name else each for each in outcome.groups),
    )


def runtime(cpus: int) -> Callable[[GroupRuntime], GroupRuntime]:
    return lambda group: replace(group, runtime={"cpus": cpus})


def test_what_is_computed_violates_nothing() -> None:
    assert {group.name: group.runtime["cpus"] for group in computed().groups} == {"a": 60, "b": 30}
    assert list(violations(computed())) == []


@pytest.mark.parametrize(
    ("name", "cpus", "told"),
    [
        ("a", 61, ["a has a runtime of 61 cpus, above its max of 60"]),
        ("a", 29, ["a has a runtime of 29 cpus, but 30 are reserved for it"]),
        # It asks for nothing, but does not lend.
        ("b", 29, ["b has a runtime of 29 cpus, but 30 are reserved for it"]),
        ("b", 41, ["runtimes add up to 101 cpus, but the total is 100"]),
    ],
)
def test_each_mistake_in_runtimes_is_told(name: str, cpus: int, told: list[str]) -> None:
    assert list(violations(changed(computed(), name, runtime(cpus)))) == told


def test_mins_that_do_not_shrink_may_exceed_what_there_is() -> None:
    fixed = replace(QUOTAS, options=Options(scale_min=False))

    assert list(violations(changed(computed(fixed), "b", runtime(41)))) == []


@pytest.mark.parametrize(
    ("quotas", "told"),
    [
        ({"phys": 60.0, "phys.hep": 60.0, "chem": 100.0}, []),
        ({"phys": 60.0, "phys.hep": 61.0, "chem": 40.0},
         ["phys.hep would have a quota of 61, more than 60 of phys"]),
        ({"phys": 60.0, "phys.hep": -1.0, "chem": 40.0}, ["phys.hep would have a quota of -1"]),
        ({"phys": 60.0, "phys.hep": 60.0, "chem": float("inf")}, ["chem would have a quota of inf"]),
        ({"phys": 60.0, "phys.hep": 60.0}, ["chem would have a quota of nan"]),
        ({"phys": 9.0, "phys.hep": 6.0, "chem": 40.0},
         ["phys would have a quota of 9, below its min of 10"]),
        ({"phys": 71.0, "phys.hep": 60.0, "chem": 40.0},
         ["phys would have a quota of 71, above its max of 70"]),
    ],
)  # fmt: skip
def test_each_mistake_in_quotas_is_told(quotas: dict[str, float], told: list[str]) -> None:
    phys = replace(target("phys", 0.0, leaf=False), least=10.0, most=70.0)
    goals = [phys, target("phys.hep", 0.0), target("chem", 0.0)]

    assert list(bad_quotas(goals, quotas)) == told
