"""The jobs of a snapshot as a mix: what they ask for, and how many of each there are."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from htcq.capacity.shape import Shape
from htcq.errors import InputError
from htcq.limits import Limits
from htcq.operations.pool_nodes import Requested, seen_jobs
from htcq.operations.pool_source import Source


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


def read_job_mix(path: str, assets: Collection[str], limits: Limits) -> JobMix:
    """Return the idle and running jobs of the snapshot at ``path``, on nodes that have ``assets``.

    A request for anything else than an asset of the nodes and HTCondor's own is not counted.

    Raises:
        HtcqError: there is no snapshot, or it holds no idle or running job that can be used.
    """
    seen = seen_jobs(Source(snapshot=path, limits=limits), assets)
    if not seen.requests:
        raise InputError(
            f"--jobs {path}: no idle or running job that can be used",
            "a mix needs jobs.ads with some",
        )
    return JobMix(tuple(map(_shape, seen.requests)), seen.left_out)


def _shape(asked: Requested) -> Shape:
    amounts = {
        asset: int(amount) if amount.is_integer() else amount
        for asset, amount in asked.amounts.items()
    }
    return Shape(amounts, asked.count)
