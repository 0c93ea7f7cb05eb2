"""Cycles recorded from a real negotiator, and the little that must be read of them before the groups' turn.

What slots weigh, what is used and what is asked for follows matchmaker.cpp
(count_effective_slots), Accountant.cpp (GetSlotWeight) and GroupEntry.cpp
(hgq_prepare_for_matchmaking). Every recorded slot has the weight Cpus."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from htcq.quota.condor import Inputs
from htcq.quota.group_tree import GroupTree, assigned_group, build_tree
from htcq.quota.settings import read_settings
from tests.audit.sites import dynamic_slot, slot, submitter

DIRECTORY = Path(__file__).resolve().parents[1] / "golden" / "group-quotas"
FILES = sorted(DIRECTORY.iterdir())


def read(path: Path) -> dict[str, Any]:
    """Return one recorded cycle."""
    case: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return case


def knobs_of(case: Mapping[str, Any]) -> dict[str, str]:
    """Return the configuration of a cycle."""
    return {
        name.strip(): text.strip()
        for name, _, text in (line.partition("=") for line in case["config"])
    }


def inputs_of(case: Mapping[str, Any]) -> Inputs:
    """Return what the negotiator knew when it came to the groups."""
    knobs = knobs_of(case)
    tree, _ = build_tree(knobs)
    settings, _ = read_settings(knobs)
    requested, with_submitters = _demand(
        case, tree, knobs.get("NEGOTIATOR_USE_WEIGHTED_DEMAND", "True") == "True"
    )
    pool_weight, usage = _slots(case, tree, settings.use_slot_weights)
    return Inputs(tree, pool_weight, requested, usage, with_submitters, settings)


def _slots(
    case: Mapping[str, Any], tree: GroupTree, weighted: bool
) -> tuple[float, dict[str, float]]:
    pool_weight = float(sum(each["cpus"] * each["count"] for each in case["partitionable_slots"]))
    usage: dict[str, float] = defaultdict(float)
    for claim in case["claimed_slots"]:
        weight = claim["count"] * (claim["cpus"] if weighted else 1)
        usage[assigned_group(tree, claim["submitter"]).group] += weight
        pool_weight += weight
    return pool_weight, usage


def _demand(
    case: Mapping[str, Any], tree: GroupTree, weighted: bool
) -> tuple[dict[str, float], set[str]]:
    requested: dict[str, float] = defaultdict(float)
    for each in case["submitters"]:
        if each["idle"] + each["running"] > 0:
            prefix = "weighted_" if weighted else ""
            group = assigned_group(tree, each["name"]).group
            requested[group] += each[f"{prefix}running"] + each[f"{prefix}idle"]
    return requested, set(requested)


def ads_of(case: Mapping[str, Any]) -> Iterator[str]:
    """Yield the ads that the negotiator had in a recorded cycle."""
    number = 0
    for each in case["partitionable_slots"]:
        for _ in range(each["count"]):
            number += 1
            yield slot(f"slot1@p{number}", Cpus=each["cpus"])
    for each in case["claimed_slots"]:
        for _ in range(each["count"]):
            number += 1
            yield dynamic_slot(f"slot1_1@c{number}", each["submitter"], Cpus=each["cpus"])
    for place, each in enumerate(case["submitters"]):
        yield submitter(
            each["name"],
            ScheddName=f'"access{place}"',
            IdleJobs=each["idle"],
            RunningJobs=each["running"],
            WeightedIdleJobs=each["weighted_idle"],
            WeightedRunningJobs=each["weighted_running"],
        )


def logged(amount: float) -> float | str:
    """Return ``amount`` as the negotiator's log has it: six significant digits."""
    return "nan" if amount != amount else float(f"{amount:.6g}")
