"""Startds and schedds that ads refer to, and of which the collector has no ad, or a later one.

A job that runs names its startd (RemoteHost), an ad of a submitter its schedd (ScheddName), a claim
the schedd that has it (RemoteScheddName). The collector drops an ad that is not sent anew within
CLASSAD_LIFETIME, and tells nobody of one that it refuses (COLLECTOR_REQUIREMENTS and
ALLOW_ADVERTISE_*; src/condor_collector.V6/collector_engine.cpp, HTCondor 25.14; seen on 25.14.1).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from htcq.classads import as_number
from htcq.expected.settled import is_over, settled_before
from htcq.expected.unmet import (
    INFO,
    NO_AD,
    WARNING,
    Observed,
    Unmet,
    knobs_on_the_way,
    observed_knobs,
)
from htcq.htcondor.matching import COLLECTOR
from htcq.pool.daemons import SCHEDD
from htcq.pool.job import Job
from htcq.pool.left_out import AD
from htcq.pool.left_out import SCHEDD as A_SCHEDD
from htcq.pool.left_out import SLOT as A_SLOT
from htcq.pool.outlived import of_startds_before
from htcq.pool.pool import Pool
from htcq.pool.record import Record
from htcq.pool.slot import Slot
from htcq.pool.slot_state import utc
from htcq.poolquota.ailment import MIN_SECONDS, ObservedPool, heard_of
from htcq.poolquota.health import foreign_schedds
from htcq.units import CPUS, amount_of, counted, first_named, listed

_NAMED = 3
#: Of all machines: fewer that are gone are what happens in a large pool every day.
_EVERY_DAY = 0.01
#: Clocks differ by less: a job that began so long before its startd has lost it.
_CLOCKS = 60
_DAEMON = "condor_startd"
_LEASE = "JobLeaseDuration (40 minutes by default)"
#: How many jobs of a submitter the collector knows of.
_COUNTS = {"IdleJobs": "idle", "RunningJobs": "running", "HeldJobs": "held"}


def without_ads(pool: Pool) -> Iterator[Unmet]:
    """Yield the startds and schedds that ads refer to and that have none, or a later one."""
    moment = settled_before(pool)
    if moment is None or not pool.slots or pool.records is None:
        return
    left_out = {each.what for each in pool.left_out}
    if not left_out & {AD, A_SLOT}:
        yield from _startds(pool, moment)
    if not left_out & {AD, A_SCHEDD}:
        yield from _schedds(pool, moment)
    yield from _begun_anew(pool, moment)


def _ran_before(job: Job, moment: float) -> bool:
    return job.running and not job.parallel and is_over(moment, job.started_at)


def _host(job: Job) -> str:
    return job.remote_host.partition("@")[2] if isinstance(job.remote_host, str) else ""


def _cores(jobs: Sequence[Job]) -> str:
    return amount_of(CPUS, sum(as_number(job.frame.value("RequestCpus")) or 0 for job in jobs))


def _severity(machines: int, slots: Sequence[Slot]) -> str:
    every = {slot.startd for slot in slots}
    return WARNING if machines > _EVERY_DAY * len(every) else INFO


# Startds without an ad
# --------------------------------------------------------------------------------------------------


def _startds(pool: Pool, moment: float) -> Iterator[Unmet]:
    """Yield the startds where jobs have run for three cycles, and of which there is no ad."""
    slots = pool.slots or ()
    known = {slot.startd.lower() for slot in slots}
    elsewhere = _flocking(pool)
    here, gone = 0, dict[str, list[Job]]()
    for job in pool.jobs or ():
        host, name = _host(job), job.access_point
        if not host or not _ran_before(job, moment) or _is_elsewhere(job) or name in elsewhere:
            continue
        if host.lower() in known:
            here += 1
        else:
            gone.setdefault(host, []).append(job)
    # A capture that was made by hand may have the slots of a part of the pool.
    if not pool.taken_at and sum(map(len, gone.values())) > here:
        return
    severity = _severity(len(gone), slots)
    if len(gone) <= _NAMED:
        for host, jobs in gone.items():
            yield _startd(pool, f"machine {host}", host, jobs, severity)
    else:
        every = [job for jobs in gone.values() for job in jobs]
        what = f"{len(gone)} machines ({first_named(list(gone), _NAMED)})"
        yield _startd(pool, f"{len(gone)} machines", what, every, severity)


def _is_elsewhere(job: Job) -> bool:
    """Return whether it runs in another pool."""
    other = job.value("RemotePool")
    return isinstance(other, str) and bool(other.strip())


def _flocking(pool: Pool) -> frozenset[str]:
    """Return the access points whose jobs may run in another pool, though their ads do not say."""
    flocks = {each.name for each in pool.schedds if each.number("TotalFlockedJobs")}
    flocks |= {each.text("ScheddName") for each in pool.submitters if each.number("FlockedJobs")}
    tells = {job.access_point for job in pool.jobs or () if _is_elsewhere(job)}
    return frozenset(flocks - tells) | foreign_schedds(pool)


def _startd(pool: Pool, subject: str, what: str, jobs: Sequence[Job], severity: str) -> Unmet:
    hosts = sorted({_host(job) for job in jobs} & {*pool.execute})
    own = pool.execute[hosts[0]] if hosts else None
    it = "it" if subject.startswith("machine ") else "them"
    since = min(float(as_number(job.started_at) or 0) for job in jobs)
    verb = "runs" if len(jobs) == 1 else "run"
    updates = observed_knobs(() if own is None else [own.knob("UPDATE_INTERVAL")])
    return Unmet(
        NO_AD,
        subject,
        f"{counted(len(jobs), 'job')}, such as {pool.job_name(jobs[0])}, {verb} with "
        f"{_cores(jobs)} on {what} since {utc(since)}, and the collector has no ad of {it}: what "
        "else is there gets no job, and is in no sum of the pool",
        f"See whether {_DAEMON} runs there (condor_who). If it does, CollectorLog says whether its "
        "ads are refused (COLLECTOR_REQUIREMENTS, ALLOW_ADVERTISE_STARTD), COLLECTOR_HOST there "
        "where they go, and UPDATE_INTERVAL there has to be shorter than CLASSAD_LIFETIME. If it "
        f"does not, its jobs begin anew after {_LEASE}, or by condor_hold and condor_release.",
        (
            Observed("RemoteHost", str(jobs[0].remote_host)),
            *updates,
            *knobs_on_the_way(pool.central, COLLECTOR),
        ),
        count=len(jobs),
        examples=tuple(map(pool.job_name, jobs[:_NAMED])),
        severity=severity,
    )


# Access points without an ad
# --------------------------------------------------------------------------------------------------


def _schedds(pool: Pool, moment: float) -> Iterator[Unmet]:
    """Yield the schedds of which there are ads of submitters, or claims, and no ad."""
    known = {each.name.lower() for each in pool.schedds} | {""}
    if len(known) == 1:
        # A capture may be of slots and submitters alone.
        return
    foreign = {name.lower() for name in foreign_schedds(pool)}
    submitters, claims = dict[str, list[Record]](), dict[str, list[Slot]]()
    for each in pool.submitters:
        submitters.setdefault(each.text("ScheddName"), []).append(each)
    for slot in pool.slots or ():
        name = slot.remote_schedd
        is_ours = slot.claimed and slot.frame.value("IsDirectAttach") is not True
        if isinstance(name, str) and is_ours and is_over(moment, slot.state_since):
            claims.setdefault(name, []).append(slot)
    for name in {**submitters, **claims}:
        if name.lower() in known or name.lower() in foreign:
            continue
        ads = submitters.get(name, [])
        if _is_silent(pool, ads) if ads else name in claims:
            yield _schedd(pool, name, ads, claims.get(name, []))


def _is_silent(pool: Pool, ads: Sequence[Record]) -> bool:
    """Return whether a schedd has not sent the ads of its submitters for an interval and more.

    One that was just restarted has sent them within the interval.
    """
    seen = ObservedPool(pool)
    interval = seen.seconds("SCHEDD_INTERVAL", 300, SCHEDD, pool.access.values())
    heard = [each for each in map(heard_of, ads) if each is not None]
    return seen.now is not None and bool(heard) and seen.now - max(heard) > interval + MIN_SECONDS


def _schedd(pool: Pool, name: str, ads: Sequence[Record], claims: Sequence[Slot]) -> Unmet:
    text = f"the collector has no ad of the access point {name}"
    numbers = {each: int(sum(ad.number(each) or 0 for ad in ads)) for each in _COUNTS}
    if ads:
        last = max(heard for heard in map(heard_of, ads) if heard is not None)
        jobs = listed(f"{numbers[each]} {word}" for each, word in _COUNTS.items())
        text += (
            f", and {counted(len(ads), 'ad')} of its submitters "
            f"({listed([ad.name for ad in ads])}), the last of {utc(last)}, with {jobs} jobs"
        )
    if claims:
        cores = amount_of(CPUS, sum(as_number(slot.cpus) or 0 for slot in claims))
        text += f"; it has {counted(len(claims), 'claim')} with {cores}"
    return Unmet(
        NO_AD,
        f"access point {name}",
        f"{text}: its jobs are in no list of the pool, and no command finds it by its name",
        f"See whether condor_schedd runs on {name}. If it does, CollectorLog and its SchedLog say "
        "whether its ads are refused: ALLOW_ADVERTISE_SCHEDD, DENY_ADVERTISE_SCHEDD and "
        "COLLECTOR_REQUIREMENTS of the central manager, COLLECTOR_HOST and SEC_CLIENT_* of "
        f"{name}; 'condor_ping -type collector ADVERTISE_SCHEDD' there tries it.",
        (
            *(Observed(each, str(number)) for each, number in numbers.items() if ads),
            *knobs_on_the_way(pool.central, COLLECTOR),
        ),
        examples=(name,),
        severity=WARNING,
    )


# Startds that began anew
# --------------------------------------------------------------------------------------------------


def _begun_anew(pool: Pool, moment: float) -> Iterator[Unmet]:
    """Yield the startds whose claims, or jobs, are those of the startd before."""
    slots, old = pool.slots or (), dict[str, list[Slot]]()
    for slot in of_startds_before(slots):
        if is_over(moment, slot.last_heard):
            old.setdefault(slot.startd, []).append(slot)
    begun = _begun(slots)
    gone = {slot.name for of_one in old.values() for slot in of_one}
    # One whose startd began before is alive, whatever the ad of its parent says.
    of_slots = {slot.name: as_number(slot.daemon_start_time) for slot in slots}
    lost: dict[str, list[Job]] = {}
    for job in pool.jobs or ():
        host, since = _host(job), as_number(job.started_at)
        if not job.running or host not in begun or since is None or _is_elsewhere(job):
            continue
        start = of_slots.get(job.remote_host) or begun[host]
        is_before = _ran_before(job, moment) and since + _CLOCKS < start
        if is_before or job.remote_host in gone:
            lost.setdefault(host, []).append(job)
    found = dict.fromkeys((*old, *lost))
    severity = _severity(len(found), slots)
    for host in found:
        yield _anew(pool, host, begun[host], old.get(host, []), lost.get(host, []), severity)


def _begun(slots: Sequence[Slot]) -> Mapping[str, float]:
    """Return when each startd began, as the newest of its ads say."""
    begun: dict[str, float] = {}
    for slot in slots:
        since = as_number(slot.daemon_start_time)
        if since is not None:
            begun[slot.startd] = max(begun.get(slot.startd, 0.0), float(since))
    return begun


def _anew(
    pool: Pool, host: str, since: float, old: Sequence[Slot], lost: Sequence[Job], severity: str
) -> Unmet:
    text = f"{_DAEMON} of {host} began anew at {utc(since)}"
    if old:
        cores = amount_of(CPUS, sum(as_number(slot.cpus) or 0 for slot in old))
        text += (
            f", and {counted(len(old), 'dynamic slot')} with {cores} are of the one before: nobody "
            "has these claims any more"
        )
    if lost:
        verb, by = ("runs", "its schedd") if len(lost) == 1 else ("run", "their schedds")
        text += (
            f"; {counted(len(lost), 'job')}, such as {pool.job_name(lost[0])}, still {verb} there "
            f"for {by}, with {_cores(lost)}"
        )
    started = Observed("DaemonStartTime", f"{since:.0f}")
    before = [Observed(str(each.name), f"DaemonStartTime {each.daemon_start_time}") for each in old]
    return Unmet(
        NO_AD,
        f"machine {host}",
        text,
        f"MasterLog and StartLog of {host} say why it ended, and whether it does so again and "
        f"again; then 'condor_off -startd -name {host}' keeps it out of the pool until that is "
        "repaired. "
        f"Its jobs begin anew after {_LEASE}, or by condor_hold and condor_release.",
        (started, *before[:_NAMED]),
        count=max(1, len(lost)),
        examples=(*map(pool.job_name, lost[:_NAMED]),) or (host,),
        severity=severity,
    )
