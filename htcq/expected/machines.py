"""Machines and access points that take matches and start nothing, or whose jobs do not last.

A machine that fails at once looks free, and is matched again first. Follows mark_job_stopped
(LastRemoteHost) of src/condor_schedd.V6/schedd.cpp, condor_holdcodes.h and the counters of
src/condor_startd.V6/ResMgr.h, HTCondor 25.14.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from htcq.classads import as_number
from htcq.expected.either_end import at_either_end
from htcq.expected.held import OF_MACHINES
from htcq.expected.in_vain import end_in_vain
from htcq.expected.preempting import is_restless
from htcq.expected.startds import ACTIVATIONS, CLAIMS, STARTED, Startds, host_of
from htcq.expected.unmet import (
    CLAIM,
    ERROR,
    LAST,
    LASTS,
    OTHERS,
    START,
    STARTS,
    WARNING,
    Observed,
    Unmet,
    deciding,
    keys_of,
    knobs_on_the_way,
    observed_knobs,
)
from htcq.htcondor.matching import SCHEDD, STARTD
from htcq.pool.job import HELD, Job
from htcq.pool.pool import Pool, of_startd
from htcq.pool.slot_state import OWNER, is_owned_and_open
from htcq.units import counted, listed, show_number, show_span

#: A start that fails once or twice may be an accident of the network.
_OFTEN = 3
#: Of the starts of a machine, those that were ended by others; jobs that move on are not counted.
_GOOD_PART = 0.25
#: By what failed: the machines, and the access points of jobs whose claims or shadows failed.
_MACHINE, _CLAIM, _SHADOW = "machine", "claim", "shadow"
_IS_OWNER = "IS_OWNER"
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
    def hosts(self) -> set[str]:
        """The machines that had them last."""
        return {host_of(job) for job in self.jobs}

    @property
    def verb(self) -> str:
        """The verb that goes with their number."""
        return "was" if len(self.jobs) == 1 else "were"

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


def failing_starts(pool: Pool) -> Iterator[Unmet]:
    """Yield what takes matches and starts nothing, and where nothing that starts lasts.

    The user writes his job's ad: a machine or an access point where jobs run is believed,
    whatever the ads of jobs say.
    """
    startds = Startds(pool)
    found = tuple(at_either_end(pool, startds, tuple(_failing_starts(pool, startds))))
    yield from found
    places = {each.subject for each in found}
    yield from (each for each in _refusing_owners(pool, startds) if each.subject not in places)


def _failing_starts(pool: Pool, startds: Startds) -> Iterator[Unmet]:
    rest: dict[str, _Failing] = {}
    for (what, where), failing in _failing(pool).items():
        if what != _MACHINE:
            if not _runs(pool, where):
                yield _of_access_point(pool, what, where, failing)
            continue
        id_ = _kind(startds, where, failing) if startds.fails(where) else ""
        if id_ == LASTS and is_restless(startds.slots[where]):
            # It gives its cores to others, which is told as that.
            continue
        if id_:
            yield _of_machine(pool, startds, id_, where, failing)
        else:
            rest[where] = failing
    others: dict[str, _Failing] = {}
    for failing in rest.values():
        _add_never_begun(others, failing)
    # Machines that serve others are not what ends all shadows of one access point.
    broken = {
        name: failing
        for name, failing in others.items()
        if len(failing.hosts) > 1 and not startds.serves(name)
    }
    for name, failing in broken.items():
        yield _of_access_point(pool, _SHADOW, name, failing)
    for where, failing in rest.items():
        of_others = any(job.access_point not in broken for job in failing.jobs)
        if of_others and failing.most_tries >= _OFTEN and startds.wastes_claims(where):
            yield _wasting(pool, startds, where, failing)


def _refusing_owners(pool: Pool, startds: Startds) -> Iterator[Unmet]:
    """Yield the machines that are matched and refuse every claim, since IS_OWNER is true there.

    The negotiator looks at Requirements alone, not at the state Owner that comes of IS_OWNER.
    Where START is false too no request comes.
    """
    waits = any(job.wanted for job in pool.jobs or ())
    for where, slots in startds.slots.items():
        asked, used = startds.count(where, CLAIMS), startds.count(where, ACTIVATIONS)
        if used != 0 or (asked or 0) < _OFTEN or not all(map(is_owned_and_open, slots)):
            continue
        own = of_startd(pool.execute, slots[0])
        decides = observed_knobs(() if own is None else [own.knob(_IS_OWNER)])
        observed = (*startds.counters(where), *decides)
        yield Unmet(
            STARTS, f"machine {where}",
            f"{startds.described(where)} refused {show_number(asked or 0)} claims in the last "
            f"{show_span(startds.window(where))}, and none came to a start: all of its slots are "
            "in the state Owner, though START takes jobs",
            f"{_IS_OWNER} of {where}, which is false by default.",
            observed, count=len(slots), examples=tuple(str(each.name) for each in slots[:_OFTEN]),
            severity=ERROR if waits else WARNING, cause=OWNER,
        )  # fmt: skip


def _add_never_begun(others: dict[str, _Failing], failing: _Failing) -> None:
    """Sort the jobs that never began to run, whichever machine had them last, by access point."""
    for job in failing.jobs:
        tries = int(as_number(job.shadow_starts) or 0)
        if job.status != HELD and not as_number(job.starts) and tries >= _OFTEN:
            others.setdefault(job.access_point, _Failing()).add(job, tries, 0)


def _failing(pool: Pool) -> Mapping[tuple[str, str], _Failing]:
    """Return the jobs that were matched often and did not run, by what failed and where."""
    found: dict[tuple[str, str], _Failing] = {}
    looping = end_in_vain(pool)
    for job in pool.jobs or ():
        if job.access_point in looping:
            # What its own access point ends is no machine's fault.
            continue
        host = host_of(job)
        shadows = int(as_number(job.shadow_starts) or 0)
        tries = shadows - int(as_number(job.starts) or 0)
        ended, is_idle = _ended(job), job.wanted > 0
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
    return as_number(job.frame.value("HoldReasonCode")) in OF_MACHINES


def _kind(startds: Startds, where: str, failing: _Failing) -> str:
    """Return what a machine does: it starts nothing, or nothing lasts; empty where neither is sure.

    The startd's own counters decide. One that is drained or preempted loses each job once.
    """
    never = failing.most_tries >= _OFTEN or (failing.is_held and failing.tries >= _OFTEN)
    started, asked = startds.count(where, STARTED), startds.count(where, ACTIVATIONS)
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


def _of_machine(pool: Pool, startds: Startds, id_: str, where: str, failing: _Failing) -> Unmet:
    own = of_startd(pool.execute, startds.slots[where][0])
    stages: tuple[str, ...] = (LAST,) if id_ == LASTS else (START,)
    if id_ == STARTS and startds.count(where, ACTIVATIONS) == 0:
        stages = (CLAIM, START)
    knobs = knobs_on_the_way(own, STARTD, *stages, peers=pool.execute)
    why = f" ({failing.why})" if failing.why else ""
    place = startds.described(where)
    cure = f"StartLog and StarterLog of {where} say why. Until it is repaired, {_OUT}."
    if id_ == LASTS:
        count = startds.count(where, STARTED) or failing.ended
        text = (
            f"began to run on {place}, and none lasted{why}; it started "
            f"{show_number(count)} jobs lately"
        )
        suspects = listed(deciding(knobs, STARTD, LAST))
        if own is None:
            suspects = "PREEMPT, WANT_* and the wrapper of jobs"
        cure = f"{suspects} of {where}; {cure}" if suspects else cure
    elif failing.is_held:
        text = f"went on hold on {place}{why} before they began to run"
    else:
        count = startds.count(where, ACTIVATIONS) or failing.tries
        text = (
            f"{failing.verb} sent to {place} {show_number(count)} times, and none of them began "
            "to run"
        )
    return _unmet(
        pool, id_, f"machine {where}", failing, f"{text}; no other job runs there", cure,
        (*startds.counters(where), *knobs), (where,),
    )  # fmt: skip


def _wasting(pool: Pool, startds: Startds, where: str, failing: _Failing) -> Unmet:
    """Return a machine that loses most claims before a job starts, though some jobs run there."""
    slot = startds.slots[where][0]
    claims, used = startds.count(where, CLAIMS), startds.count(where, ACTIVATIONS)
    why = f" ({failing.why})" if failing.why else ""
    observed = [*startds.counters(where)]
    observed += knobs_on_the_way(
        of_startd(pool.execute, slot), STARTD, CLAIM, START, peers=pool.execute
    )
    cure = f"StartLog and StarterLog of {where} say why"
    names = sorted({job.access_point for job in failing.jobs})
    if len(names) == 1:
        # No other access point shows that the shadows of this one are not at fault.
        cure = f"StartLog of {where} and ShadowLog of {names[0]} say which of them ends the claims"
        own = knobs_on_the_way(
            pool.schedd_configuration(names[0]), SCHEDD, START, peers=pool.access
        )
        observed += [each for each in own if each.name != OTHERS]
    found = _unmet(
        pool, STARTS, f"machine {where}", failing,
        f"{failing.verb} sent to {startds.described(where)} {failing.tries} times and lost the "
        f"claims there{why}; of {show_number(claims or 0)} claims in "
        f"{show_span(startds.window(where))} {show_number(used or 0)} came to a start",
        f"{cure}. Until it is repaired, {_OUT}.", tuple(observed), (where,),
    )  # fmt: skip
    return found if startds.fails(where) else replace(found, severity=WARNING, machines=())


def _of_access_point(pool: Pool, what: str, where: str, failing: _Failing) -> Unmet:
    text = f"of {where} {failing.verb} matched {failing.tries} times, and no claim was granted"
    if what == _SHADOW:
        text = (
            f"of {where} {failing.verb} matched {failing.tries} times, and their shadows never "
            "reached a machine"
        )
    if failing.hosts != {""}:
        text = (
            f"of {where} got {failing.tries} shadows, and all of these ended before a job began to "
            f"run, on {counted(len(failing.hosts), 'machine')}"
        )
    cure = f"SchedLog and ShadowLog of {where} say why; SHADOW is the program that it starts."
    stage = CLAIM if what == _CLAIM else START
    observed = knobs_on_the_way(pool.schedd_configuration(where), SCHEDD, stage, peers=pool.access)
    return _unmet(pool, STARTS, f"access point {where}", failing, text, cure, observed)


def _unmet(
    pool: Pool, id_: str, subject: str, failing: _Failing, text: str, cure: str,
    observed: tuple[Observed, ...], machines: tuple[str, ...] = (),
) -> Unmet:  # fmt: skip
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
        f"{counted(len(failing.jobs), kind)}, such as {pool.job_name(first)}, {text}",
        cure,
        (*observed, *counts),
        keys_of(failing.jobs),
        len(failing.jobs),
        tuple(map(pool.job_name, failing.jobs[:_OFTEN])),
        machines=machines,
    )
