"""Preemption by group quotas without sound bounds.

It goes round in circles, ends jobs of any age, or preempts more than it is meant to.
"""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import knob_fact
from htcq.audit.fix import Setting
from htcq.audit.fix_settings import central
from htcq.audit.preemption_knobs import sound_preemption
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.classads import parsed

_KNOB, _STABLE = "PREEMPTION_REQUIREMENTS", "PREEMPTION_REQUIREMENTS_STABLE"
_OVER = frozenset({"remotegroupresourcesinuse", "remotegroupquota"})
_UNDER = frozenset({"submittergroupresourcesinuse", "submittergroupquota"})
#: Attributes that show how long a claim or its job has lasted.
_AGES = frozenset(
    {
        "jobstart",
        "enteredcurrentstate",
        "enteredcurrentactivity",
        "totaljobruntime",
        "totaltimeclaimedbusy",
    }
)

#: Holds for claims of at least an hour.
_OLD_ENOUGH = "time() - EnteredCurrentState >= 3600"


def _find(evidence: Evidence) -> Iterator[Found]:
    quotas = evidence.quotas
    if not quotas.settings.consider_preemption or not quotas.grouped:
        return
    expression = parsed(evidence.setting(_KNOB))
    if expression is None:
        return
    names = frozenset(word.lower() for word in expression.words())
    if not names & (_OVER | _UNDER):
        return
    for cause, message in _flaws(names, quotas.truth(_STABLE, True)):
        facts = (knob_fact(evidence, _KNOB),)
        settings = _bounded(evidence, cause, names)
        yield Found(
            cause=cause, subject=f"knob {_KNOB}", message=message, facts=facts, settings=settings
        )


def _flaws(names: frozenset[str], stable: bool) -> Iterator[tuple[str, str]]:
    if not names >= _OVER:
        message = f"{_KNOB} preempts claims of groups whether or not they use more than their quota"
        yield "over", message
    if not names >= _UNDER:
        yield "under", f"{_KNOB} preempts for groups whether or not they use less than their quota"
    if not names & _AGES:
        yield "age", f"{_KNOB} preempts jobs of any age"
    if stable:
        message = (
            f"{_KNOB} refers to the usage of groups, which changes with each match, but {_STABLE} "
            "is not False"
        )
        yield "stable", message


def _bounded(evidence: Evidence, cause: str, names: frozenset[str]) -> tuple[Setting, ...]:
    """Return the expression with all bounds that it lacks; it is the same for every flaw of it."""
    if cause == "stable":
        return (central(evidence, _STABLE, "False"),)
    parts = [sound_preemption(evidence, _KNOB)]
    if not names >= _OVER:
        parts.append("RemoteGroupResourcesInUse > RemoteGroupQuota")
    if not names >= _UNDER:
        parts.append("SubmitterGroupResourcesInUse < SubmitterGroupQuota")
    if not names & _AGES:
        parts.append(_OLD_ENOUGH)
    return (central(evidence, _KNOB, " && ".join(f"({part})" for part in parts)),)


RULE = Rule(
    id="preemption-by-quota",
    severity=Severity.WARNING,
    needs=(Input.CENTRAL,),
    summary="Preemption by group quotas is not limited",
    consequence=(
        "If the groups on both sides are not compared with their quotas, two of them preempt "
        "each other's claims in turn. If the expression counts as stable, the negotiator reuses "
        "its first result in a cycle, and preempts more claims than quotas allow. Jobs of any "
        "age are preempted, and start again from the beginning."
    ),
    advice=(
        "Write an expression that is true only if the remote group is over its quota, the "
        "submitter's group is below its own, and the job has run for some time, and do not "
        "declare it as stable. 'htcq elastic reclaim emit' prints such a configuration."
    ),
    source="src/condor_negotiator.V6/matchmaker.cpp:matchmakingAlgorithm, cache_still_valid, 25.14",
    find=_find,
)
