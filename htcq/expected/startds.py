"""The startds of a pool: what each has, where jobs have run for a while, and what startds count.

The counters are those of the last 20 minutes (src/condor_startd.V6/ResMgr.h, HTCondor 25.14).
"""

from __future__ import annotations

from collections.abc import Iterator

from htcq.classads import as_number
from htcq.expected.settled import in_use, settled_before
from htcq.expected.unmet import Observed
from htcq.pool.job import Job
from htcq.pool.pool import Pool
from htcq.pool.slot import DYNAMIC, Slot, startd_in
from htcq.pool.slot_state import closed_by
from htcq.units import CPUS, amount_of, show_number

CLAIMS, ACTIVATIONS, STARTED = (
    "RecentClaimRequests",
    "RecentActivationRequests",
    "RecentJobStarts",
)

#: Over so many seconds a startd counts.
_WINDOW = 20 * 60.0
#: So many claims that led to nothing, and so many times those that did, are no accident.
_MANY, _TIMES = 10, 4


class Startds:
    """The startds of a pool: what each has, and where jobs have run for a while."""

    def __init__(self, pool: Pool) -> None:
        moment = settled_before(pool)
        #: Since when three cycles have begun; None without any time.
        self.moment = moment
        self.slots: dict[str, list[Slot]] = {}
        self.working = set[str]()
        self._served = set[str]()
        for slot in pool.slots or ():
            self.slots.setdefault(slot.startd, []).append(slot)
            if in_use(slot, moment):
                self.working.add(slot.startd)
                self._served.add(str(slot.remote_schedd))

    def fails(self, name: str) -> bool:
        """Return whether no job has run there for a while, though its slots are open.

        Not where the startd is not known.
        """
        if name not in self.slots or name in self.working:
            return False
        return not all(closed_by(slot) for slot in self.slots[name] if slot.type != DYNAMIC)

    def serves(self, access_point: str) -> bool:
        """Return whether a job of the access point has run for a while on any of them."""
        return access_point in self._served

    def count(self, name: str, attribute: str) -> float | None:
        """Return what the startd itself counted in the last minutes; None where no ad says."""
        counts = [as_number(slot.value(attribute)) for slot in self.slots[name]]
        return max((count for count in counts if count is not None), default=None)

    def wastes_claims(self, name: str) -> bool:
        """Return whether far more claims were granted there lately than led to an activation.

        The startd's own counters say so: no user can change them. Each claim that is used is
        activated once or more.
        """
        if name not in self.slots:
            return False
        claims, activations = self.count(name, CLAIMS), self.count(name, ACTIVATIONS)
        if claims is None or activations is None:
            return False
        return claims - activations >= _MANY and claims >= _TIMES * activations

    def cores(self, name: str) -> float:
        """Return the cores of all its slots."""
        whole = [each for each in self.slots[name] if each.type != DYNAMIC]
        return sum(as_number(each.total_slot_cpus) or 0 for each in whole)

    def rate(self, name: str) -> float:
        """Return how many jobs a startd started lately for each of its cores; 0 where unknown."""
        if name not in self.slots:
            return 0.0
        return (self.count(name, STARTED) or 0) / max(1.0, self.cores(name))

    def window(self, name: str) -> float:
        """Return over how many seconds the startd counts, which may be younger than 20 minutes."""
        slot = self.slots[name][0]
        now, start = as_number(slot.own_time), as_number(slot.daemon_start_time)
        if now is None or start is None or not 0 < now - start < _WINDOW:
            return _WINDOW
        return float(now - start)

    def described(self, name: str) -> str:
        """Return its name with its cores."""
        cores = self.cores(name)
        return f"{name} ({amount_of(CPUS, cores)})" if cores else name

    def counters(self, name: str) -> Iterator[Observed]:
        """Yield all that the startd itself counted."""
        for attribute in (CLAIMS, ACTIVATIONS, STARTED):
            count = self.count(name, attribute)
            if count is not None:
                yield Observed(attribute, show_number(count))


def host_of(job: Job) -> str:
    """Return the startd that had the job last, and lost it; empty where none did."""
    return startd_in(job.last_host) if isinstance(job.last_host, str) else ""
