"""The requested data of a pool, and the contents of a snapshot of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from htcq import __version__
from htcq.limits import USUAL, Limits
from htcq.pool.files import SCHEMA
from htcq.pool.left_out import LeftOut, left_out_json


@dataclass(frozen=True)
class Wanted:
    """The requested data of a pool.

    ``queues``: the jobs, all of the slots, and the configurations of other machines than the
    central manager, beside what quotas need; without them schedds are only asked whether they
    answer. The configurations not where ``machines`` is False; the jobs, answers and
    configurations of access points not where ``schedds`` is False. ``negotiator`` names the one
    whose configuration and priorities count; empty: the one on the collector's machine.
    ``attributes`` are asked of slots besides, ``job_attributes`` of jobs. ``limits`` are those of
    the answers.
    """

    queues: bool = True
    negotiator: str = ""
    attributes: frozenset[str] = frozenset()
    machines: bool = True
    schedds: bool = True
    limits: Limits = USUAL
    job_attributes: frozenset[str] = frozenset()


EVERYTHING = Wanted()


@dataclass(frozen=True)
class Captured:
    """The contents of a snapshot, and what it lacks.

    ``failed`` has each failed query and the reason; ``left_out`` are single ads that could not be
    read.
    ``without_users`` are the schedds that gave no user records, and why: most ask for
    authentication, which READ authorisation by address does not need. ``negotiators`` and
    ``schedds`` are the locations of those in the collector (htcq.live.ads.LOCATION).
    """

    pool: str
    taken: str
    counts: dict[str, int]
    failed: tuple[tuple[str, str], ...] = ()
    negotiator: str = ""
    left_out: tuple[LeftOut, ...] = ()
    accountant_log: tuple[int, int] | None = None
    without_users: tuple[tuple[str, str], ...] = ()
    negotiators: tuple[Mapping[str, str], ...] = ()
    schedds: tuple[Mapping[str, str], ...] = ()

    def meta(self) -> dict[str, Any]:
        """Return the content of meta.json."""
        log = {}
        if self.accountant_log is not None:
            size, limit = self.accountant_log
            log = {"accountant_log": {"bytes": size, "limit": limit}}
        return {
            "schema": SCHEMA,
            "taken": self.taken,
            "pool": self.pool,
            "htcq": __version__,
            "anonymized": False,
            "negotiator": self.negotiator,
            "failed": [{"what": what, "why": why} for what, why in self.failed],
            "left_out": left_out_json(self.left_out),
            "counts": self.counts,
            **log,
        }
