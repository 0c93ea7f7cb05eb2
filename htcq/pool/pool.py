"""A pool at one moment, and what of it is missing or damaged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from htcq.pool.configuration import Configuration
from htcq.pool.job import Job
from htcq.pool.left_out import LeftOut
from htcq.pool.past import Arrival, Past
from htcq.pool.record import ACCOUNTING, COLLECTOR, NEGOTIATOR, SCHEDD, SUBMITTER, Record
from htcq.pool.shared_attributes import SharedAttributes
from htcq.pool.slot import Slot


@dataclass(frozen=True)
class AccountantLog:
    """The negotiator's log of its accountant: its size, and the one at which it is compacted."""

    bytes: int
    limit: int


def log_from(told: object) -> AccountantLog | None:
    """Return what meta.json tells of the accountant's log; None where it does not."""
    sizes = [told.get(name) for name in ("bytes", "limit")] if isinstance(told, Mapping) else []
    whole = [size for size in sizes if isinstance(size, int) and 0 <= size < 2**63]
    return AccountantLog(*whole) if len(whole) == 2 else None


@dataclass(frozen=True)
class Pool:
    """Everything that was captured; None stands for what was not.

    ``central`` is the central manager's configuration, of ``negotiator`` if that is known, and
    ``changed`` the same with the changes that it was read with. ``access`` and ``execute`` hold
    those of other machines by the name of their schedd or machine; ``priorities`` is what the
    negotiator itself told of its accountant; ``users`` is what schedds know of their users;
    ``damage`` tells what of the files could not be read, ``left_out`` which single ads could not
    be used. ``anonymous`` tells that the capture has only what a match needs. ``accountant_log``
    is known where the capture was made on the negotiator's machine. ``past`` are the jobs of
    another file that was read with it; ``arriving`` are jobs that no capture knows: they come
    later.
    """

    source: str
    slots: tuple[Slot, ...] | None = None
    jobs: tuple[Job, ...] | None = None
    records: Mapping[str, tuple[Record, ...]] | None = None
    priorities: tuple[Record, ...] = ()
    users: tuple[Record, ...] | None = None
    central: Configuration | None = None
    changed: Configuration | None = None
    access: Mapping[str, Configuration] = field(default_factory=dict)
    execute: Mapping[str, Configuration] = field(default_factory=dict)
    failed: tuple[tuple[str, str], ...] = ()
    damage: tuple[str, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    taken_at: str = ""
    anonymous: bool = False
    negotiator: str = ""
    slot_frames: tuple[SharedAttributes, ...] = ()
    job_frames: tuple[SharedAttributes, ...] = ()
    past: tuple[Past, ...] = ()
    arriving: tuple[Arrival, ...] = ()
    accountant_log: AccountantLog | None = None

    @property
    def incomplete(self) -> tuple[str, ...]:
        """What of the pool could not be read or did not answer, as sentences."""
        left_out = (each.sentence for each in self.left_out)
        return (*self.damage, *left_out, *(f"{what}: {why}" for what, why in self.failed))

    def _of(self, type_: str) -> tuple[Record, ...]:
        return (self.records or {}).get(type_, ())

    @property
    def submitters(self) -> tuple[Record, ...]:
        """The submitter ads."""
        return self._of(SUBMITTER)

    @property
    def accounting(self) -> tuple[Record, ...]:
        """The negotiator's accounting ads: one record for each group and each submitter."""
        return self._of(ACCOUNTING)

    @property
    def schedds(self) -> tuple[Record, ...]:
        """The schedd ads."""
        return self._of(SCHEDD)

    @property
    def negotiators(self) -> tuple[Record, ...]:
        """The negotiator ads."""
        return self._of(NEGOTIATOR)

    @property
    def name(self) -> str:
        """The name of the pool: its collector's machine, else the name that it was asked by."""
        machines = {record.text("Machine") for record in self.collectors if record.text("Machine")}
        return machines.pop() if len(machines) == 1 else self.source

    @property
    def collectors(self) -> tuple[Record, ...]:
        """The collector's own ad, and those of others that report to it."""
        return self._of(COLLECTOR)
