from __future__ import annotations

import pytest

from htcq.classads import UNDEFINED, Value
from htcq.elastic.concurrency_limits import limits_on, read_limits
from htcq.elastic.group_membership import GroupMembership
from tests.audit.sites import pool
from tests.elastic.quotas import group, node
from tests.elastic.test_projection import waiting

GROUPS = (group("a", {}, {"gpus": 1}), group("b", {}, {"gpus": 1}))
KNOBS = {"ga_LIMIT": "2", "GB_LIMIT": "3"}


def found(*jobs: str) -> dict[str, tuple[str, ...]]:
    return limits_on(pool(node(), jobs=jobs), KNOBS, GroupMembership(GROUPS), ["gpus"])


def asks(number: int, name: str, limit: str, gpus: int = 1) -> str:
    return waiting(number, name, 1, RequestGPUs=gpus, ConcurrencyLimits=f'"{limit}"')


def test_limits_that_all_jobs_of_each_group_take_as_much_of_hold_them() -> None:
    assert found(asks(1, "a", "GA:2,other", 2), asks(2, "b", "gb")) == {"gpus": ("ga", "gb")}


@pytest.mark.parametrize(
    "jobs",
    [
        (asks(1, "a", "ga"), waiting(2, "b", 1, RequestGPUs=1)),
        (asks(1, "a", "ga", 2), asks(2, "b", "gb")),
        (asks(1, "a", "ga"), asks(2, "b", "ga")),
        (asks(1, "a", "unset"), asks(2, "b", "gb")),
        (asks(1, "a", "ga"), asks(3, "a", "other"), asks(2, "b", "gb")),
        (),
    ],
    ids=[
        "one group has none",
        "too little",
        "shared",
        "not configured",
        "not of all jobs",
        "no jobs",
    ],
)
def test_anything_less_holds_nobody(jobs: tuple[str, ...]) -> None:
    assert found(*jobs) == {}


@pytest.mark.parametrize(
    ("value", "limits"),
    [
        ("a, b:2,c:0.5", {"a": 1.0, "b": 2.0, "c": 0.5}),
        ("A.b:3", {"a.b": 3.0}),
        ("a:x", {"a": 1.0}),
        ("", {}),
        (UNDEFINED, {}),
    ],
)
def test_limits_are_read_with_their_amounts(value: Value, limits: dict[str, float]) -> None:
    assert read_limits(value) == limits
