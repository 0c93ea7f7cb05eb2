"""The requested data of a pool, and the contents of a snapshot of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
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
class SlotParts:
    """The queries in which the slots of a large pool were captured: they are not one moment.

    All slots of a machine are in one of the ``parts``. The collector had ``before`` slots
    ``seconds`` before it had ``after``.
    """

    parts: int
    seconds: float
    before: int
    after: int

    @property
    def sentence(self) -> str:
        """What it means for who reads the capture."""
        return (
            f"slots in {self.parts} parts of some machines each, within {self.seconds:g} s: what "
            "moved meanwhile may be there twice or not at all; the collector had "
            f"{self.before} slots before and {self.after} after"
        )


@dataclass(frozen=True)
class Captured:
    """The contents of a snapshot, and what it lacks.

    ``failed`` has each failed query and the reason; ``left_out`` are single ads that could not be
    read.
    ``without_users`` are the schedds that gave no user records, and why: most ask for
    authentication, which READ authorisation by address does not need. ``negotiators`` and
    ``schedds`` are the locations of those in the collector (htcq.live.ads.LOCATION).
    ``slot_parts`` is None where the slots were captured by one query.
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
    slot_parts: SlotParts | None = None

    def meta(self) -> dict[str, Any]:
        """Return the content of meta.json."""
        log = {}
        if self.accountant_log is not None:
            size, limit = self.accountant_log
            log = {"accountant_log": {"bytes": size, "limit": limit}}
        parts = {} if self.slot_parts is None else {"slot_parts": asdict(self.slot_parts)}
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
            **parts,
        }
