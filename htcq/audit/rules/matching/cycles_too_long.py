"""Negotiation cycles take longer than the time between two of them."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from htcq.audit.evidence import Evidence
from htcq.audit.facts import knob_fact
from htcq.audit.rule import Fact, Found, Input, Rule, Severity
from htcq.pool.completed_cycles import completed_cycles
from htcq.quota.knobs import number_of

_KNOB, _USUAL = "NEGOTIATOR_INTERVAL", 60.0
#: A freed slot that waits longer than this is seen by users.
_SLOW = 300.0


def _find(evidence: Evidence) -> Iterator[Found]:
    taken = [cycle.seconds for cycle in completed_cycles(evidence.pool)]
    if not taken:
        return
    usual = median(taken)
    interval = number_of(evidence.setting(_KNOB, f"{_USUAL:.0f}").strip()) or _USUAL
    if usual <= max(interval, _SLOW):
        return
    yield Found(
        cause="cycles",
        subject="negotiator",
        message=(
            f"a cycle takes {usual:.0f} s (median of the last {len(taken)}), and a free slot waits "
            f"as long; {_KNOB} is {interval:.0f} s"
        ),
        facts=(
            Fact("LastNegotiationCycleDuration0", f"{taken[0]:.0f}"),
            knob_fact(evidence, _KNOB),
        ),
    )


RULE = Rule(
    id="cycles-too-long",
    severity=Severity.WARNING,
    needs=(Input.POOL,),
    summary="A negotiation cycle takes more than five minutes, and more than NEGOTIATOR_INTERVAL",
    consequence=(
        "A slot that becomes free stays free until the next cycle reaches it: the shorter the "
        "jobs, the larger the part of the pool that is idle."
    ),
    advice=(
        "CLAIM_WORKLIFE lets access points use their claims for further jobs without a cycle; "
        "equal jobs make fewer autoclusters ('htcq audit' names attributes that split them); "
        "access points that answer slowly hold up all others (NEGOTIATOR_MAX_TIME_PER_SCHEDD)."
    ),
    source="src/condor_negotiator.V6/matchmaker.cpp:negotiationTime, 25.14",
    find=_find,
)
