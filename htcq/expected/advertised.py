"""Jobs of submitters of whom the collector has no ad: the negotiator never asks for them.

A schedd advertises each owner with idle jobs anew at least every SCHEDD_INTERVAL. A collector that
refuses such ads (COLLECTOR_REQUIREMENTS, ALLOW_ADVERTISE_SCHEDD) or loses them tells nobody.
Follows CollectorEngine::ValidateClassAd of src/condor_collector.V6/collector_engine.cpp and
Scheduler::count_jobs of src/condor_schedd.V6/schedd.cpp, HTCondor 25.14; seen on 25.14.1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from htcq.expected.settled import is_over, settled_before
from htcq.expected.unmet import MISSING, Observed, Unmet, keys_of, knobs_on_the_way, observed_knobs
from htcq.htcondor.matching import COLLECTOR
from htcq.pool.job import Job
from htcq.pool.slot_types import integer
from htcq.units import counted, listed, show_span
from htcq.why.match_failure import NOT_ADVERTISED
from htcq.why.verdict import Verdict, Verdicts

_NAMED = 3
#: How often a schedd sends its ads.
_INTERVALS = ("SCHEDD_INTERVAL", "SCHEDD_MIN_INTERVAL")
#: Nobody means more seconds: a new submitter waits so long for his first cycle.
_OFTEN = 600


def unadvertised(verdicts: Verdicts, found: Iterable[Verdict]) -> Iterator[Unmet]:
    """Yield the access points whose jobs have waited for three cycles without a submitter's ad.

    ``found`` are the verdicts on all idle jobs.
    """
    pool, moment = verdicts.pool, settled_before(verdicts.pool)
    known = {schedd.name for schedd in pool.schedds}
    waiting: dict[str, dict[str, list[Job]]] = {}
    for verdict in found:
        if moment is None or verdict.access_point not in known:
            continue
        if all(each.id != NOT_ADVERTISED for each in verdict.walls):
            continue
        jobs = [job for job in verdict.jobs if is_over(moment, job.queued_at, job.status_since)]
        if jobs:
            of_it = waiting.setdefault(verdict.access_point, {})
            of_it.setdefault(verdict.submitter, []).extend(jobs)
    for name, submitters in waiting.items():
        yield _unmet(verdicts, name, submitters)


def _unmet(verdicts: Verdicts, name: str, submitters: dict[str, list[Job]]) -> Unmet:
    jobs = [job for those in submitters.values() for job in those]
    pool = verdicts.pool
    access = pool.schedd_configuration(name)
    own = [access.knob(interval) for interval in _INTERVALS] if access is not None else []
    seconds = {name: integer(access, name, 0) for name in _INTERVALS} if access is not None else {}
    long = [each for each in own if each is not None and seconds[each.bare.upper()] > _OFTEN]
    text = (
        f"the negotiator never asks for {counted(len(jobs), 'idle job')} of {name}, such as "
        f"{pool.job_name(jobs[0])}: {name} advertises itself, but the collector has had no ad of "
        f"{counted(len(submitters), 'submitter')} ({listed(list(submitters))}) for three cycles"
    )
    cure = (
        f"CollectorLog and SchedLog of {name} say what becomes of its submitter ads: "
        "COLLECTOR_REQUIREMENTS, ALLOW_ADVERTISE_SCHEDD and DENY_ADVERTISE_SCHEDD of the collector "
        "may refuse them, and SCHEDD_INTERVAL of the access point says how often it sends them."
    )
    if long:
        text += f"; {listed(f'{each.name} = {each.value}' for each in long)} of {name}"
        verb = "lets" if len(long) == 1 else "let"
        text += f" {verb} it send them every {show_span(max(seconds.values()))}"
        cure = (
            f"A smaller {listed(each.name for each in long)} of {name}, then condor_reconfig there "
            f"(the defaults are 300 and 5 seconds). If that is not it, {cure}"
        )
    refuses = () if long else knobs_on_the_way(pool.central, COLLECTOR)
    first = observed_knobs(long)
    rest = [each for each in observed_knobs(own) if each not in first]
    return Unmet(
        MISSING,
        f"access point {name}",
        text,
        cure,
        (*first, Observed("SubmitterAds", "none"), *rest, *refuses),
        keys_of(jobs),
        len(jobs),
        tuple(job.id for job in jobs[:_NAMED]),
        cause=NOT_ADVERTISED,
    )
