"""PREEMPTION_REQUIREMENTS that is never true, or always."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import knob_fact, listed
from htcq.audit.fix_settings import central
from htcq.audit.preemption_values import PreemptionTruth, outcome_of
from htcq.audit.rule import Fact, Found, Input, Rule, Severity, Unchecked

_KNOB = "PREEMPTION_REQUIREMENTS"


def _find(evidence: Evidence) -> Iterator[Found | Unchecked]:
    if not evidence.truth("NEGOTIATOR_CONSIDER_PREEMPTION", True):
        return
    text = " ".join(evidence.setting(_KNOB, "False").split())
    if text.lower() == "false":
        # HTCondor's default, and what somebody means who writes it.
        return
    if not text:
        yield _always(evidence, f"{_KNOB} is empty, which the negotiator takes for no condition")
        return
    outcome = outcome_of(evidence, text)
    if outcome is None:
        # The negotiator does not start with it, which other rules tell.
        yield Unchecked(f"{_KNOB} that is an expression")
    elif not outcome.holds and (outcome.whole or outcome.unknown):
        yield from _never(evidence, outcome)
    elif outcome.holds and not outcome.fails and outcome.whole:
        yield _always(evidence, f"{_KNOB} is true whatever the two jobs and their users are")
    elif not (outcome.holds and outcome.fails):
        yield Unchecked(f"a {_KNOB} that refers to fewer attributes")


def _never(evidence: Evidence, outcome: PreemptionTruth) -> Iterator[Found | Unchecked]:
    why = "no values of its attributes make it true"
    if outcome.unknown:
        lacking = [need for need in (Input.SLOTS, Input.JOBS) if evidence.lacks(need)]
        if lacking:
            # Slots or jobs that are not known may have the attribute.
            yield from (Unchecked(evidence.words(need)) for need in lacking)
            return
        why = f"neither slots, jobs nor the negotiator define {listed(outcome.unknown)}"
    elif outcome.number:
        why = "it is a number, and the negotiator asks for a truth value"
    yield Found(
        cause="never",
        subject=f"knob {_KNOB}",
        message=f"{_KNOB} is never true: {why}",
        facts=(knob_fact(evidence, _KNOB), *_undefined(outcome)),
    )


def _undefined(outcome: PreemptionTruth) -> Iterator[Fact]:
    for name in outcome.unknown:
        yield Fact(name, "undefined")


def _always(evidence: Evidence, message: str) -> Found:
    return Found(
        cause="always",
        subject=f"knob {_KNOB}",
        message=message,
        facts=(knob_fact(evidence, _KNOB),),
        settings=(central(evidence, _KNOB, "RemoteUserPrio > SubmitterUserPrio * 1.2"),),
    )


RULE = Rule(
    id="preemption-requirements-constant",
    severity=Severity.WARNING,
    needs=(Input.CENTRAL,),
    summary="PREEMPTION_REQUIREMENTS can never hold, or always holds",
    consequence=(
        "If it is never true, no job is preempted by the priority of users, whatever the site "
        "expects; only the Rank of slots preempts. If it is always true, or empty, jobs preempt "
        "those of every other user, also of users with a better priority: two users preempt each "
        "other in turn, and the work is lost. An attribute that nothing defines makes a "
        "comparison undefined; Submitter attributes are in the request (TARGET) and Remote "
        "attributes in the slot (MY), those of groups only if groups have quotas."
    ),
    advice=(
        "Compare the users, as in 'RemoteUserPrio > SubmitterUserPrio * 1.2', and the age of the "
        "claim. Where nothing shall be preempted, set PREEMPTION_REQUIREMENTS to False, or turn "
        "NEGOTIATOR_CONSIDER_PREEMPTION off."
    ),
    source=(
        "src/condor_negotiator.V6/matchmaker.cpp: negotiate, addRemoteUserPrios, "
        "matchmakingAlgorithm, 23.0 to 25.14"
    ),
    find=_find,
)
