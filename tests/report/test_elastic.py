"""What the table of elastic quotas shows beside the numbers, where the command's tests do not look."""

from __future__ import annotations

import io

import pytest

from htcq.audit.engine import Audit
from htcq.errors import InputError
from htcq.quota.elastic.declaration import ElasticDemand, ElasticGroup, ElasticQuotas
from htcq.quota.elastic.runtime import compute
from htcq.report.views.elastic_compute import Computed, all_json
from htcq.report.views.elastic_compute_text import show_elastic, show_why


def computed(name: str = "", **groups: ElasticGroup) -> Computed:
    outcome = compute(
        ElasticQuotas(tuple(groups.values())),
        ElasticDemand({"cpus": 10}, {each: {"cpus": 4} for each in groups}),
    )
    return Computed(name, outcome, {"cpus": 3}, {"cpus": 2}, Audit((), ()))


def test_an_unlimited_max_is_a_word_and_null() -> None:
    one = computed(a=ElasticGroup("a", "", {}, {"cpus": None}, {"cpus": 1}))
    stream = io.StringIO()
    show_elastic(one, "q.toml", stream)

    assert "unlimited" in stream.getvalue()
    assert all_json("q.toml", [one])["groups"]["a"]["max"] == {"cpus": None}


def test_a_single_tree_stands_alone_and_named_ones_stand_by_name() -> None:
    group = ElasticGroup("a", "", {}, {"cpus": 9})
    alone, named = computed(a=group), computed("gpu", a=group)
    found = all_json("q.toml", [alone, named])

    assert found["groups"].keys() == found["trees"]["gpu"]["groups"].keys() == {"a"}
    assert found["default"] == {"request": {"cpus": 3}, "used": {"cpus": 2}}
    assert set(all_json("q.toml", [named])) == {"schema", "source", "trees"}


def test_steps_are_printed_on_demand() -> None:
    one = computed(a=ElasticGroup("a", "", {}, {"cpus": 9}))

    assert "steps" not in all_json("q.toml", [one])["groups"]["a"]
    steps = all_json("q.toml", [one], trace=True)["groups"]["a"]["steps"]["cpus"]
    assert (steps[-1]["kind"], steps[-1]["runtime"]) == ("ends", 4)


def test_a_group_that_is_not_there_cannot_be_told_of() -> None:
    with pytest.raises(InputError, match="no group b"):
        show_why(computed(a=ElasticGroup("a", "", {}, {"cpus": 9})), "b", io.StringIO())
