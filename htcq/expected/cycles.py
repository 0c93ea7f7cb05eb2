"""Negotiation that fails or is cut off with the same submitters, cycle after cycle.

Follows negotiate, negotiateWithGroup and publishNegotiationCycleStats of
src/condor_negotiator.V6/matchmaker.cpp, HTCondor 25.14.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from htcq.expected.settled import CYCLES, last_cycles
from htcq.expected.unmet import CUT_OFF, ERROR, FAILS, WARNING, Observed, Unmet, observed_knobs
from htcq.pool.completed_cycles import CompletedCycle, completed_cycles
from htcq.pool.pool import Pool
from htcq.units import counted, listed

#: Once may be a slow network.
_OFTEN = 2


class _Limit(NamedTuple):
    kind: str
    knob: str


_LIMITS = {
    "SubmittersOutOfTime": _Limit("submitter", "NEGOTIATOR_MAX_TIME_PER_SUBMITTER"),
    "ScheddsOutOfTime": _Limit("access point", "NEGOTIATOR_MAX_TIME_PER_SCHEDD"),
}
_FAILED = "SubmittersFailed"


def negotiation(pool: Pool) -> Iterator[Unmet]:
    """Yield with whom the negotiator comes to no end, again and again."""
    cycles = completed_cycles(pool)
    for attribute, limit in _LIMITS.items():
        names = _often(cycles, attribute)
        if names:
            yield _cut_off(pool, cycles, limit, names)
    names = _often(last_cycles(pool), _FAILED)
    if names:
        yield Unmet(
            FAILS,
            f"submitter {names[0]}",
            f"in the last {CYCLES} cycles the negotiator got no answer on jobs of "
            f"{counted(len(names), 'submitter')} ({listed(names)}): their jobs are not considered",
            "Test the connection from the central manager to the access point (condor_ping -table "
            "NEGOTIATOR -type SCHEDD); NegotiatorLog and SchedLog say why.",
            (Observed(f"LastNegotiationCycle{_FAILED}0", ", ".join(names)),),
            count=len(names),
            examples=tuple(names[:CYCLES]),
        )


def _often(cycles: Sequence[CompletedCycle], attribute: str) -> list[str]:
    times = Counter(name for cycle in cycles for which, name in cycle.cut_off if which == attribute)
    return sorted(name for name, count in times.items() if count >= _OFTEN)


def _cut_off(
    pool: Pool, cycles: Sequence[CompletedCycle], limit: _Limit, names: Sequence[str]
) -> Unmet:
    of_them = [cycle for cycle in cycles if cycle.cut_off]
    idle = all(cycle.matches == 0 for cycle in of_them)
    knob = None if pool.central is None else pool.central.knob(limit.knob)
    observed = observed_knobs([knob]) or (Observed(limit.knob, "(not set)"),)
    return Unmet(
        CUT_OFF,
        f"{limit.kind} {names[0]}",
        f"{limit.knob} ended the negotiation with {counted(len(names), limit.kind)} "
        f"({listed(names)}) in {len(of_them)} of the last {len(cycles)} cycles"
        + (", in which nothing was matched" if idle else ""),
        f"Raise {limit.knob} of the central manager. An access point that answers slowly needs "
        "more: see its SchedLog and DaemonCoreDutyCycle.",
        observed,
        count=len(names),
        severity=ERROR if idle else WARNING,
    )
