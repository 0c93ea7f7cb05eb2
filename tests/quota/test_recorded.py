"""The same quotas, allocations, order and limits as a real negotiator, in 60 cycles that it logged and published."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from htcq.quota.condor import compute_quotas
from htcq.quota.cycle_quotas import CycleQuotas, Round
from tests.quota.recorded import FILES, inputs_of, logged, read

recorded = pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)


def published(amount: float) -> float:
    """Return ``amount`` as ads have it: fifteen significant digits are sure to survive."""
    return float(f"{amount:.15g}")


def cycle(path: Path) -> tuple[dict[str, Any], CycleQuotas]:
    case = read(path)
    return case["expected"], compute_quotas(inputs_of(case))


def test_there_are_sixty_recorded_cycles() -> None:
    assert len(FILES) == 60


@recorded
def test_every_recorded_cycle_states_its_name_origin_and_reason(path: Path) -> None:
    case = read(path)

    assert [key for key in ("name", "origin", "why") if len(case[key]) < 5] == []
    assert case["expected"]["rounds"]


@recorded
def test_quotas_are_those_of_the_negotiator(path: Path) -> None:
    expected, quotas = cycle(path)

    assert expected["pool_weight"] == logged(quotas.pool_weight)
    assert expected["quota"] == {
        group.name: logged(group.quota) for group in quotas.groups if group.subtree_quota > 0
    }


@recorded
def test_allocations_are_those_of_the_negotiator_in_every_round(path: Path) -> None:
    expected, quotas = cycle(path)

    assert len(expected["rounds"]) == len(quotas.rounds)
    for wanted, got in zip(expected["rounds"], quotas.rounds):
        assert (wanted["surplus"], wanted["max_delta"]) == (
            logged(got.surplus),
            logged(got.max_delta),
        )
        assert wanted["groups"] == allocations(got)


def allocations(one: Round) -> dict[str, dict[str, float | str]]:
    return {
        group.name: {
            "quota": logged(group.quota),
            "requested": logged(group.requested),
            "allocated": logged(group.allocated),
            "unallocated": logged(group.unallocated),
        }
        for group in one.groups
    }


@recorded
def test_turns_and_limits_are_those_of_the_negotiator_in_every_round(path: Path) -> None:
    """All trees have fewer than 17 groups, so that even the order of equals is a fact."""
    expected, quotas = cycle(path)

    for wanted, got in zip(expected["rounds"], quotas.rounds):
        assert wanted["order"] == list(got.order)
        assert list(wanted["limits"].items()) == [
            (limit.group, logged(limit.limit)) for limit in got.limits
        ]


@recorded
def test_published_attributes_are_those_of_the_collector(path: Path) -> None:
    expected, quotas = cycle(path)
    last = {group.name: group for group in quotas.rounds[-1].groups}

    for group in quotas.groups:
        ad = expected["published"][group.name]
        accepting = "byquota" if group.group.accept_surplus else "no"
        assert ad.pop("SurplusPolicy") == ("regroup" if group.group.autoregroup else accepting)
        assert {name: published(amount) for name, amount in ad.items()} == {
            "ConfigQuota": published(group.group.config_quota),
            "EffectiveQuota": published(last[group.name].quota),
            "SubtreeQuota": published(group.subtree_quota),
            "Requested": published(group.requested),
            "GroupSortKey": published(last[group.name].sort_key),
            "WeightedResourcesUsed": published(group.usage),
        }
