"""What the elastic quotas of a very large pool cost: 10,000 groups, ten deep and side by side, in six dimensions."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from htcq.quota.elastic.runtime import compute
from tests.benchmarks.elastic_scale import DIMENSIONS, Tree, deep, wide

GROUPS = 10_000


@pytest.mark.parametrize("make", [deep, wide])
def test_the_elastic_quotas_of_a_large_site(
    benchmark: BenchmarkFixture, make: Callable[[int], Tree]
) -> None:
    """10,000 groups where it is measured, a tenth of them as a test."""
    groups = GROUPS if benchmark.enabled else GROUPS // 10
    tree = make(groups)
    outcome = benchmark.pedantic(compute, tuple(tree), rounds=1)

    assert len(outcome.groups) >= groups
    assert all(set(group.runtime) == set(DIMENSIONS) for group in outcome.groups)
    assert max(len(sharing.passes) for sharing in outcome.sharings.values()) <= 10
