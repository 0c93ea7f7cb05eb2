"""The jobs of a snapshot as a mix: what they ask for, and how many of each there are."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from htcq.capacity.shape import Shape
from htcq.errors import InputError
from htcq.operations.pool_source import pool_of
from htcq.pool.autocluster import Autocluster, autoclusters_of
from htcq.store.snapshot import open_snapshot
from htcq.units import BUILT_IN_ASSETS


@dataclass(frozen=True)
class JobMix:
    """The shapes of all jobs, the most frequent first.

    ``left_out`` is the number of jobs with a request that is no number.
    """

    shapes: tuple[Shape, ...]
    left_out: int

    @property
    def jobs(self) -> int:
        """How many jobs the shapes stand for."""
        return sum(shape.count for shape in self.shapes)


def read_job_mix(path: str, assets: Collection[str]) -> JobMix:
    """Return the idle and running jobs of the snapshot at ``path``, on nodes that have ``assets``.

    A request for anything else than an asset of the nodes and HTCondor's own is not counted.

    Raises:
        InputError: there is no snapshot, or it holds no idle or running job that can be used.
    """
    pool = pool_of(open_snapshot(Path(path)), path)
    if pool.jobs is None:
        raise InputError(f"--jobs {path}: it has no jobs", "jobs.ads of a snapshot holds them")
    counts: dict[tuple[tuple[str, int | float], ...], int] = {}
    left_out = 0
    for each in autoclusters_of(pool.jobs):
        number = sum(each.idle.values()) + sum(each.running.values())
        asked = _asked(each, assets)
        if asked is None:
            left_out += number
        else:
            key = tuple(sorted(asked.items()))
            counts[key] = counts.get(key, 0) + number
    if not counts:
        raise InputError(
            f"--jobs {path}: no idle or running job that can be used",
            "a mix needs jobs.ads with some",
        )
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return JobMix(tuple(Shape(dict(amounts), number) for amounts, number in ranked), left_out)


def _asked(jobs: Autocluster, assets: Collection[str]) -> dict[str, int | float] | None:
    """Return what jobs ask for; None where one of the requests is no number."""
    asked: dict[str, int | float] = {}
    for asset, amount in jobs.request.items():
        # What a job does not ask for is asked for by the schedd's defaults.
        if asset not in (*BUILT_IN_ASSETS, *assets) or f"request{asset}" not in jobs.frame.texts:
            continue
        if amount is None or amount < 0:
            return None
        asked[asset] = amount
    return asked
