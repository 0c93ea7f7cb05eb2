"""Walls of the negotiator itself.

A configuration or a slot that ends it, before or in its cycle.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from htcq.pool.pool import Pool
from htcq.poolquota.ailment import ObservedPool
from htcq.poolquota.health import negotiator_ailments
from htcq.poolquota.negotiator_health import LATE, NO_NEGOTIATOR, SILENT, late_others
from htcq.quota.knobs import Knobs
from htcq.simulate.cycle.cycle import Cycle
from htcq.simulate.cycle.time_limits import default_limit, expired_limits
from htcq.simulate.cycle.trace import Trace
from htcq.units import listed
from htcq.why import match_failure as wall
from htcq.why.match_failure import MatchFailure

_SLOTS = wall.WALLS[wall.SLOT_CONSTRAINT].lifted_by
_OF_WEIGHT = ("SlotWeight", "asset")


def negotiator_walls(cycle: Cycle, trace: Trace) -> Iterator[MatchFailure]:
    """Yield what of the negotiator keeps every job from a match."""
    pool = cycle.quotas.pool
    if not pool.negotiators:
        yield MatchFailure(
            wall.NEGOTIATOR_ABSENT,
            NO_NEGOTIATOR,
        )
    for ailment in negotiator_ailments(pool):
        if ailment.id in (SILENT, LATE):
            yield MatchFailure(wall.NEGOTIATOR_LATE, ailment.text)
    for knob, seconds in expired_limits(Knobs(cycle.quotas.knobs)).items():
        text = f"{knob} is {seconds}: the negotiator leaves every submitter at once"
        usual = f"HTCondor's default is {default_limit(knob)}"
        advice = f"{knob} above 0 on the central manager; {usual}"
        yield MatchFailure(wall.CYCLE_ENDED_EARLY, text, {"knob": knob, "value": seconds}, advice)
    for problem in cycle.quotas.problems:
        if problem.fatal:
            text = f"the negotiator exits when it reads its configuration: {problem.message}"
            amounts: wall.Amounts = {"knob": problem.knob, "value": problem.value}
            advice = f"a correct {problem.knob} on the central manager"
            yield MatchFailure(wall.NEGOTIATOR_CRASH, text, amounts, advice)


def other_negotiators(pool: Pool) -> tuple[str, ...]:
    """Return the names of the negotiators of ``pool`` whose cycle is not the one simulated.

    Those that complete no cycles are none of them.
    """
    late = {each.name for each in late_others(ObservedPool(pool))}
    names = tuple(each.name for each in pool.negotiators if each.name not in late)
    mine = pool.negotiator if pool.negotiator in names else "".join(names[:1])
    return tuple(name for name in names if name != mine)


def asked_by(names: Sequence[str]) -> str:
    """Return the options that ask for the cycles of the negotiators ``names``."""
    return " or ".join(f"--name {name}" for name in names)


def other_cycle(pool: Pool) -> str:
    """Return whose cycle may match what this one cannot; empty where there is no other."""
    others = other_negotiators(pool)
    return f"the cycle of another negotiator: {asked_by(others)}" if others else ""


def hiding_cure(pool: Pool) -> str:
    """Return what gives hidden slots to jobs: who else matches them, or is to; empty: nobody."""
    late = tuple(each.name for each in late_others(ObservedPool(pool)))
    if late and not other_negotiators(pool):
        return f"a negotiator {listed(late)} that completes its cycles; {_SLOTS}"
    return other_cycle(pool)


def crash_walls(trace: Trace) -> Iterator[MatchFailure]:
    """Yield what makes the negotiator crash within the cycle, for jobs that it does not come to."""
    crash = trace.crash
    if crash is None or not crash.job:
        return
    id_ = wall.NEGOTIATOR_CRASH
    if any(word in crash.message for word in _OF_WEIGHT):
        id_ = wall.SLOT_WEIGHT
    text = f"the negotiator crashes at slot {crash.slot} for job {crash.job}: {crash.message}"
    yield MatchFailure(id_, text, {"slot": crash.slot, "job": crash.job})
