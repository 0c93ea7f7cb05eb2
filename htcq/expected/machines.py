"""Machines and access points that take matches and start nothing, or whose jobs do not last.

A machine that fails at once looks free, and is matched again first. Follows mark_job_stopped
(LastRemoteHost) of src/condor_schedd.V6/schedd.cpp, condor_holdcodes.h and the counters of
src/condor_startd.V6/ResMgr.h, HTCondor 25.14.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from htcq.classads import as_number
from htcq.expected.settled import in_use, settled_before
from htcq.expected.unmet import LASTS, STARTS, JobKey, Observed, Unmet, knobs_on_the_way
from htcq.htcondor.matching import SCHEDD, STARTD
from htcq.pool.job import HELD, IDLE, Job
from htcq.pool.pool import Pool, of_startd
from htcq.pool.slot import DYNAMIC, Slot
from htcq.pool.slot_state import closed_by
from htcq.units import CPUS, amount_of, counted, show_number

#: A start that fails once or twice may be an accident of the network.
_OFTEN = 3
#: By what failed: the machines, and the access points of jobs whose claims or shadows failed.
_MACHINE, _CLAIM, _SHADOW, _SHORT = "machine", "claim", "shadow", "short"
#: Holds that are the machine's, not the job's: a hook, accounts, the container runtime.
_HOLDS_OF_MACHINES = frozenset((19, 23, 28, 29, 30, 31, 45, 49))
_OUT = "'condor_drain' or 'condor_off -startd -peaceful -name MACHINE' takes it out of the pool"


@dataclass
class _Failing:
    """Jobs that did not start on one machine, or of one access point, and how often they tried."""

    jobs: list[Job] = field(default_factory=list)
    tries: int = 0
    #: How often the one that failed most did.
    most: int = 0

    @property
    def why(self) -> str:
        """For what most of them left the machine, as the last one that ran them says."""
        told = Counter(
            job.vacate_reason.strip() for job in self.jobs if isinstance(job.vacate_reason, str)
        )
        return told.most_common(1)[0][0] if told else ""


class _Startds:
    """The startds of a pool: what each has, and where jobs have run for a while."""

    def __init__(self, pool: Pool) -> None:
        moment = settled_before(pool)
        self.slots: dict[str, list[Slot]] = {}
        self.working = set[str]()
        for slot in pool.slots or ():
            self.slots.setdefault(slot.startd, []).append(slot)
            if in_use(slot, moment):
                self.working.add(slot.startd)

    def fails(self, name: str) -> bool:
        """Return whether no job has run there for a while, though its slots are open.

        Not where the startd is not known.
        """
        if name not in self.slots or name in self.working:
            return False
        return not all(closed_by(slot) for slot in self.slots[name] if slot.type != DYNAMIC)

    def starts_often(self, name: str) -> bool:
        """Return whether the startd has lately started several times as many jobs as fit it.

        One that is drained or preempted loses each job once.
        """
        counts = [as_number(slot.recent_starts) for slot in self.slots[name]]
        known = max((count for count in counts if count is not None), default=0)
        return known >= max(_OFTEN, 2 * self.cores(name))

    def cores(self, name: str) -> float:
        """Return the cores of all its slots."""
        whole = [each for each in self.slots[name] if each.type != DYNAMIC]
        return sum(as_number(each.total_slot_cpus) or 0 for each in whole)

    def described(self, name: str) -> str:
        """Return its name with its cores."""
        cores = self.cores(name)
        return f"{name} ({amount_of(CPUS, cores)})" if cores else name

    def counters(self, name: str) -> Iterator[Observed]:
        """Yield what the startd itself counted in the last minutes."""
        slots = self.slots[name]
        for attribute in ("RecentClaimRequests", "RecentActivationRequests", "RecentJobStarts"):
            counts = [as_number(slot.value(attribute)) for slot in slots]
            known = [count for count in counts if count is not None]
            if known:
                yield Observed(attribute, show_number(max(known)))


def failing_starts(pool: Pool) -> Iterator[Unmet]:
    """Yield what takes matches and starts nothing, and where nothing that starts lasts.

    The user writes his job's ad: a machine or an access point where jobs run is believed,
    whatever the ads of jobs say.
    """
    startds = _Startds(pool)
    for (what, where), failing in _failing(pool).items():
        if what in (_MACHINE, _SHORT):
            if not startds.fails(where) or failing.tries < _OFTEN:
                continue
            if what == _MACHINE or failing.most >= _OFTEN or startds.starts_often(where):
                yield _of_machine(pool, startds, what, where, failing)
        elif not _runs(pool, where):
            yield _of_access_point(pool, what, where, failing)


def _failing(pool: Pool) -> Mapping[tuple[str, str], _Failing]:
    """Return the jobs that were matched often and did not start, by what failed and where."""
    found: dict[tuple[str, str], _Failing] = {}
    for job in pool.jobs or ():
        for what, where, tries in _tries(job):
            failing = found.setdefault((what, where), _Failing())
            failing.jobs.append(job)
            failing.tries += tries
            failing.most = max(failing.most, tries)
    return found


def _tries(job: Job) -> Iterator[tuple[str, str, int]]:
    """Yield at what a job failed, where, and how often."""
    is_idle = job.status == IDLE and job.wanted > 0
    shadows = int(as_number(job.shadow_starts) or 0)
    starts = int(as_number(job.starts) or 0)
    host = job.last_host.partition("@")[2] if isinstance(job.last_host, str) else ""
    if job.status == HELD:
        code = as_number(job.frame.value("HoldReasonCode"))
        if host and code in _HOLDS_OF_MACHINES and shadows > starts:
            yield _MACHINE, host, shadows - starts
        return
    if not (is_idle or job.running):
        return
    completions = as_number(job.completions)
    ended = 0 if completions is None else starts - int(completions)
    if is_idle and shadows == 0:
        tries, what, where = int(as_number(job.matched) or 0), _CLAIM, job.access_point
    else:
        tries, what, where = shadows - starts, _SHADOW, job.access_point
    if host:
        what, where = _MACHINE, host
    if tries >= _OFTEN:
        yield what, where, tries
    elif host and is_idle and ended > 0:
        yield _SHORT, host, ended


def _runs(pool: Pool, access_point: str) -> bool:
    """Return whether a job of the access point has begun to run, and runs."""
    return any(
        job.running and as_number(job.starts) and job.access_point == access_point
        for job in pool.jobs or ()
    )


def _of_machine(pool: Pool, startds: _Startds, what: str, where: str, failing: _Failing) -> Unmet:
    slot = startds.slots[where][0]
    why = f" ({failing.why})" if failing.why else ""
    place, tries = startds.described(where), f"{failing.tries} times"
    text = f"were sent to {place} {tries}, and none of them began to run; no other job runs there"
    cure = f"StartLog and StarterLog of {where} say why. Until it is repaired, {_OUT}."
    if what == _SHORT:
        text = f"began to run on {place} {tries}, and none lasted{why}; no other job runs there"
        cure = f"PREEMPT, WANT_* and the wrapper of jobs on {where}; {cure}"
    elif all(job.status == HELD for job in failing.jobs):
        text = (
            f"went on hold on {place}{why}, and none of them began to run; no other job runs there"
        )
    return _unmet(
        LASTS if what == _SHORT else STARTS, f"machine {where}", failing, text, cure,
        (*startds.counters(where), *knobs_on_the_way(of_startd(pool.execute, slot), STARTD)),
    )  # fmt: skip


def _of_access_point(pool: Pool, what: str, where: str, failing: _Failing) -> Unmet:
    text = f"of {where} were matched {failing.tries} times, and no claim was granted"
    if what == _SHADOW:
        text = (
            f"of {where} were matched {failing.tries} times, and their shadows never reached a "
            "machine"
        )
    cure = f"SchedLog and ShadowLog of {where} say why; SHADOW is the program that it starts."
    observed = knobs_on_the_way(pool.schedd_configuration(where), SCHEDD)
    return _unmet(STARTS, f"access point {where}", failing, text, cure, observed)


def _unmet(
    id_: str, subject: str, failing: _Failing, text: str, cure: str, observed: tuple[Observed, ...]
) -> Unmet:
    first = failing.jobs[0]
    counts = [
        Observed("NumJobMatches", str(first.matched)),
        Observed("NumShadowStarts", str(first.shadow_starts)),
        Observed("NumJobStarts", str(first.starts)),
    ]
    kind = "job" if any(job.status == HELD for job in failing.jobs) else "waiting job"
    return Unmet(
        id_,
        subject,
        f"{counted(len(failing.jobs), kind)}, such as {first.id}, {text}",
        cure,
        (*observed, *counts),
        tuple(JobKey(job.access_point, job.id) for job in failing.jobs),
        len(failing.jobs),
        tuple(job.id for job in failing.jobs[:_OFTEN]),
    )
