"""The benchmarks as tests: each body runs once, and ``--benchmark-enable`` measures it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from tests.benchmarks.emit_ratio import NODE, compare
from tests.benchmarks.model_rate import MODELS, SHAPES, SLOTS, evaluate, slots_of_a_pool


@pytest.mark.parametrize("name", MODELS)
def test_a_model_over_a_whole_pool(name: str, benchmark: BenchmarkFixture) -> None:
    """100,000 slots and 10 job shapes where it is measured, a hundredth of them as a test."""
    slots = slots_of_a_pool(SLOTS if benchmark.enabled else SLOTS // 100)
    matches = benchmark.pedantic(evaluate, (MODELS[name], slots), rounds=1)

    assert 0 < matches < len(slots) * len(SHAPES)


def test_a_whole_emit(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    (tmp_path / "node.json").write_text(json.dumps(NODE))
    emitted, imported = benchmark.pedantic(
        compare, (["--node", str(tmp_path / "node.json")], 1), rounds=1
    )

    assert emitted > 0
    assert imported > 0
