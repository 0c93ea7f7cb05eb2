"""Amounts as percentages of the pool: exact, rounded down, and refused as soon as they cannot hold."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from htcq.audit.elastic import unsound
from htcq.audit.elastic_quotas import DeclaredElasticQuotas
from htcq.errors import InputError
from htcq.quota.elastic.declaration import ElasticDemand, ElasticGroup
from htcq.quota.elastic.runtime import compute
from htcq.quota.elastic.window import changed_quotas
from htcq.settings.elastic import QuotaFile, demand_from, quotas_from

QUARTER, EIGHTH = Fraction(1, 4), Fraction(1, 8)


def declared(**groups: dict[str, Any]) -> QuotaFile:
    return quotas_from(
        {"groups": {name.replace("_", "."): each for name, each in groups.items()}}, "q"
    )


def wrong(file: QuotaFile, **total: int) -> list[str]:
    quotas = file.trees[""]
    if total:
        quotas = quotas.of(total)
    return [each.message for each in unsound(DeclaredElasticQuotas("q", quotas)).findings]


def test_amounts_follow_the_pool() -> None:
    """A part is taken of the whole pool on every level, as it is written, without a float between."""
    file = declared(
        a={"min": {"cpus": "25%"}, "max": {"cpus": "100%", "gpus": 4}, "lend": {"cpus": "12.5 %"}},
        a_b={"min": {"cpus": "12.5%"}, "max": {"cpus": "33.3%"}},
    )
    group, child = file.trees[""].groups
    assert (group.min, group.max) == ({}, {"gpus": 4})
    assert group.parts == {
        "min": {"cpus": QUARTER},
        "max": {"cpus": 1},
        "max_lent": {"cpus": EIGHTH},
    }
    assert group.names() == {"cpus", "gpus"}

    in_pool, below = file.trees[""].of({"cpus": 1001, "gpus": 8}).groups
    assert in_pool == ElasticGroup(
        "a", min={"cpus": 250}, max={"cpus": 1001, "gpus": 4}, max_lent={"cpus": 125}
    )
    assert (below.min, below.max) == ({"cpus": 125}, {"cpus": 333})
    assert child.of({}).max == {"cpus": 0}, "a pool that has none of it"


def test_the_runtime_is_that_of_the_amounts() -> None:
    parts = declared(
        a={"min": {"cpus": "25%"}, "max": {"cpus": "50%"}},
        b={"min": {"cpus": 10}, "max": {"cpus": 40}},
    )
    amounts = declared(
        a={"min": {"cpus": 10}, "max": {"cpus": 20}}, b={"min": {"cpus": 10}, "max": {"cpus": 40}}
    )
    demand = ElasticDemand({"cpus": 40}, {"a": {"cpus": 40}, "b": {"cpus": 40}})

    assert compute(parts.trees[""], demand) == compute(amounts.trees[""], demand)


def test_units_of_memory_and_disk() -> None:
    """HTCondor's units, as in its ads: MB of memory and KiB of disk."""
    file = declared(a={"min": {"memory": "8GiB"}, "max": {"memory": "1 TiB", "disk": "2GB"}})
    (group,) = file.trees[""].groups

    assert (group.min, group.max) == ({"memory": 8192}, {"memory": 2**20, "disk": 2 * 2**20})


@pytest.mark.parametrize("amount", ["25", "120%", "-1%", "%", "8GiB", "half", 2.5, True])
def test_what_is_no_amount_is_refused(amount: object) -> None:
    with pytest.raises(InputError, match="elastic-amount-malformed") as refused:
        declared(a={"max": {"cpus": amount}})

    assert '"25%"' in str(refused.value.hint)


@pytest.mark.parametrize("amount", ["8", "1.5KiB", "8 cores"])
def test_memory_without_a_unit_that_counts_is_refused(amount: str) -> None:
    with pytest.raises(InputError, match="elastic-amount-malformed") as refused:
        declared(a={"max": {"memory": amount}})

    assert '"8GiB"' in str(refused.value.hint)


def test_demand_has_no_percentages() -> None:
    with pytest.raises(InputError, match=r"request.a.cpus is '25%' \[elastic-amount-malformed\]"):
        demand_from({"total": {"cpus": 4}, "request": {"a": {"cpus": "25%"}}}, "demand.json")


def test_percentages_that_contradict_each_other_are_refused_without_a_pool() -> None:
    file = declared(
        a={"min": {"cpus": "25%"}, "max": {"cpus": "20%"}},
        a_b={"min": {"cpus": "30%"}, "max": {"cpus": "40%"}},
    )
    told = wrong(file)

    assert any(each.startswith("group a has a min of 25 cpus and a max of 20") for each in told)
    assert all(each.endswith(", in percent of the pool") for each in told), told


def test_percentages_and_amounts_are_compared_where_the_pool_is_known() -> None:
    file = declared(a={"min": {"cpus": 10}, "max": {"cpus": "25%"}})

    assert wrong(file) == []
    assert wrong(file, cpus=40) == []
    assert wrong(file, cpus=39) == ["group a has a min of 10 cpus and a max of 9"]


def test_what_percentages_do_not_change_is_refused_at_once() -> None:
    file = declared(
        a={"min": {"gpus": 1}, "max": {"cpus": "25%"}}, a_b={"min": {"cpus": 9}, "max": {"cpus": 9}}
    )

    assert wrong(file) == ["group a has a min of gpus but no max"]


def test_a_window_replaces_a_percentage_by_an_amount_and_the_other_way_round() -> None:
    groups = {
        "a": {"min": {"cpus": "25%"}, "max": {"cpus": "50%"}},
        "b": {"min": {"cpus": 3}, "max": {"cpus": 9}},
    }
    window = {
        "from": "2027-01-15T08:00Z",
        "until": "2027-01-16T08:00Z",
        "groups": {"a": {"min": {"cpus": 5}}, "b": {"min": {"cpus": "10%"}}},
    }
    file = quotas_from({"groups": groups, "elastic": {"window": [window]}}, "q")
    changed = changed_quotas(file.trees[""], file.windows[""]).of({"cpus": 40})

    assert {group.name: (group.min, group.max) for group in changed.groups} == {
        "a": ({"cpus": 5}, {"cpus": 20}),
        "b": ({"cpus": 4}, {"cpus": 9}),
    }
