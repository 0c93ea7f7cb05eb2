"""Jobs that the simulated cycle starts have waited through completed cycles without a start.

Follows publishNegotiationCycleStats of src/condor_negotiator.V6/matchmaker.cpp, HTCondor 25.14.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from htcq.classads import UNDEFINED, as_number
from htcq.expected.served import Limits, Served, rejection_since, served_by, served_without_limit
from htcq.expected.settled import CYCLES, is_over, last_cycles
from htcq.expected.startds import ACTIVATIONS, CLAIMS
from htcq.expected.unmet import CLAIM, MISSING, Observed, Unmet, keys_of, knobs_on_the_way
from htcq.htcondor.knob_types import knob_type
from htcq.htcondor.matching import NEGOTIATOR, SCHEDD, STARTD, is_followed
from htcq.htcondor.starting import is_default
from htcq.pool.completed_cycles import CompletedCycle
from htcq.pool.job import IDLE, Job
from htcq.pool.pool import Pool, of_startd
from htcq.pool.slot import PARTITIONABLE, Slot
from htcq.poolquota.ailment import NO_ANSWER
from htcq.simulate.cycle.search import NO_MATCH
from htcq.simulate.cycle.trace import Match, Trace
from htcq.units import counted, show_number

#: How many knobs are shown.
_SHOWN, _SENTENCES = 12, 5
#: In so many cycles each request has its turn, unless a limit keeps it.
_ENOUGH = 20
#: A startd that refuses a claim once or twice may have been busy.
_OFTEN = 3
#: And how many machines, if it is theirs.
_APART = 5
_CONFIGURATION = "configuration of "
_NONE: Mapping[tuple[str, str], str] = {}


@dataclass(frozen=True)
class _Reality:
    """What the last cycles did: the number of matches, of requests, and since when."""

    cycles: Sequence[CompletedCycle]
    matches: int
    considered: int
    since: float
    #: Whether no slot was claimed or given back since the first of them began.
    quiet: bool
    #: The machines that did not answer when they were asked for their configuration.
    silent: frozenset[str]
    #: Submitters that got claims in these cycles, and came to no limit.
    served: frozenset[Served]
    limits: Limits
    #: A moment before so many cycles that every request had its turn; None where quotas or a
    #: negotiator that began since then may be why it had not.
    long_ago: float | None


def has_statistics(pool: Pool) -> bool:
    """Return whether the negotiator's ad has what is needed of the last three cycles."""
    cycles = last_cycles(pool)
    return len(cycles) == CYCLES and None not in (cycle.matches for cycle in cycles)


def missing_starts(
    pool: Pool, trace: Trace, leftovers: Mapping[tuple[str, str], str] = _NONE
) -> Iterator[Unmet]:
    """Yield the jobs that the simulated cycle ``trace`` starts, and that no completed one did.

    ``leftovers`` has, by job, the slot whose rest its schedd starts that job in.
    """
    if not pool.negotiators or not has_statistics(pool):
        return
    slots = {str(slot.name): slot for slot in pool.slots or ()}
    reality = _reality(pool, slots)
    waiting = {
        (_access_point(job), job.id, job.submitter): job
        for job in pool.jobs or ()
        if job.wanted and job.status == IDLE and _waits_since(job, reality.since)
    }
    missing = [
        match
        for match in trace.matches
        if not (match.preempts or match.refusal)
        and (job := waiting.get((match.access_point, match.job, match.submitter))) is not None
        and _contradicts(reality, job, slots.get(match.slot))
    ]
    for of_one in _apart(reality, missing, slots):
        jobs = [waiting[each.access_point, each.job, each.submitter] for each in of_one]
        own = {(each.access_point, each.slot) for each in of_one}
        jobs += [
            job
            for (name, id_, _), job in waiting.items()
            if (name, leftovers.get((name, id_))) in own
        ]
        yield _unmet(pool, reality, of_one, jobs, slots, trace.unmodelled)


def _access_point(job: Job) -> str:
    """Return the access point of a job as a match names it."""
    return job.schedd if isinstance(job.schedd, str) else ""


def _apart(
    reality: _Reality, missing: Sequence[Match], slots: Mapping[str, Slot]
) -> Sequence[Sequence[Match]]:
    """Return the missing matches by what may be the cause.

    Where cycles matched jobs that is each machine by itself; else it is the negotiator.
    """
    if not reality.matches:
        return [missing] if missing else []
    found: dict[str, list[Match]] = {}
    for match in missing:
        slot = slots.get(match.slot)
        found.setdefault("" if slot is None else slot.startd, []).append(match)
    return sorted(found.values(), key=len, reverse=True)[:_APART]


def _reality(pool: Pool, slots: Mapping[str, Slot]) -> _Reality:
    cycles = last_cycles(pool)
    since, limits = cycles[-1].begin, Limits(pool, cycles)
    return _Reality(
        cycles,
        int(sum(cycle.matches or 0 for cycle in cycles)),
        int(sum(cycle.considered or 0 for cycle in cycles)),
        since,
        not any(_changed(slot, since) for slot in slots.values()),
        frozenset(
            what[len(_CONFIGURATION) :]
            for what, why in pool.failed
            if what.startswith(_CONFIGURATION) and NO_ANSWER.match(why)
        ),
        served_without_limit(pool, since, limits),
        limits,
        _long_ago(pool, cycles),
    )


def _long_ago(pool: Pool, cycles: Sequence[CompletedCycle]) -> float | None:
    """Return a moment before ``_ENOUGH`` cycles; None where quotas may have kept a submitter.

    A group that has used its quota is asked for nothing, and no ad says so afterwards.
    """
    first, last = cycles[-1].begin, cycles[0].begin
    moment = last - (_ENOUGH - 1) * (last - first) / (CYCLES - 1)
    began = [each.number("DaemonStartTime") or 0 for each in pool.negotiators]
    grouped = pool.central is not None and pool.central.value("GROUP_NAMES").strip()
    return None if grouped or max(began, default=0) > moment else moment


def _changed(slot: Slot, moment: float) -> bool:
    """Return whether a slot was claimed, freed or split since ``moment``."""
    times = (slot.state_since, slot.activity_since, slot.split_since)
    return not is_over(moment, *times) and any(as_number(time) is not None for time in times)


def _waits_since(job: Job, moment: float) -> bool:
    """Return whether the job was in the queue, idle and not cooling down, before ``moment``."""
    return is_over(moment, job.queued_at, job.status_since, job.cool_down_until)


def _contradicts(reality: _Reality, job: Job, slot: Slot | None) -> bool:
    """Return whether the last cycles should have matched ``job`` with ``slot`` as well.

    Where nobody was asked, they should. Where jobs were asked, the slot must have been free all the
    time, and its startd answers nobody, or the negotiator said that nothing matches the job, or
    nothing at all has changed: what a job waits for besides, a limit or its turn, is over when
    others end. Where others come and go, the job's submitter got other slots meanwhile, and came to
    no limit; or many cycles have gone by, so that its turn has come.
    """
    if not reality.considered and not reality.matches:
        return True
    if slot is None or not _free_since(slot, reality.since):
        return False
    if slot.startd in reality.silent or slot.machine in reality.silent:
        return True
    told = rejection_since(job, reality.since)
    if told:
        return told == NO_MATCH
    is_served = served_by(job.access_point, job.submitter) in reality.served
    return reality.quiet or is_served or _had_its_turn(reality, job, slot)


def _had_its_turn(reality: _Reality, job: Job, slot: Slot) -> bool:
    """Return whether ``job`` and ``slot`` have waited through so many cycles that no turn is late.

    Not where a limit may have kept the job.
    """
    moment = reality.long_ago
    if moment is None or reality.limits.may_keep(job.access_point, job.submitter):
        return False
    is_limited = rejection_since(job, moment) not in ("", NO_MATCH)
    return not is_limited and _waits_since(job, moment) and _free_since(slot, moment)


def _free_since(slot: Slot, moment: float) -> bool:
    """Return whether all of a slot was free before ``moment``."""
    if slot.state != "Unclaimed":
        return False
    if _refuses_claims(slot) and is_over(moment, slot.split_since):
        # It leaves its state for each claim that it refuses.
        return True
    if as_number(slot.dynamic_slots) and as_number(slot.split_since) is None:
        # When a part of it became free its ad does not say.
        return False
    return is_over(moment, slot.state_since, slot.activity_since, slot.split_since)


def _refuses_claims(slot: Slot) -> bool:
    """Return whether the startd of an undivided slot was asked for claims lately, and none began.

    A partitionable slot that has not been split since then has granted none.
    """
    if slot.type != PARTITIONABLE or as_number(slot.dynamic_slots) or slot.split_since is UNDEFINED:
        return False
    asked, used = as_number(slot.value(CLAIMS)), as_number(slot.value(ACTIVATIONS))
    return used == 0 and (asked or 0) >= _OFTEN


def _unmet(
    pool: Pool,
    reality: _Reality,
    missing: Sequence[Match],
    jobs: Sequence[Job],
    slots: Mapping[str, Slot],
    unmodelled: Sequence[str],
) -> Unmet:
    which = "it" if len(jobs) == 1 else "the first"
    first, names = missing[0], tuple(map(pool.job_name, jobs[:CYCLES]))
    text = (
        f"{counted(len(jobs), 'idle job')}, such as {names[0]}, should have started: the "
        f"simulated cycle matches {which} with {first.slot}, but the last "
        f"{len(reality.cycles)} cycles considered {counted(reality.considered, 'request')} and "
    )
    if reality.matches:
        text += f"matched {reality.matches}, of which no claim of {first.slot} came"
    else:
        text += "matched none"
    observed = [Observed(*each) for each in _not_followed(pool)][:_SHOWN]
    sentences = tuple(dict.fromkeys(unmodelled))
    observed += [Observed("not followed", each) for each in sentences[:_SENTENCES]]
    if len(sentences) > _SENTENCES:
        observed.append(Observed("others not followed", str(len(sentences) - _SENTENCES)))
    slot = slots.get(first.slot)
    cure = (
        "One of the knobs that are listed may be the cause. NegotiatorLog at D_FULLDEBUG says what "
        "happens to each submitter"
    )
    if not reality.considered:
        # The schedd had nothing to offer: what it may start is its own matter.
        access = pool.schedd_configuration(jobs[0].access_point)
        observed = [*knobs_on_the_way(access, SCHEDD, CLAIM, peers=pool.access), *observed]
        cure += f", SchedLog of {jobs[0].access_point or 'the access point'} why it offers no job"
    if reality.matches and slot is not None:
        told, cure, observed = _of_claims(pool, slot, jobs)
        text += told
    if not observed:
        observed = [Observed("LastNegotiationCycleMatches0", str(reality.matches))]
    return Unmet(
        MISSING, f"job {names[0]}", text, f"{cure}.", tuple(observed), keys_of(jobs), len(jobs),
        names, machines=(slot.startd,) if reality.matches and slot is not None else (),
    )  # fmt: skip


def _of_claims(pool: Pool, slot: Slot, jobs: Sequence[Job]) -> tuple[str, str, list[Observed]]:
    """Return what else is seen of claims of ``slot`` that do not come, the cure and evidence."""
    name = jobs[0].access_point
    if as_number(slot.dynamic_slots) and not any(map(_was_offered, jobs)):
        # Others get claims there.
        text = f"; no cycle noted a match or a reason in them, so that {name} may not offer them"
        cure = (
            f"SchedLog of {name} says what it offers: condor_qusers -long there shows a limit of "
            "the user, such as MaxJobsRunning"
        )
        access = pool.schedd_configuration(name)
        return text, cure, [*knobs_on_the_way(access, SCHEDD, CLAIM, peers=pool.access)]
    own = of_startd(pool.execute, slot)
    observed = [
        *_silence(pool, slot),
        *knobs_on_the_way(own, STARTD, CLAIM, peers=pool.execute),
    ]
    cure = (
        f"SchedLog of {name or 'the access point'} says why the claim of {slot.name} fails: "
        f"condor_ping -name {slot.startd} -type STARTD DAEMON tries the connection and the "
        "permission"
    )
    if _refuses_claims(slot):
        asked = show_number(as_number(slot.value(CLAIMS)) or 0)
        observed = [Observed(CLAIMS, asked), Observed(ACTIVATIONS, "0"), *observed]
        cure = f"StartLog of {slot.startd} says why it refuses each claim; {cure}"
    return "", cure, observed


def _was_offered(job: Job) -> bool:
    """Return whether a negotiator has ever matched or rejected a job, as far as its ad says."""
    return bool(as_number(job.matched)) or as_number(job.rejected_at) is not None


def _silence(pool: Pool, slot: Slot) -> Iterator[Observed]:
    """Yield what the capture found when it asked the startd itself."""
    for what, why in pool.failed:
        if what in (f"{_CONFIGURATION}{slot.startd}", f"{_CONFIGURATION}{slot.machine}"):
            yield Observed(what, why)


def _not_followed(pool: Pool) -> Iterator[tuple[str, str, str]]:
    """Yield the negotiator's knobs that are set here and that no simulation follows."""
    central = pool.central
    if central is None:
        return
    for knob in central:
        kind = knob_type(knob.bare)
        if kind is None or NEGOTIATOR not in kind.daemons or is_followed(knob.bare):
            continue
        if not is_default(knob.bare, knob.value, (), central.value):
            yield knob.name, knob.value, knob.place
