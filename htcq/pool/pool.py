"""A pool at one moment, and what of it is missing or damaged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from htcq.pool.configuration import Configuration
from htcq.pool.frame import Frame
from htcq.pool.job import Job
from htcq.pool.past import Arrival, Past
from htcq.pool.record import ACCOUNTING, COLLECTOR, NEGOTIATOR, SCHEDD, SUBMITTER, Record
from htcq.pool.slot import Slot


@dataclass(frozen=True)
class Pool:
    """Everything that was captured; None stands for what was not.

    ``central`` is the central manager's configuration, of ``negotiator`` if that is known, and ``changed`` the same
    with the changes that it was read with. ``access`` and ``execute`` hold those of other machines by the name of their
    schedd or machine; ``priorities`` is what the negotiator itself told of its accountant; ``damage`` tells what of the
    files could not be read. ``past`` are the jobs of another file that was read with it; ``arriving`` are jobs that no
    capture knows: they come later.
    """

    source: str
    slots: tuple[Slot, ...] | None = None
    jobs: tuple[Job, ...] | None = None
    records: Mapping[str, tuple[Record, ...]] | None = None
    priorities: tuple[Record, ...] = ()
    central: Configuration | None = None
    changed: Configuration | None = None
    access: Mapping[str, Configuration] = field(default_factory=dict)
    execute: Mapping[str, Configuration] = field(default_factory=dict)
    failed: tuple[tuple[str, str], ...] = ()
    damage: tuple[str, ...] = ()
    taken_at: str = ""
    negotiator: str = ""
    slot_frames: tuple[Frame, ...] = ()
    job_frames: tuple[Frame, ...] = ()
    past: tuple[Past, ...] = ()
    arriving: tuple[Arrival, ...] = ()

    @property
    def incomplete(self) -> tuple[str, ...]:
        """What of the pool could not be read or did not answer, as sentences."""
        return (*self.damage, *(f"{what}: {why}" for what, why in self.failed))

    def _of(self, type_: str) -> tuple[Record, ...]:
        return (self.records or {}).get(type_, ())

    @property
    def submitters(self) -> tuple[Record, ...]:
        """The submitter ads."""
        return self._of(SUBMITTER)

    @property
    def accounting(self) -> tuple[Record, ...]:
        """What the negotiator publishes of its accountant: one record for each group and each submitter."""
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
    def collectors(self) -> tuple[Record, ...]:
        """The collector's own ad, and those of others that report to it."""
        return self._of(COLLECTOR)
