"""Slots are asked together where a request cannot tell them apart: the walls are those of asking one by one."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from htcq.pool.pool import Pool
from htcq.why import slots
from htcq.why.alike import Alike
from htcq.why.choice import all_idle
from htcq.why.crowd import Crowd
from htcq.why.verdict import Verdict, Verdicts
from tests.benchmarks.why_rate import FILLS, pool_at
from tests.invented.empty import Size

SIZE = Size(slots=60, autoclusters=30, jobs=1500, submitters=6)


def one_by_one(members: Iterable[Alike]) -> list[Crowd]:
    return [Crowd([each]) for each in members]


def found(pool: Pool) -> tuple[Verdict, ...]:
    return Verdicts(pool).on(all_idle(pool.jobs or ()))


@pytest.mark.parametrize("fill", FILLS)
def test_walls_are_those_of_asking_every_slot_by_itself(
    fill: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pool = FILLS[fill](pool_at(tmp_path, SIZE))
    together = found(pool)
    monkeypatch.setattr(slots, "crowds", one_by_one)

    assert any(each.walls for each in together)
    assert together == found(pool)
