from __future__ import annotations

from collections.abc import Sequence

import pytest

from htcq.classads import UNDEFINED, Value
from htcq.elastic.concurrency_limits import limits_on, read_limits
from htcq.elastic.models import Models
from htcq.pool.slot_class import slot_classes
from tests.audit.sites import pool
from tests.elastic.quotas import group, node
from tests.elastic.test_projection import waiting

Held = dict[str, tuple[tuple[str, ...], bool]]
KNOBS = {"ga_LIMIT": "2", "GB_LIMIT": "3"}


def found(*jobs: str, name: str = "gpus", slots: Sequence[str] = (), b: int = 3) -> Held:
    """Return whose limits hold a dimension, and whether none is above the max of its group."""
    whole = pool(*(slots or (node(GPUs=4, TotalSlotGPUs=4),)), jobs=jobs)
    groups = (group("a", {}, {name: 2}), group("b", {}, {name: b}))
    kinds = slot_classes(whole.slots or ())
    models = Models([name], whole.slots or ())
    held = limits_on(whole, KNOBS, groups, [name], kinds, models)
    return {each: (limits.limits, limits.within_max) for each, limits in held.items()}


def asks(number: int, name: str, limit: str, gpus: int = 1) -> str:
    return waiting(number, name, 1, RequestGPUs=gpus, ConcurrencyLimits=f'"{limit}"')


def test_limits_that_all_jobs_of_each_group_take_as_much_of_hold_them() -> None:
    jobs = asks(1, "a", "GA:2,other", 2), asks(2, "b", "gb")

    assert found(*jobs) == {"gpus": (("ga", "gb"), True)}
    assert found(*jobs, b=2) == {"gpus": (("ga", "gb"), False)}


def by_card(number: int, name: str, **has: object) -> str:
    """Return a job that takes of a limit of its group on A100s only."""
    limits = (
        'ifThenElse(regexp("A100", TARGET.GPUs_DeviceName), strcat("g", AcctGroup, ":", '
        "RequestGPUs), undefined)"
    )
    own = {"AcctGroup": f'"{name}"', "ConcurrencyLimits": limits, **has}
    return waiting(number, name, 1, RequestGPUs=1, **own)


CARDS = [
    node(1, GPUs=2, TotalSlotGPUs=2, GPUs_DeviceName='"NVIDIA A100"'),
    node(2, GPUs=2, TotalSlotGPUs=2, GPUs_DeviceName='"Tesla V100"'),
]


def test_a_limit_that_looks_at_the_slot_holds_the_cards_of_one_model() -> None:
    """Jobs that take of no limit hold nobody, unless they ask for another model."""
    jobs = by_card(1, "a"), by_card(2, "b")

    assert found(*jobs, name="gpus:a100", slots=CARDS) == {"gpus:a100": (("ga", "gb"), True)}
    assert found(*jobs, name="gpus:v100", slots=CARDS) == {}
    assert found(*jobs, name="gpus", slots=CARDS) == {}

    free = waiting(3, "b", 1, RequestGPUs=1)
    assert found(*jobs, free, name="gpus:a100", slots=CARDS) == {}
    elsewhere = waiting(
        3, "b", 1, RequestGPUs=1, Requirements='regexp("V100", TARGET.GPUs_DeviceName)'
    )
    assert found(*jobs, elsewhere, name="gpus:a100", slots=CARDS) == {
        "gpus:a100": (("ga", "gb"), True)
    }


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
