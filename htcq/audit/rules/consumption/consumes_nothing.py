"""A job takes nothing at all of a slot with a consumption policy, and so is never matched there."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.policies import consumption_fact, on_slots
from htcq.audit.rule import Found, Need, Rule, Severity


def _find(evidence: Evidence) -> Iterator[Found]:
    for kind in evidence.with_policy:
        for trial in evidence.trials.of(kind):
            if trial.taken and all(amount == 0 for amount in trial.taken.values()):
                yield on_slots(
                    kind,
                    cause=" ".join(kind.consumption.values()),
                    message=f"{trial.job} takes 0 of every asset: the negotiator never matches it there",
                    facts=tuple(consumption_fact(kind, asset) for asset in kind.consumption),
                )
                break


RULE = Rule(
    id="consumes-nothing",
    severity=Severity.ERROR,
    needs=(Need.SLOTS,),
    summary="A job takes nothing at all of a slot with a consumption policy",
    consequence=(
        "A match that takes nothing is refused by the negotiator, for such jobs the slot does not exist. Each attempt "
        "writes a line to the negotiator's log."
    ),
    fix=(
        "Let every claim take something, at least 1 cpu: CONSUMPTION_CPUS = max({1, ceiling(TARGET.RequestCpus ?: 0)})."
    ),
    source="src/condor_utils/consumption_policy.cpp:cp_sufficient_assets, 25.14; seen on 25.14.1",
    find=_find,
)
