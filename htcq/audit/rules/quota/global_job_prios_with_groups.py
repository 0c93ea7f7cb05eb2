"""Global job priorities: a submitter asks once for each priority that its jobs have."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import knob_fact
from htcq.audit.fix_settings import central
from htcq.audit.rule import Found, Input, Rule, Severity

_KNOB = "USE_GLOBAL_JOB_PRIOS"


def _find(evidence: Evidence) -> Iterator[Found]:
    quotas = evidence.quotas
    if not quotas.grouped or not quotas.truth(_KNOB, False):
        return
    several = sorted(
        (each for each in quotas.submitters if each.priorities > 1),
        key=lambda each: -each.priorities,
    )
    if several:
        first = several[0]
        yield Found(
            cause=_KNOB,
            subject=f"knob {_KNOB}",
            message=(
                f"jobs of {first.name} have {first.priorities} priorities, so that its demand of "
                f"{first.weighted_idle + first.weighted_running:g} adds {first.requested:g} to "
                f"the demand of {first.group}"
            ),
            facts=(knob_fact(evidence, _KNOB),),
            settings=(central(evidence, _KNOB, "False"),),
            count=len(several),
            examples=tuple(each.name for each in several),
        )
        return
    yield Found(
        cause=_KNOB,
        subject=f"knob {_KNOB}",
        message=(
            "a submitter's demand counts once for each priority of its jobs; today nobody has "
            "more than one"
        ),
        facts=(knob_fact(evidence, _KNOB),),
        settings=(central(evidence, _KNOB, "False"),),
        severity=Severity.INFO,
    )


RULE = Rule(
    id="global-job-prios-with-groups",
    severity=Severity.WARNING,
    needs=(Input.CENTRAL, Input.SUBMITTERS),
    summary="Global job priorities multiply the demand of groups",
    consequence=(
        "With USE_GLOBAL_JOB_PRIOS, the negotiator splits each submitter into one per job "
        "priority before it adds up the demand of groups, each with the whole demand. Groups "
        "with many priorities get too much surplus. From the second turn of a group on, the "
        "negotiator asks a submitter for the first of its priorities only: jobs of lower ones wait "
        "beside free slots until the next cycle."
    ),
    advice="Turn it off if there are groups.",
    source="src/condor_negotiator.V6/matchmaker.cpp:obtainAdsFromCollector, GroupEntry.cpp, 25.14",
    find=_find,
)
