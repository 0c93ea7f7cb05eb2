"""A look at the pool without a root cause costs a part of the audit, both measured in one run."""

from __future__ import annotations

from pathlib import Path

from pytest_benchmark.fixture import BenchmarkFixture

from tests.benchmarks.causes_rate import Costs, broken_pool, measure, size_of_pool

#: How many audits one root cause may cost; it was 0.8 when each looked at everything anew.
MAX_RATIO = 0.5
_SLOTS, _SMALL = 5000, 500


def test_a_root_cause_costs_a_part_of_an_audit(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    """5,000 slots where it is measured."""
    pool = broken_pool(tmp_path, size_of_pool(_SLOTS if benchmark.enabled else _SMALL))
    costs: Costs = benchmark.pedantic(measure, (pool,), rounds=1)

    assert costs.roots >= 5
    assert costs.ratio / costs.roots <= MAX_RATIO, costs
