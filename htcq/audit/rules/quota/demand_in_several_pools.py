"""Submitters offer the same demand to several negotiators."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import listed
from htcq.audit.rule import Fact, Found, Input, Rule, Severity


def _find(evidence: Evidence) -> Iterator[Found]:
    if not evidence.quotas.grouped:
        return
    negotiators = sorted({record.name for record in evidence.pool.negotiators})
    if len(negotiators) > 1:
        yield Found(
            cause="negotiators",
            subject="the pool",
            message=(
                f"{listed(negotiators)} negotiate for this pool, and each counts the whole demand "
                "of every submitter"
            ),
            facts=tuple(Fact("Name", name) for name in negotiators),
        )
    flocked = []
    for record in evidence.pool.submitters:
        jobs = record.number("FlockedJobs") or 0
        if jobs > 0:
            flocked.append((record.name, jobs))
    if flocked:
        flocked.sort(key=lambda each: -each[1])
        name, jobs = flocked[0]
        yield Found(
            cause="flocking",
            subject=f"submitter {name}",
            message=(
                f"{name} runs {jobs} jobs in other pools and offers all of its idle jobs to each "
                "of them"
            ),
            facts=(Fact("FlockedJobs", str(jobs)),),
            count=len(flocked),
            examples=tuple(each for each, _ in flocked),
        )
    for schedd, configuration in evidence.access.items():
        pools = configuration.value("FLOCK_TO").strip()
        if pools and not flocked:
            knob = configuration.knob("FLOCK_TO")
            place = "" if knob is None else knob.place
            yield Found(
                cause="FLOCK_TO",
                subject=f"access point {schedd}",
                message=(
                    f"{schedd} offers its idle jobs to {pools} as well when they do not run here"
                ),
                facts=(Fact("FLOCK_TO", pools, place),),
                examples=(schedd,),
            )


RULE = Rule(
    id="demand-in-several-pools",
    severity=Severity.INFO,
    needs=(Input.CENTRAL, Input.SUBMITTERS),
    summary="Submitters offer the same jobs to several negotiators",
    consequence=(
        "Each negotiator adds the whole demand of such a submitter to its group, so that the "
        "demand of groups exceeds what they will use, and surplus that others could use is "
        "reserved for them until a later round."
    ),
    advice=(
        "This is expected if pools flock. Give several negotiators of one pool different groups."
    ),
    source=(
        "src/condor_schedd.V6/schedd.cpp:sendSubmitterAds, "
        "GroupEntry.cpp:hgq_prepare_for_matchmaking, 25.14"
    ),
    find=_find,
)
