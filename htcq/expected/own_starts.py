"""Jobs that no negotiator sees, and that their schedd or a grid resource does not start.

What START_SCHEDULER_UNIVERSE, START_LOCAL_UNIVERSE and MAX_RUNNING_SCHEDULER_JOBS_PER_OWNER refuse
says :mod:`htcq.why.local_universe`. A gridmanager writes GridResourceUnavailableTime into the jobs
of a resource that does not answer its probes, and takes it out when it does (NotifyResourceDown of
src/condor_gridmanager/basejob.cpp, HTCondor 25.14).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from htcq.classads import UNDEFINED, as_number
from htcq.expected.settled import is_over, settled_before
from htcq.expected.unmet import (
    ERROR,
    GRID_DOWN,
    INFO,
    SCHEDD_REFUSES,
    WARNING,
    Observed,
    Unmet,
    keys_of,
)
from htcq.htcondor.starting import is_default
from htcq.pool.job import Job
from htcq.pool.pool import Pool
from htcq.pool.slot_state import utc
from htcq.poolquota.ailment import ObservedPool
from htcq.units import counted, listed
from htcq.why.local_universe import KNOB, TRIED, UNKNOWN, VALUE
from htcq.why.match_failure import UNMATCHED_UNIVERSE, Amounts
from htcq.why.state import UNAVAILABLE
from htcq.why.verdict import Verdict, Verdicts

#: Three probes of a resource (GRIDMANAGER_RESOURCE_PROBE_INTERVAL is 5 minutes).
_PROBES = 900.0
_NAMED = 3
#: A start that fails once or twice may be an accident.
_OFTEN = 3


def refused_by_schedds(verdicts: Verdicts, found: Iterable[Verdict]) -> Iterator[Unmet]:
    """Yield the access points that refuse to start jobs of the scheduler or local universe.

    ``found`` are the verdicts on all idle jobs. One that fits its schedd nowhere is its user's.
    """
    moment = settled_before(verdicts.pool)
    found = tuple(found)
    yield from _tried_in_vain(found)
    waiting: dict[tuple[str, str], tuple[Amounts, list[Job]]] = {}
    for verdict in found:
        walls = (each for each in verdict.walls if each.id == UNMATCHED_UNIVERSE)
        wall = next((each for each in walls if KNOB in each.amounts), None)
        # What no job passes is the schedd's own, whatever else keeps these.
        if wall is None or (verdict.fits_nowhere and UNKNOWN not in wall.amounts):
            continue
        key = verdict.access_point, str(wall.amounts[KNOB])
        jobs = waiting.setdefault(key, (wall.amounts, []))[1]
        jobs += [each for each in verdict.jobs if moment is None or _waits_since(each, moment)]
    for (name, knob), (amounts, jobs) in waiting.items():
        if jobs:
            yield _refused(verdicts.pool, name, knob, amounts, jobs)


def _tried_in_vain(found: Iterable[Verdict]) -> Iterator[Unmet]:
    """Yield the access points that start such jobs again and again, and none of them runs."""
    jobs: dict[tuple[str, str], list[Job]] = {}
    most: dict[tuple[str, str], int] = {}
    for verdict in found:
        for wall in verdict.walls:
            if wall.id != UNMATCHED_UNIVERSE or TRIED not in wall.amounts:
                continue
            key = verdict.access_point, str(wall.amounts["universe"])
            tried = [
                each for each in verdict.jobs if (as_number(each.shadow_starts) or 0) >= _OFTEN
            ]
            jobs.setdefault(key, []).extend(tried)
            most[key] = max(most.get(key, 0), int(wall.amounts[TRIED]))
    for (name, universe), tried in jobs.items():
        if not tried:
            continue
        text = (
            f"{_waiting(tried, f'of the {universe} universe at {name}')}: the schedd has tried to "
            f"start them, one of them {counted(most[name, universe], 'time')}, and none runs"
        )
        yield _unmet(
            SCHEDD_REFUSES,
            f"access point {name}",
            text,
            f"SchedLog of {name} says why; STARTER_LOCAL starts jobs of the local universe.",
            Observed("NumShadowStarts", str(most[name, universe])),
            tried,
            ERROR,
        )


def _refused(pool: Pool, name: str, knob: str, amounts: Amounts, jobs: Sequence[Job]) -> Unmet:
    universe, value = jobs[0].universe, str(amounts[VALUE])
    run = pool.run_by_schedds
    running = sum(run[key] for key in run if key[:2] == (name, universe))
    severity, ends = ERROR, ""
    if running:
        ends = f"; or the end of jobs that {listed(str(job.user) for job in jobs)} run there"
        # A limit does what it is for. By itself it is a fault only where the site chose it.
        severity = INFO if is_default(knob, value) else WARNING
    configuration = pool.schedd_configuration(name)
    own = None if configuration is None else configuration.knob(knob)
    which = f"of the {amounts['universe']} universe at {name}"
    text = (
        f"{_waiting(jobs, which)}: the schedd starts them itself, and its {knob} is {value}; it "
        f"runs {running or 'no'} such {'job' if running == 1 else 'jobs'}"
    )
    if UNKNOWN in amounts:
        text += f"; the schedd has no {amounts[UNKNOWN]}, which is undefined"
    return _unmet(
        SCHEDD_REFUSES,
        f"access point {name}",
        text,
        f"{knob} of {name}, then condor_reconfig there{ends}.",
        Observed(knob, value, "" if own is None else own.place),
        jobs,
        severity,
    )


def down_resources(verdicts: Verdicts, found: Iterable[Verdict]) -> Iterator[Unmet]:
    """Yield the grid resources that have been unavailable for three probes while jobs wait."""
    now = ObservedPool(verdicts.pool).now
    waiting: dict[tuple[str, str], tuple[list[float], list[Job]]] = {}
    for verdict in found:
        for wall in verdict.walls:
            since = as_number(wall.amounts.get(UNAVAILABLE, UNDEFINED))
            if since is None or (now is not None and since > now - _PROBES):
                continue
            resource = str(wall.amounts.get("resource", ""))
            times, jobs = waiting.setdefault((verdict.access_point, resource), ([], []))
            times.append(since)
            jobs += verdict.jobs
    for (name, resource), (times, jobs) in waiting.items():
        what = resource or "their grid resource"
        yield _unmet(
            GRID_DOWN,
            f"grid resource {resource}" if resource else f"access point {name}",
            f"{_waiting(jobs, f'of the grid universe at {name}')}: {what} has been unavailable "
            f"since {utc(min(times))}",
            f"The service of {what}, its network or the credential; GridmanagerLog of {name} has "
            "its answers.",
            Observed("GridResourceUnavailableTime", f"{min(times):.0f}"),
            jobs,
            # Users may change the ads of their own jobs.
            WARNING,
        )


def _waiting(jobs: Sequence[Job], which: str) -> str:
    """Return how many jobs wait, with the first of them and the time of the one idle longest."""
    times = [time for job in jobs if (time := _idle_since(job)) is not None]
    since = f", the oldest since {utc(min(times))}" if times else ""
    verb = "waits" if len(jobs) == 1 else "wait"
    return f"{counted(len(jobs), 'job')} {which}, such as {jobs[0].id}, {verb}{since}"


def _idle_since(job: Job) -> float | None:
    since = as_number(job.status_since)
    return as_number(job.queued_at) if since is None else since


def _waits_since(job: Job, moment: float) -> bool:
    return is_over(moment, job.queued_at, job.status_since)


def _unmet(
    id_: str,
    subject: str,
    text: str,
    cure: str,
    observed: Observed,
    jobs: Sequence[Job],
    severity: str,
) -> Unmet:
    keys = keys_of(jobs)
    examples = tuple(job.id for job in jobs[:_NAMED])
    return Unmet(id_, subject, text, cure, (observed,), keys, len(keys), examples, severity)
