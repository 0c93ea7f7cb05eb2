"""``htcq quota --json`` on the ads and configurations of 60 cycles that a real negotiator logged and published."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.audit.sites import collected
from tests.cli.conftest import Call
from tests.quota.recorded import FILES, ads_of, logged, read

GROUP = {
    "name", "parent", "config_quota", "static", "accept_surplus", "autoregroup", "quota", "subtree_quota", "requested",
    "usage",
}  # fmt: skip


#: What the negotiator publishes of a group, and the name that it has here.
PUBLISHED = {
    "ConfigQuota": "config_quota", "SubtreeQuota": "subtree_quota", "Requested": "requested",
    "WeightedResourcesUsed": "usage",
}  # fmt: skip


def fifteen_digits(amount: float) -> str:
    """Return ``amount`` as ads have it: more digits need not survive."""
    return f"{amount:.15g}"


def number(value: float | str) -> float | str:
    return value if isinstance(value, str) else logged(value)


def by_name(groups: list[dict[str, Any]], *names: str) -> Mapping[str, Mapping[str, float | str]]:
    return {group["name"]: {name: number(group[name]) for name in names} for group in groups}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_number_of_a_recorded_cycle_is_printed(
    path: Path, tmp_path: Path, call: Call
) -> None:
    case = read(path)
    (tmp_path / "collector.ads").write_text(collected(ads_of(case)))
    (tmp_path / "config.txt").write_text("\n".join(case["config"]) + "\n")
    done = call("quota", "--snapshot", str(tmp_path), "--json")
    assert done.status == 0, done.err
    printed, expected = json.loads(done.out), case["expected"]

    assert expected["pool_weight"] == number(printed["pool_weight"])
    assert all(set(group) == GROUP for group in printed["groups"])
    assert expected["quota"] == {
        group["name"]: number(group["quota"])
        for group in printed["groups"]
        if group["subtree_quota"] > 0
    }
    policies = {
        group["name"]: "regroup"
        if group["autoregroup"]
        else "byquota"
        if group["accept_surplus"]
        else "no"
        for group in printed["groups"]
    }
    assert {
        name: group["SurplusPolicy"] for name, group in expected["published"].items()
    } == policies
    for group in printed["groups"]:
        published = expected["published"][group["name"]]
        for attribute, name in PUBLISHED.items():
            assert fifteen_digits(published[attribute]) == fifteen_digits(group[name]), (
                group["name"],
                attribute,
            )
    assert len(expected["rounds"]) == len(printed["rounds"])
    for wanted, got in zip(expected["rounds"], printed["rounds"]):
        assert (wanted["surplus"], wanted["max_delta"]) == (
            number(got["surplus"]),
            number(got["max_delta"]),
        )
        assert wanted["groups"] == by_name(
            got["groups"], "quota", "requested", "allocated", "unallocated"
        )
        assert wanted["order"] == got["order"]
        assert wanted["limits"] == {each["group"]: number(each["limit"]) for each in got["limits"]}
    last = {group["name"]: number(group["sort_key"]) for group in printed["rounds"][-1]["groups"]}
    assert {
        name: logged(group["GroupSortKey"]) for name, group in expected["published"].items()
    } == last
