"""Jobs that wait in their slots until their DeferralTime.

condor_submit writes into Requirements of a job with deferral_time that it matches a few minutes
before that (SetRequirements of src/condor_utils/submit_utils.cpp, deferral_prep_time). One whose ad
gets DeferralTime from a transform matches at once, and its starter waits in the slot
(Starter::jobWaitUntilExecuteTime of src/condor_starter.V6.1/starter.cpp, HTCondor 25.14; seen on
25.14.1).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from htcq.classads import as_number
from htcq.expected.settled import since_first
from htcq.expected.unmet import (
    ERROR,
    INFO,
    STARTS,
    Observed,
    Unmet,
    keys_of,
    observed_knobs,
)
from htcq.pool.job import Job
from htcq.pool.pool import Pool
from htcq.pool.set_by_access_point import setters_of
from htcq.pool.slot_state import utc
from htcq.units import counted

_DEFERRAL = "DeferralTime"
#: Seconds before it in which a job may wait in its slot: deferral_prep_time is 300 by default.
_PREPARED = 600.0
_NAMED = 3


def deferred_until(job: Job, now: float) -> float | None:
    """Return the DeferralTime of a job that waits for it longer than it should; else None."""
    if not job.frame.text(_DEFERRAL) and (job.life is None or not job.life.text(_DEFERRAL)):
        return None
    at = as_number(job.whole_ad().value(_DEFERRAL))
    return float(at) if at is not None and at > now + _PREPARED else None


def deferred_in_slots(pool: Pool, jobs: Iterable[tuple[Job, float | None]]) -> Iterator[Unmet]:
    """Yield the access points of ``jobs`` that wait in slots until the times that go with them.

    None stands for a job that waits for something else.
    """
    queues: dict[str, list[tuple[Job, float]]] = {}
    for job, until in jobs:
        if until is not None:
            queues.setdefault(job.access_point, []).append((job, until))
    for name, those in queues.items():
        yield _unmet(pool, name, those)


def _unmet(pool: Pool, name: str, those: Sequence[tuple[Job, float]]) -> Unmet:
    jobs, times = [job for job, _ in those], [until for _, until in those]
    knobs = setters_of(pool.schedd_configuration(name), _DEFERRAL, pool.schedd_version(name))
    since = since_first(job.started_at for job in jobs)
    when = utc(min(times)) if utc(min(times)) == utc(max(times)) else f"{utc(min(times))} or later"
    text = (
        f"{counted(len(jobs), 'job')} of {name}, such as {pool.job_name(jobs[0])}, "
        f"{'has a claim' if len(jobs) == 1 else 'have claims'}{since} and wait there "
        f"for their DeferralTime, {when}: the cores do nothing until then"
    )
    cure = (
        "condor_vacate_job and condor_hold give the cores back; deferral_time in the submit file, "
        "not DeferralTime alone, keeps a job from a slot until its time comes."
    )
    if knobs:
        named = " and ".join(each.name for each in knobs)
        text += f"; {named} of {name} sets it"
        cure = (
            f"{named} of {name}: which jobs it is for (REQUIREMENTS), then condor_reconfig there; "
            f"for these jobs condor_qedit -name {name} of DeferralTime to undefined, then "
            "condor_vacate_job. Their machines are sound."
        )
    return Unmet(
        STARTS,
        f"access point {name}",
        text,
        cure,
        (*observed_knobs(knobs), Observed(_DEFERRAL, f"{min(times):.0f}")),
        keys_of(jobs),
        len(jobs),
        tuple(job.id for job in jobs[:_NAMED]),
        # What an owner asks for is his matter.
        ERROR if knobs else INFO,
    )
