"""A job takes nothing at all of a slot with a consumption policy, and so is never matched there."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.fix import Setting
from htcq.audit.fractions import at_least_one
from htcq.audit.policies import consumption_fact, consumption_settings, on_slots
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.units import BUILT_IN_ASSETS


def _find(evidence: Evidence) -> Iterator[Found]:
    for kind in evidence.with_policy:
        for trial in evidence.trials.of(kind):
            if trial.taken and all(amount == 0 for amount in trial.taken.values()):
                settings: list[Setting] = []
                for asset in BUILT_IN_ASSETS:
                    value = at_least_one(kind, asset)
                    settings += consumption_settings(evidence, kind, asset, value)
                yield on_slots(
                    kind,
                    cause=" ".join(kind.consumption.values()),
                    message=(
                        f"{trial.job} consumes 0 of every asset: the negotiator never matches it "
                        "there"
                    ),
                    facts=tuple(consumption_fact(kind, asset) for asset in kind.consumption),
                    settings=tuple(settings),
                )
                break


RULE = Rule(
    id="consumes-nothing",
    severity=Severity.ERROR,
    needs=(Input.SLOTS,),
    summary="A job consumes no asset of a slot with a consumption policy",
    consequence=(
        "The negotiator refuses a match that consumes nothing; such jobs cannot use the slot. "
        "Each attempt writes a line to the negotiator's log."
    ),
    advice="Write a policy by which every claim consumes something, at least 1 cpu.",
    source="src/condor_utils/consumption_policy.cpp:cp_sufficient_assets, 25.14; seen on 25.14.1",
    find=_find,
)
