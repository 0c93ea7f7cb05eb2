"""Whose quota a submitter's jobs count for."""

from __future__ import annotations

import pytest

from htcq.quota.elastic.declaration import DEFAULT, ElasticDemand, ElasticGroup
from htcq.quota.elastic.membership import Members, assign

GROUPS = (
    ElasticGroup("physics"),
    ElasticGroup("physics.hep", "physics"),
    ElasticGroup("bio", users=("ada", "bob")),
)


@pytest.mark.parametrize(
    ("submitter", "group", "unknown"),
    [
        ("physics.hep.carl@site", "physics.hep", False),
        ("PHYSICS.carl@site", "physics", False),
        ("ada@site", "bio", False),
        ("Ada@site", DEFAULT, False),
        ("carl@site", DEFAULT, False),
        ("physics.ada@site", "physics", False),
        ("chem.ada@site", DEFAULT, True),
        ("physics.lep.carl@site", "physics", True),
        ("Physics.hep.new.carl@site", "physics.hep", True),
    ],
)
def test_a_submitter_belongs_to_the_group_it_names_or_else_that_has_it(
    submitter: str, group: str, unknown: bool
) -> None:
    found = Members(GROUPS).membership(submitter)

    assert (found.group, found.unknown) == (group, unknown)


def test_demand_of_submitters_and_groups_adds_up() -> None:
    request = {
        "physics.hep.ada@x": {"cpus": 2},
        "physics.hep.bob@x": {"cpus": 3, "gpus": 1},
        "Physics.HEP": {"cpus": 10},
    }
    assigned = assign(GROUPS, ElasticDemand({"cpus": 99}, request))

    assert assigned.demand.request == {"physics.hep": {"cpus": 15, "gpus": 1}}


def test_jobs_of_no_group_are_the_default_groups() -> None:
    request, used = {"carl@x": {"cpus": 9}}, {"carl@x": {"cpus": 4}, "chem.eve@x": {"cpus": 2}}
    assigned = assign(GROUPS, ElasticDemand({"cpus": 99}, request, used, default_used={"cpus": 1}))

    assert assigned.demand.default_used == {"cpus": 7}
    assert (assigned.demand.request, assigned.default_request) == ({}, {"cpus": 9})
    assert (assigned.unknown, assigned.lost) == ((), ("chem.eve@x",))


def test_groups_of_the_demand_that_are_not_there_are_named() -> None:
    assigned = assign(
        GROUPS,
        ElasticDemand({}, {"chem": {"cpus": 1}}, {"bio": {"cpus": 1}}, {"gone": {"cpus": 1}}),
    )

    assert assigned.unknown == ("chem", "gone")
    assert assigned.demand.used == {"bio": {"cpus": 1}}


def test_fault_8_everybody_else_belongs_to_the_group_that_catches_all() -> None:
    members = Members(
        (ElasticGroup("physics", users=("ada",)), ElasticGroup("guests", users=("*",)))
    )
    found = {
        who: members.membership(who)
        for who in ("ada@x", "bob@x", "physics.bob@x", "PHYSICS.bob@x", "gone.bob@x")
    }

    assert [each.group for each in found.values()] == [
        "physics",
        "guests",
        "physics",
        "physics",
        "guests",
    ]
    assert [who for who, each in found.items() if each.unknown] == ["gone.bob@x"]
