"""Demand is counted in jobs, usage and quotas in slot weights."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import knob_fact
from htcq.audit.fix_settings import central
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.poolquota.pool_quotas import PoolQuotas

_KNOB = "NEGOTIATOR_USE_WEIGHTED_DEMAND"


def weighed(quotas: PoolQuotas, group: str) -> float:
    """Return what the jobs of ``group`` weigh, running and idle."""
    return sum(each.weighted_running + each.weighted_idle for each in quotas.of(group))


def jobs_of(quotas: PoolQuotas, group: str) -> int:
    """Return how many jobs of ``group`` run or are idle."""
    return sum(each.running + each.idle for each in quotas.of(group))


def _find(evidence: Evidence) -> Iterator[Found]:
    quotas = evidence.quotas
    if not quotas.grouped or not quotas.settings.use_slot_weights or quotas.truth(_KNOB, True):
        return
    differ = [
        group.name
        for group in quotas.tree.groups
        if abs(weighed(quotas, group.name) - jobs_of(quotas, group.name)) >= 1
    ]
    facts = (knob_fact(evidence, _KNOB), knob_fact(evidence, "NEGOTIATOR_USE_SLOT_WEIGHTS", "true"))
    if not differ:
        yield Found(
            cause="unweighted",
            subject=f"knob {_KNOB}",
            message="demand is counted in jobs and usage in slot weights; today every job weighs 1",
            facts=facts,
            settings=(central(evidence, _KNOB, "True"),),
            severity=Severity.INFO,
        )
        return
    worst = max(differ, key=lambda group: weighed(quotas, group) / (jobs_of(quotas, group) or 1))
    yield Found(
        cause="unweighted",
        subject=f"knob {_KNOB}",
        message=(
            f"the demand of {worst} is {jobs_of(quotas, worst)}, its number of jobs, but they "
            f"weigh {weighed(quotas, worst):g}, the unit of usage and quotas"
        ),
        facts=facts,
        settings=(central(evidence, _KNOB, "True"),),
        count=len(differ),
        examples=tuple(differ),
    )


RULE = Rule(
    id="unweighted-demand",
    severity=Severity.ERROR,
    needs=(Input.CENTRAL, Input.SUBMITTERS),
    summary="The demand of groups is counted in jobs, but quotas and usage are slot weights",
    consequence=(
        "A group whose usage exceeds its counted demand is allocated too little, and its idle "
        "jobs starve: its limit can even become nan. Groups with light jobs are allocated too "
        "much."
    ),
    advice="Count demand in slot weights, like quotas and usage.",
    source="src/condor_negotiator.V6/GroupEntry.cpp:hgq_prepare_for_matchmaking, 25.14",
    find=_find,
)
