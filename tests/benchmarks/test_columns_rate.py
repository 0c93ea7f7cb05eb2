"""The columnar engine beside the ClassAd library, in one run."""

from __future__ import annotations

from pytest_benchmark.fixture import BenchmarkFixture

from tests.benchmarks.columns_rate import Rates, measure

_SLOTS, _SMALL = 20_000, 2000
#: How many times as fast a condition is at the least, where no two slots are alike.
MIN_RATIO = 100


def test_a_condition_over_many_slots_is_an_operation_on_arrays(benchmark: BenchmarkFixture) -> None:
    """20,000 slots where it is measured."""
    count = _SLOTS if benchmark.enabled else _SMALL
    rates: Rates = benchmark.pedantic(measure, (count,), rounds=1)

    assert not benchmark.enabled or rates.ratio >= MIN_RATIO, rates
