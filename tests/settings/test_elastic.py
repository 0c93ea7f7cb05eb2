"""Files of elastic quotas and of demand: what they mean, and what is refused."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

import pytest

from htcq.errors import InputError
from htcq.quota.elastic.declaration import (
    ElasticDemand,
    ElasticGroup,
    ElasticQuotas,
    Options,
    Rounding,
)
from htcq.settings.elastic import (
    DEMAND_FILE_KEYS,
    ELASTIC_GROUP_KEYS,
    ELASTIC_KEYS,
    QUOTA_FILE_KEYS,
    demand_from,
    quotas_from,
)
from tests.docs.documents import ROOT, section, tags, words


def test_what_a_group_lends_may_be_amounts() -> None:
    groups = {"a": {"min": {"cpus": 8}, "max": {"cpus": 9}, "lend": {"cpus": 3}}}
    (group,) = quotas_from({"groups": groups}, "q.toml").trees[""].groups

    assert (group.lend, group.max_lent) == (True, {"cpus": 3})


@pytest.mark.parametrize(
    ("lend", "said"),
    [
        ({"gpus": 3}, "q.toml: groups.a.lend.gpus has no min to lend of"),
        ({"cpus": -1}, "q.toml: groups.a.lend.cpus is -1"),
        (3, "q.toml: groups.a.lend is 3"),
    ],
)
def test_amounts_that_a_group_cannot_lend_are_refused(lend: object, said: str) -> None:
    groups = {"a": {"min": {"cpus": 8}, "max": {"cpus": 9, "gpus": 3}, "lend": lend}}
    with pytest.raises(InputError) as refused:
        quotas_from({"groups": groups}, "q.toml")

    assert str(refused.value).startswith(said)


def test_everything_that_a_file_can_say_is_read() -> None:
    content = {
        "elastic": {
            "scale_min": False,
            "guarantee_usage": True,
            "rounding": "legacy",
            "same_dimensions": True,
        },
        "groups": {
            "a": {
                "max": {"cpus": "unlimited"},
                "weight": {"cpus": 3},
                "lend": False,
                "users": ["ada"],
            },
            "a.b": {"min": {"cpus": 1}, "max": {"cpus": 2}, "scale_min": True, "strict": ["cpus"]},
            "c.d": {"parent": "a", "max": {"nvidia.com/gpu": 2}, "priority": -3},
        },
    }

    assert quotas_from(content, "q.toml").trees == {
        "": ElasticQuotas(
            (
                ElasticGroup("a", "", {}, {"cpus": None}, {"cpus": 3}, lend=False, users=("ada",)),
                ElasticGroup(
                    "a.b", "a", {"cpus": 1}, {"cpus": 2}, scale_min=True, strict=("cpus",)
                ),
                ElasticGroup("c.d", "a", {}, {"nvidia.com/gpu": 2}, priority=-3),
            ),
            Options(False, True, Rounding.LEGACY, True),
        )
    }


@pytest.mark.parametrize("value", [1001, -1001, 1.5, True, "high", {"cpus": 1}])
def test_a_priority_is_a_whole_number_within_bounds(value: object) -> None:
    with pytest.raises(InputError, match=r"^q\.toml: groups\.a\.priority ") as refused:
        quotas_from({"groups": {"a": {"priority": value}}}, "q.toml")

    assert refused.value.hint == "it must be a whole number from -1000 to 1000"


def test_an_empty_file_has_a_tree_without_groups() -> None:
    assert quotas_from({}, "q.toml").trees == {"": ElasticQuotas()}


def test_trees_stand_beside_each_other() -> None:
    content = {"trees": {"gpu": {"groups": {"a": {}}}, "cpu": {"elastic": {"scale_min": False}}}}
    demand = {"trees": {"gpu": {"total": {"gpus": 1}}, "cpu": {"total": {}}}}

    assert sorted(quotas_from(content, "q.toml").trees) == ["cpu", "gpu"]
    assert sorted(quotas_from({**content, "groups": {}}, "q.toml").trees) == ["", "cpu", "gpu"]
    assert demand_from(demand, "d.json") == {
        "gpu": ElasticDemand({"gpus": 1}),
        "cpu": ElasticDemand(),
    }


def test_demand_is_read_and_null_is_nothing() -> None:
    content = {
        "total": {"cpus": 9},
        "request": {"a": {"cpus": 2}, "b": None},
        "used": None,
        "guarantee": {"a": {"cpus": 1}},
        "system_used": {"cpus": 3},
        "default_used": None,
    }

    assert demand_from(content, "d.json")[""] == ElasticDemand(
        {"cpus": 9}, {"a": {"cpus": 2}, "b": {}}, {}, {"a": {"cpus": 1}}, {"cpus": 3}, {}
    )


@pytest.mark.parametrize(
    ("content", "said", "hint"),
    [
        ({"gruops": {}}, "q.toml: gruops is unknown", "groups"),
        ({"elastic": {"scale_mni": True}}, "elastic.scale_mni is unknown", "scale_min"),
        ({"elastic": {"scale_min": 1}}, "elastic.scale_min is 1", "true or false"),
        ({"elastic": {"rounding": "best"}}, "elastic.rounding is 'best'", "hamilton or legacy"),
        (
            {"elastic": {"rounding": ["legacy"]}},
            "elastic.rounding is ['legacy']",
            "hamilton or legacy",
        ),
        ({"elastic": 5}, "elastic is 5", "a table"),
        ({"groups": []}, "groups is []", "a table"),
        ({"groups": {"a": 5}}, "groups.a is 5", "a table"),
        ({"groups": {"a": {"mni": {"cpus": 1}}}}, "groups.a.mni is unknown", "did you mean min?"),
        ({"groups": {"a": {"colour": 1}}}, "groups.a.colour is unknown", "the keys are min"),
        (
            {"groups": {"a": {"hep": {"max": {}}}}},
            "groups.a.hep is unknown",
            'a group below it is [groups."a.hep"]',
        ),
        ({"groups": {"a": {"lend": "no"}}}, "groups.a.lend is 'no'", "true or false"),
        ({"groups": {"a": {"parent": 5}}}, "groups.a.parent is 5", "name of a group"),
        ({"groups": {"a": {"users": "ada"}}}, "groups.a.users is 'ada'", "list of names"),
        (
            {"groups": {"a": {"max": {"cpus": "much"}}}},
            "groups.a.max.cpus is 'much'",
            'or "unlimited"',
        ),
        (
            {"groups": {"a": {"min": {"cpus": "unlimited"}}}},
            "groups.a.min.cpus is 'unlimited'",
            "a whole number",
        ),
        # Written out it has a thousand million digits.
        (
            {"groups": {"a": {"max": {"cpus": "1e999999999%"}}}},
            "groups.a.max.cpus is '1e999999999%'",
            "a percentage of the pool",
        ),
        (
            {"groups": {"a": {"max": {"my cpus": 1}}}},
            "a dimension called 'my cpus'",
            "such as cpus",
        ),
        ({"groups": {"": {}}}, "a group called ''", "a name"),
        ({"groups": {"a@b": {}}}, "a group called 'a@b'", "without '@'"),
        (
            {"trees": {"gpu": {"groups": {"a": {"max": 5}}}}},
            "trees.gpu.groups.a.max is 5",
            "for each dimension",
        ),
        ({"trees": {"gpu": {"total": {}}}}, "trees.gpu.total is unknown", "the keys are"),
    ],
)
def test_quotas_of_another_form_are_refused(content: dict[str, Any], said: str, hint: str) -> None:
    with pytest.raises(InputError) as caught:
        quotas_from(content, "q.toml")

    assert said in str(caught.value)
    assert hint in caught.value.hint


@pytest.mark.parametrize(
    ("content", "said", "hint"),
    [
        ("[]", "the whole is []", "a table"),
        ("{}", "total is missing", "the available amounts"),
        ('{"total": {}, "reqest": {}}', "d.json: reqest is unknown", "request"),
        ('{"total": {"cpus": 1.0}}', "total.cpus is 1.0", "a whole number"),
        ('{"total": {"cpus": true}}', "total.cpus is true", "a whole number"),
        ('{"total": {"cpus": NaN}}', "total.cpus is nan", "a whole number"),
        ('{"total": {"cpus": -1}}', "total.cpus is -1", "0 or more"),
        ('{"total": {}, "request": {"a": {"cpus": -1}}}', "request.a.cpus is -1", "0 or more"),
        ('{"total": {}, "used": {"a": 5}}', "used.a is 5", "for each dimension"),
        ('{"total": {}, "used": []}', "used is []", "a table"),
        ('{"trees": {"gpu": {}}}', "trees.gpu.total is missing", "the available amounts"),
        ('{"trees": {"gpu": {"totla": {}}}}', "trees.gpu.totla is unknown", "total"),
    ],
)
def test_demand_of_another_form_is_refused(content: str, said: str, hint: str) -> None:
    with pytest.raises(InputError) as caught:
        demand_from(json.loads(content), "d.json")

    assert said in str(caught.value)
    assert hint in caught.value.hint


def test_the_keys_are_those_of_the_manual() -> None:
    page = ROOT / "man/man1/htcq-elastic.1"
    parts = section(page, "QUOTAS").split("\n.SS ")
    own = "\n".join(part for part in parts if part.startswith(("The table [elastic]", "A group:")))
    quotas = {word for tag in tags(own) for word in words(tag)}
    demand = {word for tag in tags(section(page, "DEMAND")) for word in words(tag)}

    assert {*(option.name for option in fields(Options)), *ELASTIC_GROUP_KEYS} <= quotas
    assert quotas <= {*ELASTIC_KEYS, *ELASTIC_GROUP_KEYS}
    assert {option.name for option in fields(Options)} <= set(ELASTIC_KEYS)
    assert demand == set(DEMAND_FILE_KEYS)
    assert all(f"[{key}" in section(page, "QUOTAS") for key in QUOTA_FILE_KEYS)
