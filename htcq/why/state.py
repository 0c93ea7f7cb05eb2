"""Walls of the job's own state.

It is held, not idle, not in the queue yet, or of a universe that no negotiator sees.

Follows service_this_universe of src/condor_schedd.V6/schedd.cpp and Runnable of qmgmt.cpp,
HTCondor 25.14.
"""

from __future__ import annotations

from collections.abc import Iterator

from htcq.classads import as_number
from htcq.pool.job import (
    COMPLETED,
    HELD,
    IDLE,
    REMOVED,
    RUNNING,
    SUSPENDED,
    TRANSFERRING,
    UNMATCHED_UNIVERSES,
    Job,
)
from htcq.pool.pool import Pool
from htcq.units import counted, show_moment
from htcq.why import match_failure as wall
from htcq.why.factories import pause_of, stuck, to_come
from htcq.why.holds import held_wall
from htcq.why.local_universe import LOCAL, SCHEDULER, local_walls
from htcq.why.match_failure import MatchFailure

#: What JobStatus means, for those that are not idle.
_STATES = {
    RUNNING: "it is running", REMOVED: "it is removed", COMPLETED: "it is completed",
    TRANSFERRING: "it transfers its output", SUSPENDED: "it is suspended",
}  # fmt: skip
GRID = 9
#: What the amounts of a grid job call the time since which its resource has been unavailable.
UNAVAILABLE = "unavailable_since"
_UNIVERSES = {SCHEDULER: "scheduler", GRID: "grid", LOCAL: "local"}


def state_walls(pool: Pool, job: Job, access_point: str) -> Iterator[MatchFailure]:
    """Yield what of the job's own state keeps it from a match."""
    if is_to_come(job):
        yield _to_come(pool, job)
        return
    if job.status == HELD:
        yield held_wall(job)
    elif job.status != IDLE:
        yield MatchFailure(wall.NOT_IDLE, _not_idle(job), {"job_status": str(job.status)})
    if job.universe in (SCHEDULER, LOCAL) and job.status == IDLE:
        yield from local_walls(pool, job, access_point)
    elif job.universe in UNMATCHED_UNIVERSES:
        yield _unmatched(job)
    elif job.managed_externally:
        text = "Managed is External: a job router or another manager starts it, the schedd does not"
        yield MatchFailure(wall.MANAGED, text)
    elif job.status == IDLE and job.frame.value("IsNoopJob") is True:
        text = "IsNoopJob is true: the schedd completes it itself, without a slot"
        yield MatchFailure(wall.HOSTS_TAKEN, text, {}, "time: the schedd completes it")
    elif job.status == IDLE and not job.wanted:
        text = (
            f"it has {job.current_hosts} of the {job.max_hosts} slots that it requests "
            "(CurrentHosts, MaxHosts)"
        )
        yield MatchFailure(
            wall.HOSTS_TAKEN,
            text,
            {"current_hosts": str(job.current_hosts), "max_hosts": str(job.max_hosts)},
        )


def _not_idle(job: Job) -> str:
    """Return what a job does that does not wait."""
    text = f"it is not idle (JobStatus is {job.status})"
    if isinstance(job.status, int):
        text = _STATES.get(job.status, text)
    if job.status == RUNNING and isinstance(job.remote_host, str):
        text = f"it runs on {job.remote_host}"
    since = as_number(job.started_at)
    if job.status == RUNNING and since is not None:
        text += f" since {show_moment(since)}"
    return text


def _unmatched(job: Job) -> MatchFailure:
    """Return the wall of a job that no negotiator sees and whose start no schedd decides alone."""
    name = ""
    if isinstance(job.universe, int):
        name = _UNIVERSES.get(job.universe, "")
    text = f"its universe is {name} ({job.universe}): the schedd handles it without the negotiator"
    amounts: dict[str, wall.Amount] = {"universe": name}
    if job.universe != GRID:
        return MatchFailure(wall.UNMATCHED_UNIVERSE, text, amounts)
    resource, status = job.value("GridResource"), job.value("GridJobStatus")
    if isinstance(resource, str):
        text += f"; it goes to {resource} (GridResource)"
        amounts["resource"] = resource
    if isinstance(status, str):
        text += f", where its state is {status} (GridJobStatus)"
        amounts["status"] = status
    since = as_number(job.value("GridResourceUnavailableTime"))
    if since is not None:
        text += (
            f"; the resource has been unavailable since {show_moment(since)} "
            "(GridResourceUnavailableTime)"
        )
        amounts[UNAVAILABLE] = since
    advice = "the remote resource; the GridmanagerLog of its access point tells what it answered"
    return MatchFailure(wall.UNMATCHED_UNIVERSE, text, amounts, advice)


def is_to_come(job: Job) -> bool:
    """Return whether the schedd has not made ``job`` yet.

    Its cluster makes jobs one after another.
    """
    number, following = job.proc, job.materialize_next
    if not isinstance(number, int) or not isinstance(following, int):
        return False
    return following <= number < following + to_come(job)


def _to_come(pool: Pool, job: Job) -> MatchFailure:
    following, number = as_number(job.materialize_next) or 0, to_come(job)
    amounts: dict[str, wall.Amount] = {"next": following, "to_come": number}
    conditions = []
    for name, limit, what in (
        ("max_idle", job.materialize_max_idle, "are idle or on hold"),
        ("max_materialize", job.materialize_limit, "are in the queue"),
    ):
        most = as_number(limit)
        if most is not None and most > 0:
            amounts[name] = most
            conditions.append(f"fewer than {most:g} of them {what} ({name})")
    condition = ""
    if conditions:
        condition = f" while {' and '.join(conditions)}"
    text = (
        "it is not in the queue yet: the schedd materializes the jobs of its cluster one by "
        f"one{condition}; the next one is {job.cluster}.{following:g}, with "
        f"{counted(number, 'job')} still to be materialized"
    )
    others = [
        each for each in pool.jobs or ()
        if each.cluster == job.cluster and each.access_point == job.access_point
    ]  # fmt: skip
    why, cure, _ = stuck([job, *others])
    if pause_of(job):
        amounts["paused"] = True
    if why:
        text += f"; none is now: {why}"
    return MatchFailure(wall.MAX_IDLE, text, amounts, cure)
