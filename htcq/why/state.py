"""Walls of the job's own state: it is held, not idle, of a universe that no negotiator sees, or has all its slots.

Follows service_this_universe of src/condor_schedd.V6/schedd.cpp and Runnable of qmgmt.cpp, HTCondor 25.14.
"""

from __future__ import annotations

from collections.abc import Iterator

from htcq.pool.job import COMPLETED, HELD, IDLE, REMOVED, RUNNING, SUSPENDED, TRANSFERRING, UNMATCHED_UNIVERSES, Job
from htcq.why import wall
from htcq.why.wall import Wall

#: What JobStatus means, for those that are not idle.
_STATES = {
    RUNNING: "it runs", REMOVED: "it is removed", COMPLETED: "it is completed",
    TRANSFERRING: "it transfers its output", SUSPENDED: "it is suspended",
}  # fmt: skip
_UNIVERSES = {7: "scheduler", 9: "grid", 12: "local"}


def state_walls(job: Job) -> Iterator[Wall]:
    """Yield what of the job's own state keeps it from a match."""
    if job.status == HELD:
        yield Wall(wall.HELD, "it is on hold; condor_q -hold tells why", {"job_status": HELD})
    elif job.status != IDLE:
        state = _STATES.get(job.status, "") if isinstance(job.status, int) else ""
        text = f"{state or 'it is not idle'}: JobStatus is {job.status}"
        yield Wall(wall.NOT_IDLE, text, {"job_status": str(job.status)})
    if job.universe in UNMATCHED_UNIVERSES:
        name = _UNIVERSES.get(job.universe, "") if isinstance(job.universe, int) else ""
        text = f"its universe is {name} ({job.universe}): the access point starts it itself, no negotiator sees it"
        yield Wall(wall.UNMATCHED_UNIVERSE, text, {"universe": name})
    elif job.managed_externally:
        text = "Managed is External: a job router or another manager starts it, the schedd does not"
        yield Wall(wall.MANAGED, text)
    elif job.status == IDLE and not job.wanted:
        text = f"it has {job.current_hosts} of the {job.max_hosts} slots that it wants (CurrentHosts, MaxHosts)"
        yield Wall(wall.HOSTS_TAKEN, text, {"current_hosts": str(job.current_hosts), "max_hosts": str(job.max_hosts)})
