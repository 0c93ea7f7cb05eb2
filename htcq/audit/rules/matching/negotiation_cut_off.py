"""Time limits end the negotiation with the same submitters or access points in each cycle."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import counted, knob_fact, listed
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.pool.completed_cycles import completed_cycles

_KNOBS = {
    "SubmittersOutOfTime": ("submitter", "NEGOTIATOR_MAX_TIME_PER_SUBMITTER"),
    "ScheddsOutOfTime": ("access point", "NEGOTIATOR_MAX_TIME_PER_SCHEDD"),
}
#: Once may be a slow network.
_OFTEN = 2


def _find(evidence: Evidence) -> Iterator[Found]:
    cycles = completed_cycles(evidence.pool)
    for what, (kind, knob) in _KNOBS.items():
        times = Counter(name for cycle in cycles for which, name in cycle.cut_off if which == what)
        often = sorted(name for name, count in times.items() if count >= _OFTEN)
        if not often:
            continue
        of_them = [cycle for cycle in cycles if cycle.cut_off]
        idle = all(cycle.matches == 0 for cycle in of_them)
        yield Found(
            cause=knob,
            subject=f"{kind} {often[0]}",
            message=(
                f"{knob} ended the negotiation with {counted(len(often), kind)} ({listed(often)}) "
                f"in {len(of_them)} of the last {len(cycles)} cycles"
                + (", in which nothing was matched" if idle else "")
            ),
            facts=(knob_fact(evidence, knob),),
            count=len(often),
            severity=Severity.ERROR if idle else None,
        )


RULE = Rule(
    id="negotiation-cut-off",
    severity=Severity.WARNING,
    needs=(Input.POOL,),
    summary="A time limit ends the negotiation with the same submitters in each cycle",
    consequence=(
        "Their other jobs are not considered in that cycle, whatever their quota and priority. "
        "With a limit near 0 nothing of theirs starts."
    ),
    advice=(
        "Raise the time limit; its default is 60 seconds for a submitter and 120 for an access "
        "point. An access point that answers slowly needs more: see its SchedLog and "
        "DaemonCoreDutyCycle."
    ),
    source="src/condor_negotiator.V6/matchmaker.cpp:negotiate, negotiateWithGroup, 25.14",
    find=_find,
)
