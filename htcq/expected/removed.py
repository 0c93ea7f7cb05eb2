"""Access points whose own policy removes every job within an hour, so that none completes.

SYSTEM_PERIODIC_REMOVE is evaluated on the jobs of the queue as time passes: one that is meant for a
few jobs leaves the others. JobsExited counts the shadows that ended for whatever reason,
JobsCompleted those whose job had ended by itself; a job that was removed while it waited is in
neither (jobExitCode of src/condor_schedd.V6/schedd.cpp, HTCondor 25.14; seen on 25.14.1).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from htcq.classads import as_number
from htcq.expected.recent import counters, lately
from htcq.expected.unmet import ERROR, VANISH, WARNING, Unmet, keys_of, observed_knobs
from htcq.pool.configuration import Configuration
from htcq.pool.job import IDLE, RUNNING, UNMATCHED_UNIVERSES, Job
from htcq.pool.pool import Pool
from htcq.pool.record import Record
from htcq.pool.set_by_access_point import policies_of
from htcq.pool.versions import version
from htcq.simulate.course.policies import Act, Policies, System, system_of
from htcq.units import counted, show_span

_KNOB = "SYSTEM_PERIODIC_REMOVE"
#: One who takes a job or two back is nobody's fault.
_SOME = 3
#: A job that may stay for longer than this has had its time to run.
_HOUR = 3600
#: Where nothing has been removed yet: a limit on how long jobs may wait is longer.
_SOON = 600
#: So many jobs of others stand for those of an access point with an empty queue.
_LIKE = 10
_NAMED = 3
_COUNTERS = (
    "RecentJobsSubmitted", "RecentJobsStarted", "RecentJobsExited", "RecentJobsCompleted",
    "TotalJobAds",
)  # fmt: skip


def removed_by_policy(pool: Pool) -> Iterator[Unmet]:
    """Yield the access points whose SYSTEM_PERIODIC_REMOVE removes whatever is submitted."""
    queues: dict[str, list[Job]] = {}
    for job in pool.jobs or ():
        if job.status in (IDLE, RUNNING) and job.universe not in UNMATCHED_UNIVERSES:
            queues.setdefault(job.access_point, []).append(job)
    for schedd in pool.schedds:
        own, jobs = pool.schedd_configuration(schedd.name), queues.get(schedd.name, [])
        policy = _Removal(own, version(schedd.value("CondorVersion")))
        if own is None or not policy.is_any:
            continue
        lost = _lost(schedd)
        if lost >= _SOME:
            like = jobs or [job for each in queues.values() for job in each][:_LIKE]
            if like and all(policy.removes(job, _HOUR) for job in like):
                yield _unmet(pool, schedd, own, policy, like, jobs, lost)
        elif len(jobs) >= _SOME and all(policy.begins_to_remove(job, _SOON) for job in jobs):
            yield _unmet(pool, schedd, own, policy, jobs, jobs, 0)


def _lost(schedd: Record) -> int:
    """Return how many jobs left the queue lately at least, if none of them completed; else 0.

    Those that were in it before count for nothing.
    """
    submitted, completed, queued = (
        schedd.number(name)
        for name in ("RecentJobsSubmitted", "RecentJobsCompleted", "TotalJobAds")
    )
    if submitted is None or queued is None or completed != 0:
        return 0
    return max(0, int(submitted - queued))


class _Removal:
    """SYSTEM_PERIODIC_REMOVE of an access point, and what it does to jobs as time passes."""

    def __init__(self, configuration: Configuration | None, known: tuple[int, ...]) -> None:
        self._system = System(removes=system_of(configuration, known).removes)
        self._policies, self._none = Policies(), System()

    @property
    def is_any(self) -> bool:
        """Whether there is such a policy."""
        return bool(self._system.removes)

    def removes(self, job: Job, seconds: int) -> bool:
        """Return whether it removes a job so long after its submission, while it waits or runs."""
        return any(self._holds(job, status, seconds) for status in (IDLE, RUNNING))

    def begins_to_remove(self, job: Job, seconds: int) -> bool:
        """Return whether it removes a job that waits for so long, and not at once."""
        return self._holds(job, IDLE, seconds) and not self._holds(job, IDLE, 0)

    def age(self, job: Job) -> int:
        """Return how many seconds after its submission a job is removed, which it is in an hour."""
        least, most = -1, _HOUR
        while most - least > 1:
            middle = (least + most) // 2
            least, most = (least, middle) if self.removes(job, middle) else (middle, most)
        return most

    def _holds(self, job: Job, status: int, seconds: int) -> bool:
        since = as_number(job.queued_at)
        if since is None:
            return False
        values = {"JobStatus": status, "EnteredCurrentStatus": int(since)}
        found = (
            self._policies.of(job, system).periodic(job, values, int(since) + seconds).act
            for system in (self._system, self._none)
        )
        # What the job's own policy does is its user's.
        return [each is Act.REMOVE for each in found] == [True, False]


def _unmet(
    pool: Pool, schedd: Record, own: Configuration, policy: _Removal, like: Sequence[Job],
    jobs: Sequence[Job], lost: int,
) -> Unmet:  # fmt: skip
    name = schedd.name
    span = show_span(policy.age(like[0]))
    removes = f"{_KNOB} of {name} removes a job {span} after its submission"
    text = f"{removes}: all {len(jobs)} jobs there, such as {pool.job_name(like[0])}"
    if lost:
        text = (
            f"{counted(lost, 'job')} at least left the queue of {name} {lately(schedd)}, none "
            f"completed: {removes}, such as {pool.job_name(like[0])}"
        )
    return Unmet(
        VANISH,
        f"access point {name}",
        text,
        f"{_KNOB} of {name}, then condor_reconfig there; time() and QDate count seconds. "
        f"RemoveReason in 'condor_history -name {name}' names the expression that removed a job.",
        (*observed_knobs(policies_of(own, _KNOB)), *counters(schedd, _COUNTERS)),
        keys_of(jobs),
        lost or len(jobs),
        tuple(job.id for job in jobs[:_NAMED]) or (name,),
        ERROR if lost else WARNING,
    )
