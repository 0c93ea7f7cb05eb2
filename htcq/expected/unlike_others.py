"""Machines where jobs end or go on hold at once, while jobs of the same clusters run elsewhere.

Jobs of one cluster have one executable: where they last on some machines and nowhere on one, that
one is at fault, and it takes more of them than all others (a black hole). Where no cluster shows
it, machines with the same START do, as far as they start jobs in the same time.

No ad has how a job ended that has left the queue, or how long it ran: JobDuration and JobBusyTime
of a startd are published with STATISTICS_TO_PUBLISH_LIST alone. The startd counts its starts over
the last 20 minutes (src/condor_startd.V6/ResMgr.h, HTCondor 25.14), and the schedd notes who held
a job (condor_holdcodes.h).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import replace

from htcq.classads import as_number
from htcq.expected.executing import has_begun
from htcq.expected.preempting import is_restless
from htcq.expected.settled import is_over
from htcq.expected.startds import STARTED, Startds, host_of
from htcq.expected.unmet import (
    ERROR,
    INFO,
    LAST,
    LASTS,
    START,
    WARNING,
    Observed,
    Unmet,
    keys_of,
    knobs_on_the_way,
)
from htcq.htcondor.matching import STARTD
from htcq.pool.job import HELD, Job
from htcq.pool.pool import Pool, of_startd
from htcq.pool.slot import startd_in
from htcq.units import CPUS, amount_of, counted, first_named, show_number, show_span

#: Holds by the user, the job's own policy or the schedd's, and for its input.
_NOT_OF_MACHINES = frozenset((1, 3, 15, 16, 22, 26))
_SEVERAL = 3
#: So many starts for each core in 20 minutes, and so many times those of machines where jobs of the
#: same cluster go on, are no accident.
_LEAST, _TIMES = 10, 5
_COMPLETED = "RecentJobsCompleted"
#: Where more machines of one policy are so quick, the jobs are short.
_FEW, _FEW_OF = 2, 0.1
_Cluster = tuple[str, object]


def unlike_others(pool: Pool, failing: Sequence[Unmet]) -> Iterator[Unmet]:
    """Yield the machines where nothing lasts of what lasts elsewhere.

    ``failing`` are the starts that fail: what these tell is not told again.
    """
    startds = Startds(pool)
    if startds.moment is None:
        return
    lasting, clusters = dict[_Cluster, set[str]](), dict[_Cluster, list[Job]]()
    for job in pool.jobs or ():
        clusters.setdefault(_cluster(job), []).append(job)
        if job.running and has_begun(job) and is_over(startds.moment, job.started_at):
            lasting.setdefault(_cluster(job), set()).add(_place(job))
    known = {each: clusters[each] for each in lasting}
    held: dict[str, list[Job]] = {}
    for job in (job for jobs in known.values() for job in jobs):
        if _may_be_held_by_machine(job):
            held.setdefault(host_of(job), []).append(job)
    rest: list[str] = []
    for where in startds.slots:
        if startds.fails(where):
            found = tuple(_at_one(pool, startds, where, held.get(where, ()), known, lasting))
            yield from found
            if not found and startds.rate(where) >= _LEAST:
                rest.append(where)
    if rest:
        told = {name for each in failing for name in each.machines}
        yield from _unlike_those_of_one_policy(pool, startds, rest, told)


def _at_one(
    pool: Pool, startds: Startds, where: str, held: Sequence[Job],
    clusters: Mapping[_Cluster, Sequence[Job]], lasting: Mapping[_Cluster, set[str]],
) -> Iterator[Unmet]:  # fmt: skip
    """Yield what becomes of such clusters on a machine where nothing lasts.

    ``held`` are those of their jobs that went on hold there.
    """
    if len(held) >= _SEVERAL:
        yield _held(pool, startds, where, held)
        return
    if startds.rate(where) < _LEAST:
        return
    for cluster, jobs in clusters.items():
        waiting = [job for job in jobs if job.wanted]
        # What was ended by others is in the queue again: those are the starts that do not last.
        lost = [job for job in waiting if host_of(job) == where]
        if len(lost) >= _SEVERAL or _gone(jobs) < _LEAST:
            continue
        if _swallows(startds, where, lasting[cluster]):
            yield _quick(pool, startds, where, waiting)
            return


def _cluster(job: Job) -> _Cluster:
    return job.access_point, job.cluster


def _place(job: Job) -> str:
    """Return the startd where a job runs; empty where its ad does not say."""
    return startd_in(job.remote_host) if isinstance(job.remote_host, str) else ""


def _may_be_held_by_machine(job: Job) -> bool:
    if job.status != HELD:
        return False
    code = as_number(job.frame.value("HoldReasonCode"))
    return code is not None and code not in _NOT_OF_MACHINES


def _swallows(startds: Startds, where: str, peers: set[str]) -> bool:
    """Return whether a machine starts far more than those that are like it."""
    rate = startds.rate(where)
    return all(rate >= _TIMES * startds.rate(each) for each in peers)


def _gone(jobs: Sequence[Job]) -> int:
    """Return how many of the jobs that were submitted with one cluster have left the queue."""
    return int(as_number(jobs[0].submit_procs) or 0) - len(jobs)


def _held(pool: Pool, startds: Startds, where: str, held: Sequence[Job]) -> Unmet:
    why = next((job.vacate_reason for job in held if isinstance(job.vacate_reason, str)), "")
    return _unmet(
        pool, startds, where, held,
        f"{counted(len(held), 'job')}, such as {pool.job_name(held[0])}, went on hold on "
        f"{startds.described(where)}{f' ({why.strip()})' if why else ''}, and others of the same "
        "clusters run on other machines",
        f"condor_release of the jobs once {where} is repaired or out of the pool: 'condor_drain' "
        "takes it out. Its StarterLog says why.",
        ERROR, START,
    )  # fmt: skip


def _quick(pool: Pool, startds: Startds, where: str, waiting: Sequence[Job]) -> Unmet:
    return _unmet(
        pool, startds, where, waiting,
        f"{_starts(startds, where)}; others of the same clusters run on other machines: {where} "
        "may end what it starts at once",
        _cure(where), WARNING,
    )  # fmt: skip


def _starts(startds: Startds, where: str) -> str:
    """Return how many jobs a machine started, in which time, and how long one may have run."""
    started, window = startds.count(where, STARTED) or 0, startds.window(where)
    most = window * max(1.0, startds.cores(where)) / max(1.0, started)
    return (
        f"{startds.described(where)} started {show_number(started)} jobs in the last "
        f"{show_span(window)}, and none of them runs any more after three cycles: a job had a core "
        f"for {show_span(most)} at most on average"
    )


def _cure(where: str) -> str:
    return (
        "condor_history of their access point has ExitCode and LastRemoteHost: where jobs fail on "
        f"{where} alone, 'condor_drain' takes it out of the pool. Its StarterLog says why."
    )


# Machines of one policy
# --------------------------------------------------------------------------------------------------


def _unlike_those_of_one_policy(
    pool: Pool, startds: Startds, quick: Sequence[str], told: Container[str]
) -> Iterator[Unmet]:
    """Yield machines that start far more jobs than others with the same START, and keep none.

    Short jobs that find one machine free, or ask for it, look the same: none is told where more
    than a few are like it.
    """
    completed = sum(schedd.number(_COMPLETED) or 0 for schedd in pool.schedds)
    by_policy: dict[str, dict[str, float]] = {}
    for where, slots in startds.slots.items():
        if where not in told and not is_restless(slots):
            rates = by_policy.setdefault(slots[0].frame.text("Start"), {})
            rates[where] = startds.rate(where)
    ordered = {text: sorted(rates.values()) for text, rates in by_policy.items()}
    for where in quick:
        text = startds.slots[where][0].frame.text("Start")
        rates = by_policy.get(text, {})
        # What has not left the queues was ended by others, and is told as that.
        if where not in rates or 2 * completed < (startds.count(where, STARTED) or 0):
            continue
        most = rates[where] / _TIMES
        number = bisect_right(ordered[text], most)
        like_it = len(rates) - 1 - number
        if like_it < number and like_it <= max(_FEW, len(rates) * _FEW_OF):
            quiet = [each for each, rate in rates.items() if rate <= most]
            yield _unlike_quiet(pool, startds, where, quiet, completed)


def _unlike_quiet(
    pool: Pool, startds: Startds, where: str, quiet: Sequence[str], completed: float
) -> Unmet:
    """Return a machine that is unlike others with the same START, which start so few.

    It is information: no ad says whether the jobs, which have left the queues, did their work.
    """
    working = [each for each in quiet if each in startds.working]
    others, which = quiet, ""
    if len(working) > 1:
        others, which = working, ", where jobs go on,"
    begun = sum(startds.count(each, STARTED) or 0 for each in others)
    cores = sum(startds.cores(each) for each in others)
    found = _unmet(
        pool, startds, where, (),
        f"{_starts(startds, where)}; {counted(len(others), 'machine')} with the same START "
        f"({first_named(others, _SEVERAL)}){which} started {counted(int(begun), 'job')} on "
        f"{amount_of(CPUS, cores)}: its jobs are short, or {where} ends what it starts at once",
        f"Nothing where the jobs are short. {_cure(where)}", INFO,
    )  # fmt: skip
    left = Observed(f"{_COMPLETED} of all access points", show_number(completed))
    return replace(found, observed=(left, *found.observed))


def _unmet(
    pool: Pool, startds: Startds, where: str, jobs: Sequence[Job], text: str, cure: str, how: str,
    stage: str = LAST,
) -> Unmet:  # fmt: skip
    slot = startds.slots[where][0]
    return Unmet(
        LASTS,
        f"machine {where}",
        text,
        cure,
        (
            *startds.counters(where),
            *knobs_on_the_way(of_startd(pool.execute, slot), STARTD, stage, peers=pool.execute),
        ),
        keys_of(jobs),
        max(1, len(jobs)),
        tuple(map(pool.job_name, jobs[:_SEVERAL])),
        how,
        machines=(where,),
    )
