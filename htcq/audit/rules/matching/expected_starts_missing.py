"""Jobs that the simulated cycle starts have waited through cycles in which nothing was matched."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from htcq.audit.evidence import Evidence
from htcq.audit.facts import counted
from htcq.audit.rule import Fact, Found, Harm, Input, Rule, Severity, Unchecked
from htcq.classads import Value, as_number
from htcq.htcondor.knob_types import knob_type
from htcq.htcondor.matching import is_followed
from htcq.pool.completed_cycles import CompletedCycle, completed_cycles
from htcq.pool.job import IDLE, Job
from htcq.pool.slot import Slot
from htcq.simulate.cycle.cycle import run_cycle
from htcq.simulate.cycle.trace import Match

#: So many completed cycles are no accident. A negotiator publishes three by default.
_CYCLES = 3
#: How many knobs a finding shows.
_SHOWN = 12


def _find(evidence: Evidence) -> Iterator[Found | Unchecked]:
    waiting = [job for job in evidence.pool.jobs or () if job.wanted and job.status == IDLE]
    if not waiting or not evidence.pool.negotiators:
        return
    cycles = completed_cycles(evidence.pool)[:_CYCLES]
    if len(cycles) < _CYCLES or None in (cycle.matches for cycle in cycles):
        yield Unchecked("statistics of three completed cycles in the negotiator's ad")
        return
    if any(cycle.matches for cycle in cycles):
        return
    since = cycles[-1].begin
    waiting = [job for job in waiting if _waits_since(job, since)]
    if not waiting:
        return
    trace = run_cycle(evidence.pool, skip_bad_slots=True)
    asked = any(cycle.considered for cycle in cycles)
    free = {slot.name: slot for slot in evidence.slots}
    known = {(job.id, job.submitter) for job in waiting}
    missing = [
        match
        for match in trace.matches
        if (match.job, match.submitter) in known
        and not match.preempts
        and (not asked or _free_since(free.get(match.slot), since))
    ]
    if missing:
        yield _found(evidence, cycles, missing, trace.unmodelled)


def _waits_since(job: Job, moment: float) -> bool:
    """Return whether the job was in the queue, and idle, before ``moment``."""
    return _is_over(moment, job.queued_at, job.status_since)


def _free_since(slot: Slot | None, moment: float) -> bool:
    """Return whether all of a slot was free before ``moment``.

    When a part of a partitionable slot became free its ad does not say.
    """
    if slot is None or slot.state != "Unclaimed" or as_number(slot.dynamic_slots):
        return False
    return _is_over(moment, slot.state_since, slot.activity_since)


def _is_over(moment: float, *values: Value) -> bool:
    """Return whether the last of some times is before ``moment``; not where none is known."""
    times = [as_number(value) for value in values]
    return max((time for time in times if time is not None), default=moment) < moment


def _found(
    evidence: Evidence,
    cycles: Sequence[CompletedCycle],
    missing: Sequence[Match],
    unmodelled: tuple[str, ...],
) -> Found:
    considered = sum(int(cycle.considered or 0) for cycle in cycles)
    first = missing[0]
    message = (
        f"{counted(len(missing), 'idle job')}, such as {first.job}, should have started: the "
        f"simulated cycle matches {first.job} with {first.slot}, but the last {len(cycles)} "
        f"cycles considered {counted(considered, 'request')} and matched none"
    )
    knobs = list(_not_followed(evidence))
    facts = [Fact(name, value, place) for name, value, place in knobs[:_SHOWN]]
    facts += [Fact("not followed", sentence) for sentence in unmodelled[:_SHOWN]]
    if not facts:
        facts = [Fact("LastNegotiationCycleMatches0", "0")]
    return Found(
        cause="expected starts",
        subject=f"job {first.job}",
        message=message,
        facts=tuple(facts),
        count=len(missing),
        harm=Harm(jobs=len(missing)),
        examples=tuple(match.job for match in missing[:3]),
    )


def _not_followed(evidence: Evidence) -> Iterator[tuple[str, str, str]]:
    """Yield the negotiator's knobs that are set here and that no simulation follows."""
    central = evidence.pool.central
    if central is None:
        return
    for knob in central:
        kind = knob_type(knob.bare)
        if kind is None or "negotiator" not in kind.daemons or is_followed(knob.bare):
            continue
        default = central.defaults.get(knob.bare, "")
        if knob.value.strip() != default.strip():
            yield knob.name, knob.value, knob.place


RULE = Rule(
    id="expected-starts-missing",
    severity=Severity.ERROR,
    needs=(Input.SLOTS, Input.JOBS, Input.CENTRAL),
    summary="Jobs wait that should have started some completed cycles ago",
    consequence=(
        "Something that this simulation does not follow keeps the negotiator from matching them: "
        "a knob, an attribute, a network or a daemon. The jobs wait until it is found."
    ),
    advice=(
        "The knobs that are listed are set here and not followed: one of them may be the cause. "
        "NegotiatorLog at D_FULLDEBUG says what happens to each submitter."
    ),
    source=(
        "src/condor_negotiator.V6/matchmaker.cpp:publishNegotiationCycleStats, 25.14; "
        "docs/classad-attributes/negotiator"
    ),
    find=_find,
)
