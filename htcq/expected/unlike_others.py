"""Machines where jobs end or go on hold at once, while jobs of the same clusters run elsewhere.

Jobs of one cluster have one executable: where they last on some machines and nowhere on one, that
one is at fault, and it takes more of them than all others (a black hole). No ad has how a job ended
that has left the queue; the startd counts its starts over the last 20 minutes
(src/condor_startd.V6/ResMgr.h, HTCondor 25.14), and the schedd notes who held a job
(condor_holdcodes.h).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from htcq.classads import as_number
from htcq.expected.executing import has_begun
from htcq.expected.settled import is_over
from htcq.expected.startds import STARTED, Startds, host_of
from htcq.expected.unmet import ERROR, LASTS, WARNING, Unmet, keys_of, knobs_on_the_way
from htcq.htcondor.matching import STARTD
from htcq.pool.job import HELD, IDLE, Job
from htcq.pool.pool import Pool, of_startd
from htcq.units import counted, show_number

#: Holds by the user, the job's own policy or the schedd's, and for its input.
_NOT_OF_MACHINES = frozenset((1, 3, 15, 16, 22, 26))
_SEVERAL = 3
#: So many starts for each core in 20 minutes, and so many times those of machines where jobs of the
#: same cluster go on, are no accident.
_LEAST, _TIMES = 10, 5
_Cluster = tuple[str, object]


def unlike_others(pool: Pool) -> Iterator[Unmet]:
    """Yield the machines where nothing lasts of what lasts elsewhere."""
    startds = Startds(pool)
    if startds.moment is None:
        return
    lasting, clusters = dict[_Cluster, set[str]](), dict[_Cluster, list[Job]]()
    for job in pool.jobs or ():
        clusters.setdefault(_cluster(job), []).append(job)
        if job.running and has_begun(job) and is_over(startds.moment, job.started_at):
            lasting.setdefault(_cluster(job), set()).add(_place(job))
    known = {each: clusters[each] for each in lasting}
    for where in startds.slots:
        if startds.fails(where):
            yield from _at_one(pool, startds, where, known, lasting)


def _at_one(
    pool: Pool, startds: Startds, where: str, clusters: Mapping[_Cluster, Sequence[Job]],
    lasting: Mapping[_Cluster, set[str]],
) -> Iterator[Unmet]:  # fmt: skip
    """Yield what becomes of such clusters on a machine where nothing lasts."""
    held = [job for jobs in clusters.values() for job in jobs if _is_held_at(job, where)]
    if len(held) >= _SEVERAL:
        yield _held(pool, startds, where, held)
        return
    if _rate(startds, where) < _LEAST:
        return
    for cluster, jobs in clusters.items():
        waiting = [job for job in jobs if job.status == IDLE and job.wanted]
        # What was ended by others is in the queue again: those are the starts that do not last.
        lost = [job for job in waiting if host_of(job) == where]
        if not waiting or len(lost) >= _SEVERAL or _gone(jobs) < _LEAST:
            continue
        if _swallows(startds, where, lasting[cluster]):
            yield _quick(pool, startds, where, waiting)
            return


def _cluster(job: Job) -> _Cluster:
    return job.access_point, job.cluster


def _place(job: Job) -> str:
    """Return the startd where a job runs; empty where its ad does not say."""
    return job.remote_host.partition("@")[2] if isinstance(job.remote_host, str) else ""


def _is_held_at(job: Job, where: str) -> bool:
    code = as_number(job.frame.value("HoldReasonCode"))
    if job.status != HELD or host_of(job) != where:
        return False
    return code is not None and code not in _NOT_OF_MACHINES


def _swallows(startds: Startds, where: str, peers: set[str]) -> bool:
    """Return whether a machine starts far more than those that are like it."""
    rate = _rate(startds, where)
    return all(rate >= _TIMES * _rate(startds, each) for each in peers)


def _rate(startds: Startds, where: str) -> float:
    """Return how many jobs a startd started for each of its cores in the last 20 minutes."""
    if where not in startds.slots:
        return 0.0
    return (startds.count(where, STARTED) or 0) / max(1.0, startds.cores(where))


def _gone(jobs: Sequence[Job]) -> int:
    """Return how many of the jobs that were submitted with one cluster have left the queue."""
    return int(as_number(jobs[0].submit_procs) or 0) - len(jobs)


def _held(pool: Pool, startds: Startds, where: str, held: Sequence[Job]) -> Unmet:
    why = next((job.vacate_reason for job in held if isinstance(job.vacate_reason, str)), "")
    return _unmet(
        pool, startds, where, held,
        f"{counted(len(held), 'job')}, such as {held[0].id}, went on hold on "
        f"{startds.described(where)}{f' ({why.strip()})' if why else ''}, and others of the same "
        "clusters run on other machines",
        f"condor_release of the jobs once {where} is repaired or out of the pool: 'condor_drain' "
        "takes it out. Its StarterLog says why.",
        ERROR,
    )  # fmt: skip


def _quick(pool: Pool, startds: Startds, where: str, waiting: Sequence[Job]) -> Unmet:
    started = startds.count(where, STARTED) or 0
    return _unmet(
        pool, startds, where, waiting,
        f"{startds.described(where)} started {show_number(started)} jobs in the last 20 minutes, "
        "and none of them runs any more after three cycles; others of the same clusters run on "
        f"other machines: {where} may end what it starts at once",
        f"condor_history of their access point has ExitCode and LastRemoteHost: where jobs fail on "
        f"{where} alone, 'condor_drain' takes it out of the pool. Its StarterLog says why.",
        WARNING,
    )  # fmt: skip


def _unmet(
    pool: Pool, startds: Startds, where: str, jobs: Sequence[Job], text: str, cure: str, how: str
) -> Unmet:
    slot = startds.slots[where][0]
    return Unmet(
        LASTS,
        f"machine {where}",
        text,
        cure,
        (*startds.counters(where), *knobs_on_the_way(of_startd(pool.execute, slot), STARTD)),
        keys_of(jobs),
        max(1, len(jobs)),
        tuple(job.id for job in jobs[:_SEVERAL]),
        how,
    )
