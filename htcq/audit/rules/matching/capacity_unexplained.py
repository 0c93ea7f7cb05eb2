"""Capacity or jobs that no known cause explains."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.rule import Fact, Found, Harm, Input, Rule, Severity
from htcq.balance.causes import UNEXPLAINED
from htcq.units import counted, show_number


def _find(evidence: Evidence) -> Iterator[Found]:
    balance = evidence.balance
    slots = balance.of(UNEXPLAINED)
    jobs = None if balance.demand is None else balance.demand.of(UNEXPLAINED)
    if slots is not None:
        yield Found(
            cause="capacity",
            subject="the pool",
            message=(
                f"{counted(slots.jobs, 'job')} would fit {counted(slots.slots, 'slot')}, and no "
                "known cause keeps them apart"
            ),
            facts=(
                Fact("weight", show_number(slots.amounts.weight)),
                Fact("cpus", show_number(slots.amounts.cpus)),
            ),
            count=slots.slots,
            examples=slots.examples,
        )
    if jobs is not None:
        yield Found(
            cause="demand",
            subject="the pool",
            message=(
                f"{counted(jobs.jobs, 'job')} would not start, and no known reason keeps them from "
                "a slot"
            ),
            facts=(Fact("job", jobs.such_as),),
            count=jobs.jobs,
            harm=Harm(jobs=jobs.jobs),
        )


RULE = Rule(
    id="capacity-unexplained",
    severity=Severity.WARNING,
    needs=(Input.SLOTS, Input.JOBS, Input.BALANCE),
    summary="Capacity stands idle, or jobs wait, for an unknown reason",
    consequence="No rule and no model of htcq has what keeps these jobs from slots.",
    advice=(
        "Compare with the negotiator's own reasons ('htcq simulate --agreement'), and send a "
        "snapshot ('htcq snapshot --anonymize') to those who maintain htcq."
    ),
    source="the balance of the pool, which has all known causes",
    find=_find,
)
