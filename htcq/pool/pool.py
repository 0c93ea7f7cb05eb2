"""A pool at one moment, with notes on missing and damaged parts."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property

from htcq.classads import UNDEFINED, Value, as_number
from htcq.htcondor.releases import Version
from htcq.pool.configuration import Configuration
from htcq.pool.daemons import SCHEDD as SCHEDD_DAEMON
from htcq.pool.daemons import STARTD as STARTD_DAEMON
from htcq.pool.job import RUNNING, SUSPENDED, TRANSFERRING, UNMATCHED_UNIVERSES, Job
from htcq.pool.left_out import LeftOut
from htcq.pool.past import Arrival, Past, PlannedDrain
from htcq.pool.record import (
    ACCOUNTING,
    COLLECTOR,
    DEFRAG,
    NEGOTIATOR,
    SCHEDD,
    SUBMITTER,
    Record,
)
from htcq.pool.shared_attributes import SharedAttributes
from htcq.pool.slot import Number, Slot
from htcq.pool.versions import version


@dataclass(frozen=True)
class AccountantLog:
    """The negotiator's log of its accountant: its size, and the one at which it is compacted."""

    bytes: int
    limit: int


def log_from(entry: object) -> AccountantLog | None:
    """Return the accountant's log as meta.json describes it; None where it does not."""
    if not isinstance(entry, Mapping):
        return None
    sizes = []
    for name in ("bytes", "limit"):
        size = entry.get(name)
        if not isinstance(size, int) or not 0 <= size < 2**63:
            return None
        sizes.append(size)
    return AccountantLog(*sizes)


def of_startd(configurations: Mapping[str, Configuration], slot: Slot) -> Configuration | None:
    """Return the configuration of the startd of ``slot``; None where none of them is.

    They are by machine, or by the name of the startd where a machine has several.
    """
    if not configurations:
        return None
    startd = slot.startd
    found = configurations.get(startd) or configurations.get(str(slot.machine))
    return None if found is None else found.of(STARTD_DAEMON, startd)


@dataclass(frozen=True)
class Pool:
    """Everything that was captured; None stands for parts that were not.

    ``central`` is the central manager's configuration as its negotiator sees it, the one called
    ``negotiator`` if that is known, and ``changed`` the same with the changes that it was read
    with. ``access`` are those of schedds by name, as they see them; ``execute`` those of startds,
    by machine, or by startd where a machine has several. ``priorities`` is the
    negotiator's answer about its accountant; ``users`` are the records that schedds have of their
    users. ``damage`` has sentences about unreadable parts of the files, ``unread`` the
    configurations among them by file, each with the reason; ``left_out`` are the ads that could
    not be used. ``anonymous`` is set if the capture has only what a match needs.
    ``accountant_log`` is known where the capture was made on the negotiator's machine. ``past``
    are the jobs of another file that was read with it; ``arriving`` are jobs that come later, in
    no capture. ``only_files`` says that ``central`` are the files of a directory, and that no pool
    was asked; ``map_files`` says of files that they name whether they are on this machine.
    ``in_order`` says that the slots stand as the collector handed them out:
    condor_status sorts what it prints.
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
    unread: tuple[tuple[str, str], ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    taken_at: str = ""
    anonymous: bool = False
    negotiator: str = ""
    slot_frames: tuple[SharedAttributes, ...] = ()
    job_frames: tuple[SharedAttributes, ...] = ()
    past: tuple[Past, ...] = ()
    arriving: tuple[Arrival, ...] = ()
    drains: tuple[PlannedDrain, ...] = ()
    accountant_log: AccountantLog | None = None
    only_files: bool = False
    map_files: Mapping[str, bool] = field(default_factory=dict)
    in_order: bool = False

    @property
    def incomplete(self) -> tuple[str, ...]:
        """Sentences about the parts of the pool that could not be read or did not answer."""
        left_out = [each.sentence for each in self.left_out]
        failed = [f"{what}: {why}" for what, why in self.failed]
        return (*self.damage, *left_out, *failed)

    def job_name(self, job: Job) -> str:
        """Return the id of ``job``, with its access point where the pool has several.

        Of a made-up job that is its name.
        """
        if job.proc is UNDEFINED:
            return str(job.cluster)
        return job.full_id if len(self.schedds) > 1 else job.id

    @property
    def moment(self) -> float | None:
        """When the pool was captured, in seconds since 1970.

        Otherwise when the collector heard of anything last.
        """
        taken = seconds_of(self.taken_at)
        if taken is not None:
            return taken
        records = (record for of_type in (self.records or {}).values() for record in of_type)
        newest = _latest(record.number("LastHeardFrom") for record in records)
        if newest is None:
            newest = _latest(as_number(slot.last_heard) for slot in self.slots or ())
        return newest

    def schedd_configuration(self, name: str) -> Configuration | None:
        """Return the configuration of a schedd; None where it is not known.

        Without one of its own it is taken to have the central manager's.
        """
        found = self.access.get(name)
        if found is None and self.central is not None:
            return self.central.of(SCHEDD_DAEMON, name)
        return found

    def schedd_version(self, name: str) -> Version:
        """Return the version of the schedd ``name``; empty without its ad."""
        for record in self.schedds:
            if record.name == name:
                return version(record.value("CondorVersion"))
        return ()

    def startd_configuration(self, slot: Slot) -> Configuration | None:
        """Return the configuration of the startd of ``slot``; None where it is not known.

        Without one of its own it is taken to have the central manager's.
        """
        found = of_startd(self.execute, slot)
        if found is None and self.central is not None:
            return self.central.of(STARTD_DAEMON, slot.startd)
        return found

    @cached_property
    def run_by_schedds(self) -> Counter[tuple[str, Value, Value]]:
        """How many jobs run that no negotiator sees, by access point, universe and user."""
        return Counter(
            (job.access_point, job.universe, job.user)
            for job in self.jobs or ()
            if job.status in (RUNNING, TRANSFERRING, SUSPENDED)
            and job.universe in UNMATCHED_UNIVERSES
        )

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
    def defrags(self) -> tuple[Record, ...]:
        """The ads of condor_defrag."""
        return self._of(DEFRAG)

    @property
    def negotiators(self) -> tuple[Record, ...]:
        """The negotiator ads."""
        return self._of(NEGOTIATOR)

    @property
    def name(self) -> str:
        """The name of the pool: its collector's machine, else the name that it was asked by."""
        machines = {record.text("Machine") for record in self.collectors}
        machines.discard("")
        if len(machines) == 1:
            return machines.pop()
        return self.source

    @property
    def collectors(self) -> tuple[Record, ...]:
        """The collector's own ad, and those of others that report to it."""
        return self._of(COLLECTOR)


def _latest(times: Iterable[Number | None]) -> float | None:
    known = (float(each) for each in times if each is not None and math.isfinite(each))
    return max(known, default=None)


def seconds_of(taken: str) -> float | None:
    """Return the time of a snapshot in seconds since 1970.

    It is None where its text is no time with a zone.
    """
    try:
        time = datetime.fromisoformat(taken)
    except ValueError:
        return None
    if not time.tzinfo:
        return None
    return time.timestamp()
