"""Explaining every idle job of a large pool costs no more than a few simulated cycles of it, both measured in one run."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from tests.benchmarks.why_rate import FILLS, SIZE, Costs, measure, pool_at
from tests.invented.empty import Size

#: A tenth of the slots and jobs, where it is a test.
SMALL = Size(slots=500, autoclusters=60, jobs=2000, submitters=20)


#: How many cycles all walls may cost, where it is measured. A cycle rejects a request at once where no slot has
#: enough left: in a full pool it evaluates no Requirements, and the walls do.
MAX_RATIO = 2.0


@pytest.mark.parametrize("fill", FILLS)
def test_all_walls_cost_no_more_than_a_few_cycles(
    fill: str, benchmark: BenchmarkFixture, tmp_path: Path
) -> None:
    """5,000 slots and 20,000 jobs of 300 autoclusters where it is measured."""
    size = SIZE if benchmark.enabled else SMALL
    pool = pool_at(tmp_path, size)
    costs: Costs = benchmark.pedantic(measure, (FILLS[fill](pool),), rounds=1)

    assert 0 < costs.waiting <= size.jobs
    assert not benchmark.enabled or costs.ratio <= MAX_RATIO, costs
