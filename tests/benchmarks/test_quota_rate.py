"""What the quotas of a very large pool cost: 10,000 groups, ten deep, each with demand and usage."""

from __future__ import annotations

import random

from pytest_benchmark.fixture import BenchmarkFixture

from htcq.quota.condor import Inputs, compute_quotas
from htcq.quota.group_tree import build_tree

GROUPS, DEPTH = 10_000, 10


def large_site(groups: int) -> Inputs:
    """Return a pool of ``groups`` groups, the same for every run: three below each, until ten deep."""
    dice = random.Random(1)
    names, open_names = [], [f"g{index}" for index in range(max(1, groups // 1000))]
    while len(names) < groups:
        name = open_names.pop(dice.randrange(len(open_names)))
        names.append(name)
        if name.count(".") < DEPTH - 1:
            open_names.extend(f"{name}.{child}" for child in "abc")
    knobs = {"GROUP_NAMES": " ".join(names), "GROUP_ACCEPT_SURPLUS": "true"}
    for name in names:
        static = dice.random() < 0.5
        kind, quota = ("", dice.randint(0, 100)) if static else ("DYNAMIC_", dice.random())
        knobs[f"GROUP_QUOTA_{kind}{name}"] = str(quota)
    requested = {name: float(dice.randint(0, 200)) for name in names}
    usage = {name: float(dice.randint(0, int(asked))) for name, asked in requested.items()}
    return Inputs(build_tree(knobs)[0], 500_000.0, requested, usage, frozenset(names))


def test_the_quotas_of_a_large_site(benchmark: BenchmarkFixture) -> None:
    """10,000 groups where it is measured, a tenth of them as a test."""
    groups = GROUPS if benchmark.enabled else GROUPS // 10
    quotas = benchmark.pedantic(compute_quotas, (large_site(groups),), rounds=1)

    assert len(quotas.groups) == groups + 1
    assert 1 <= len(quotas.rounds) <= 3
