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
#: Of the starts of a machine, those that were ended by others; jobs that move on are not counted.
_GOOD_PART = 0.25
#: By what failed: the machines, and the access points of jobs whose claims or shadows failed.
_MACHINE, _CLAIM, _SHADOW = "machine", "claim", "shadow"
#: What a startd counts.
_CLAIMS, _ACTIVATIONS, _STARTED = (
    "RecentClaimRequests",
    "RecentActivationRequests",
    "RecentJobStarts",
)
#: Holds that are the machine's, not the job's: a hook, accounts, the container runtime.
_HOLDS_OF_MACHINES = frozenset((19, 23, 28, 29, 30, 31, 45, 49))
_OUT = "'condor_drain' or 'condor_off -startd -peaceful -name MACHINE' takes it out of the pool"


@dataclass
class _Failing:
    """Jobs that failed at one place: how often they did not begin to run, and were ended there.

    ``most_tries`` and ``most_ended`` are those of the job that failed most often.
    """

    jobs: list[Job] = field(default_factory=list)
    tries: int = 0
    ended: int = 0
    most_tries: int = 0
    most_ended: int = 0

    def add(self, job: Job, tries: int, ended: int) -> None:
        """Count one job."""
        self.jobs.append(job)
        self.tries += tries
        self.ended += ended
        self.most_tries = max(self.most_tries, tries)
        self.most_ended = max(self.most_ended, ended)

    @property
    def is_held(self) -> bool:
        """Whether all of them are on hold."""
        return all(job.status == HELD for job in self.jobs)

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

    def count(self, name: str, attribute: str) -> float | None:
        """Return what the startd itself counted in the last minutes; None where no ad says."""
        counts = [as_number(slot.value(attribute)) for slot in self.slots[name]]
        return max((count for count in counts if count is not None), default=None)

    def cores(self, name: str) -> float:
        """Return the cores of all its slots."""
        whole = [each for each in self.slots[name] if each.type != DYNAMIC]
        return sum(as_number(each.total_slot_cpus) or 0 for each in whole)

    def described(self, name: str) -> str:
        """Return its name with its cores."""
        cores = self.cores(name)
        return f"{name} ({amount_of(CPUS, cores)})" if cores else name

    def counters(self, name: str) -> Iterator[Observed]:
        """Yield all that the startd itself counted."""
        for attribute in (_CLAIMS, _ACTIVATIONS, _STARTED):
            count = self.count(name, attribute)
            if count is not None:
                yield Observed(attribute, show_number(count))


def failing_starts(pool: Pool) -> Iterator[Unmet]:
    """Yield what takes matches and starts nothing, and where nothing that starts lasts.

    The user writes his job's ad: a machine or an access point where jobs run is believed,
    whatever the ads of jobs say.
    """
    startds = _Startds(pool)
    for (what, where), failing in _failing(pool).items():
        if what != _MACHINE:
            if not _runs(pool, where):
                yield _of_access_point(pool, what, where, failing)
            continue
        id_ = _kind(startds, where, failing) if startds.fails(where) else ""
        if id_:
            yield _of_machine(pool, startds, id_, where, failing)


def _failing(pool: Pool) -> Mapping[tuple[str, str], _Failing]:
    """Return the jobs that were matched often and did not run, by what failed and where."""
    found: dict[tuple[str, str], _Failing] = {}
    for job in pool.jobs or ():
        host = job.last_host.partition("@")[2] if isinstance(job.last_host, str) else ""
        shadows = int(as_number(job.shadow_starts) or 0)
        tries = shadows - int(as_number(job.starts) or 0)
        ended, is_idle = _ended(job), job.status == IDLE and job.wanted > 0
        if job.status == HELD:
            if host and _is_held_by_machine(job) and tries > 0:
                found.setdefault((_MACHINE, host), _Failing()).add(job, tries, 0)
        elif host:
            if (is_idle or job.running) and (tries >= _OFTEN or ended):
                found.setdefault((_MACHINE, host), _Failing()).add(job, max(0, tries), ended)
        elif is_idle or job.running:
            what = _SHADOW
            if is_idle and shadows == 0:
                what, tries = _CLAIM, int(as_number(job.matched) or 0)
            if tries >= _OFTEN:
                found.setdefault((what, job.access_point), _Failing()).add(job, tries, 0)
    return found


def _ended(job: Job) -> int:
    """Return how often a job began to run and was ended by others; 0 where its ad does not say.

    Of one that runs the last start may be counted already.
    """
    starts, completions = as_number(job.starts), as_number(job.completions)
    if starts is None or completions is None:
        return 0
    return max(0, int(starts - completions) - (1 if job.running else 0))


def _is_held_by_machine(job: Job) -> bool:
    return as_number(job.frame.value("HoldReasonCode")) in _HOLDS_OF_MACHINES


def _kind(startds: _Startds, where: str, failing: _Failing) -> str:
    """Return what a machine does: it starts nothing, or nothing lasts; empty where neither is sure.

    The startd's own counters decide. One that is drained or preempted loses each job once.
    """
    never = failing.most_tries >= _OFTEN or (failing.is_held and failing.tries >= _OFTEN)
    started, asked = startds.count(where, _STARTED), startds.count(where, _ACTIVATIONS)
    if started is None or asked is None:
        return STARTS if never else LASTS if failing.most_ended >= _OFTEN else ""
    if asked < _OFTEN:
        return ""
    if started == 0 or failing.ended == 0:
        return STARTS if never else ""
    often = started >= max(_OFTEN, 2 * startds.cores(where))
    # Of all that it started a good part must have been ended: the rest may have run to its end.
    return LASTS if often and failing.ended >= max(_OFTEN, started * _GOOD_PART) else ""


def _runs(pool: Pool, access_point: str) -> bool:
    """Return whether a job of the access point has begun to run, and runs."""
    return any(
        job.running and as_number(job.starts) and job.access_point == access_point
        for job in pool.jobs or ()
    )


def _of_machine(pool: Pool, startds: _Startds, id_: str, where: str, failing: _Failing) -> Unmet:
    slot = startds.slots[where][0]
    why = f" ({failing.why})" if failing.why else ""
    place = startds.described(where)
    cure = f"StartLog and StarterLog of {where} say why. Until it is repaired, {_OUT}."
    if id_ == LASTS:
        count = startds.count(where, _STARTED) or failing.ended
        text = (
            f"began to run on {place}, and none lasted{why}; it started "
            f"{show_number(count)} jobs lately"
        )
        cure = f"PREEMPT, WANT_* and the wrapper of jobs on {where}; {cure}"
    elif failing.is_held:
        text = f"went on hold on {place}{why} before they began to run"
    else:
        count = startds.count(where, _ACTIVATIONS) or failing.tries
        text = f"were sent to {place} {show_number(count)} times, and none of them began to run"
    return _unmet(
        id_, f"machine {where}", failing, f"{text}; no other job runs there", cure,
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
