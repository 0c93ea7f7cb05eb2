"""Observations made up for tests, and what a history says of them."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from htcq.drift.ledger import LedgerEntry
from htcq.drift.observation import (
    DriftObservation,
    GroupObservation,
    QuotaSample,
    QuotaSetting,
    WeightUse,
)
from htcq.store.history import open_history

ROOT = Path(__file__).resolve().parents[2]
POOL = "cm.example.org"
#: A midnight of UTC, and the time between two looks, in seconds.
START, LOOK = 1_800_057_600, 300
#: Later than any observation in a test.
FOREVER = START + 10**9
STATIC = QuotaSetting(10, True, False, False)


def group(name: str = "physics", usage: float = 5.0, **more: Any) -> GroupObservation:
    return GroupObservation(
        name, **{"configured": STATIC, "effective": 10.0, "computed": 10.0, "usage": usage, **more}
    )


def observation(time: int, *groups: GroupObservation, **more: Any) -> DriftObservation:
    return DriftObservation(
        **{
            "pool": POOL,
            "negotiator": "NEGOTIATOR",
            "time": time,
            "pool_weight": 100.0,
            "groups": groups or (group(),),
            "weights": (WeightUse("Cpus", 12, 96.0),),
            "settings": {"GROUP_SORT_EXPR": "GroupQuota"},
            **more,
        }
    )


def crowd(time: int, groups: int = 20) -> DriftObservation:
    """Return an observation of many groups whose numbers tell its time; so do those of their ledger."""
    told = time % 100_000
    return observation(
        time,
        *(group(f"g{n}", usage=told + n / 1000) for n in range(groups)),
        ledger=tuple(LedgerEntry(f"g{n}", "gpus", used=told, lent=n) for n in range(groups)),
    )


def is_whole(samples: list[QuotaSample], groups: int = 20) -> bool:
    """Return whether ``samples`` are all of one :func:`crowd`."""
    expected = {
        (f"g{n}", sample.time % 100_000 + n / 1000) for sample in samples[:1] for n in range(groups)
    }
    return {(sample.group, sample.usage) for sample in samples} == expected and len(
        samples
    ) == groups


def ledger_is_whole(path: Path, times: Sequence[int], groups: int = 20) -> bool:
    """Return whether the ledger has what the crowds of ``times`` have, except that of the first, which had no span."""
    with open_history(path) as history:
        found = sorted(
            (each.until, each.sums.group, each.sums.used, each.sums.lent)
            for each in history.ledger(POOL, 0, FOREVER)
        )
    return found == sorted(
        (time, f"g{n}", LOOK * (time % 100_000), LOOK * n)
        for time in times[1:]
        for n in range(groups)
    )


def record(path: Path, *observations: DriftObservation) -> None:
    """Record each as a command of its own would."""
    for each in observations:
        with open_history(path, writable=True) as history:
            history.record(each)


def samples(path: Path, pool: str = POOL) -> list[QuotaSample]:
    with open_history(path) as history:
        return list(history.samples(pool, 0, FOREVER))


def times(path: Path, pool: str = POOL) -> list[int]:
    return sorted({sample.time for sample in samples(path, pool)})


def names(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


def execute(path: Path, *statements: str) -> None:
    """Change a database as another program would."""
    connection = sqlite3.connect(path, isolation_level=None)
    for statement in statements:
        connection.execute(statement).fetchall()
    connection.close()
