"""Walls are counted with columns over all slots: they are those of the ClassAd library, slot by slot."""

from __future__ import annotations

from pathlib import Path
from unittest import mock

import pytest

from htcq import columns
from htcq.pool.pool import Pool
from htcq.why.choice import all_idle
from htcq.why.verdict import Verdict, Verdicts
from tests.benchmarks.why_rate import FILLS, pool_at
from tests.invented.empty import Size
from tests.pool.negotiations import CYCLES, FAMILIES, whole_pool

SIZE = Size(slots=60, autoclusters=30, jobs=1500, submitters=6)


def found(pool: Pool) -> tuple[Verdict, ...]:
    return Verdicts(pool).on(all_idle(pool.jobs or ()))


def by_library(pool: Pool) -> tuple[Verdict, ...]:
    with mock.patch.object(columns, "available", return_value=False):
        return found(pool)


@pytest.mark.parametrize("fill", FILLS)
def test_walls_are_those_of_asking_every_slot_by_itself(fill: str, tmp_path: Path) -> None:
    pool = FILLS[fill](pool_at(tmp_path, SIZE))
    together = found(pool)

    assert any(each.walls for each in together)
    assert together == by_library(pool)


@pytest.mark.parametrize("path", [*CYCLES, *FAMILIES], ids=lambda path: path.name)
def test_walls_of_a_recorded_cycle_are_the_same_without_numpy(path: Path) -> None:
    pool = whole_pool(path)

    assert found(pool) == by_library(pool)
