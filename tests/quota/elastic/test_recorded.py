"""Every number that the tests and documents of Koordinator state of elastic quotas, and those that follow by hand."""

from __future__ import annotations

from typing import Any

import pytest

from htcq.quota.condor import Inputs, compute_quotas
from htcq.quota.elastic.declaration import ElasticDemand, ElasticGroup, ElasticQuotas, Rounding
from htcq.quota.elastic.group_runtime import ElasticOutcome
from htcq.quota.elastic.runtime import compute
from htcq.quota.elastic.scaling import scaled_mins
from htcq.quota.group_tree import build_tree
from tests.quota.elastic.recorded import (
    NAMES,
    STATED,
    SUM,
    Stated,
    demand_of,
    quotas_of,
    read,
    stated,
)

RUNTIME = [
    pytest.param(case, key, rounding, id=f"{case['name']}-{key}")
    for case in read("runtime")
    for key, rounding in STATED
    if case.get(key)
]


def each(name: str) -> pytest.MarkDecorator:
    cases = read(name)
    return pytest.mark.parametrize("case", cases, ids=[case["name"] for case in cases])


@pytest.mark.parametrize("name", NAMES)
def test_every_case_states_its_name_origin_and_reason(name: str) -> None:
    cases = read(name)

    assert cases
    assert [
        key for case in cases for key in ("name", "origin", "why") if len(case.get(key, "")) < 5
    ] == []
    assert len(cases) == len({case["name"] for case in cases})


def got(outcome: ElasticOutcome, one: Stated) -> dict[str, int]:
    if one.group == SUM:
        top = [group for group in outcome.groups if not group.parent]
        return {name: sum(group.runtime[name] for group in top) for name in one.amounts}
    holder = outcome if one.field == "effective_total" else outcome[one.group]
    return dict(getattr(holder, one.field))


@pytest.mark.parametrize(("case", "key", "rounding"), RUNTIME)
def test_every_number_that_is_stated_is_computed(case: Any, key: str, rounding: Rounding) -> None:
    outcome = compute(quotas_of(case, rounding), demand_of(case))
    expected = list(stated(case[key]))

    assert expected
    for one in expected:
        assert dict(one.amounts) == got(outcome, one), one


def test_no_stated_number_is_left_out() -> None:
    numbers = [
        one for case in read("runtime") for key, _ in STATED for one in stated(case.get(key) or {})
    ]

    assert (len(read("runtime")), len(numbers)) == (63, 248)


@each("scale_min")
def test_mins_shrink_as_stated(case: Any) -> None:
    for name, total in case["total"].items():
        declared = {one["name"]: one["min"][name] for one in case["siblings"]}
        scaled = scaled_mins(
            total, declared, {one["name"] for one in case["siblings"] if not one["scalable"]}
        )
        for group, amounts in case["expected"].items():
            assert (declared[group] if amounts is None else amounts[name]) == scaled[group]


@each("native")
def test_native_group_quotas_share_by_quota_and_elastic_ones_by_weight(case: Any) -> None:
    weights = {"A": 40, "B": 60, "C": 50, "D": 80}
    groups = case["groups"]
    knobs = {"GROUP_NAMES": ", ".join(one["name"] for one in groups)}
    for one in groups:
        knobs[f"GROUP_QUOTA_{one['name']}"] = str(one["GROUP_QUOTA"])
        knobs[f"GROUP_ACCEPT_SURPLUS_{one['name']}"] = str(one["GROUP_ACCEPT_SURPLUS"])
    requested = {one["name"]: float(one["requested"]) for one in groups}
    native = compute_quotas(Inputs(build_tree(knobs)[0], float(case["total"]), requested))
    elastic = compute(
        ElasticQuotas(
            tuple(
                ElasticGroup(
                    one["name"], "", {"slots": one["GROUP_QUOTA"]}, {"slots": weights[one["name"]]}
                )
                for one in groups
            )
        ),
        ElasticDemand(
            {"slots": case["total"]}, {one["name"]: {"slots": one["requested"]} for one in groups}
        ),
    )

    allocated = {
        group.name: group.allocated for group in native.rounds[0].groups if group.name in weights
    }
    assert case["allocated"] == allocated
    assert case["elastic_runtime"] == {
        group.name: group.runtime["slots"] for group in elastic.groups
    }
