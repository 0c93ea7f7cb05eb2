"""The consumption of an asset is no number, or a negative one, for some job."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.policies import (
    consumption_fact,
    consumption_settings,
    number,
    on_slots,
    sound_request,
)
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.units import attribute


def _find(evidence: Evidence) -> Iterator[Found]:
    for kind in evidence.with_policy:
        for asset in kind.consumption:
            for trial in evidence.trials.of(kind):
                amount = trial.taken.get(asset)
                if (amount is None or amount < 0) and not trial.asks_in_vain(asset):
                    name = f"Consumption{attribute(asset)}"
                    yield on_slots(
                        kind,
                        cause=f"{name}: {kind.consumption[asset]}",
                        message=(
                            f"{name} is {number(amount)} for {trial.job}: the negotiator never "
                            "matches it there"
                        ),
                        facts=(consumption_fact(kind, asset),),
                        settings=consumption_settings(evidence, kind, asset, sound_request(asset)),
                        is_root=True,
                    )
                    break


RULE = Rule(
    id="consumption-undefined",
    severity=Severity.ERROR,
    needs=(Input.SLOTS,),
    summary="The consumption of an asset is undefined, an error, a string or negative for some job",
    consequence=(
        "Such a job is never matched with the slot; each attempt writes a line to the "
        "negotiator's log. A misspelt attribute is enough: TARGET.RequestGpu, as in the example "
        "of HTCondor's manual, is undefined for every job."
    ),
    advice=(
        "Write a consumption that is a number for every job, and check the names of its attributes."
    ),
    source=(
        "src/condor_utils/consumption_policy.cpp:cp_compute_consumption, cp_sufficient_assets, "
        "25.14; seen on 25.14.1"
    ),
    find=_find,
)
