"""The consumption of an optional asset is undefined for jobs that do not ask for it."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.optional import unasked
from htcq.audit.policies import consumption_fact, consumption_settings, on_slots, safe_request
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.units import attribute


def _find(evidence: Evidence) -> Iterator[Found]:
    for each in unasked(evidence):
        if each.within_limits is None and each.matched is not None:
            name = attribute(each.asset)
            yield on_slots(
                each.kind,
                cause=f"{name}: {each.kind.consumption[each.asset]}",
                message=(
                    f"Consumption{name} is undefined for a job without Request{name}: its match "
                    "fails at the slot's WithinResourceLimits, so that only jobs that request "
                    f"{each.asset} run there"
                ),
                facts=(consumption_fact(each.kind, each.asset),),
                settings=consumption_settings(
                    evidence, each.kind, each.asset, safe_request(each.asset)
                ),
            )


RULE = Rule(
    id="optional-asset-unsafe",
    severity=Severity.ERROR,
    needs=(Input.SLOTS,),
    summary="The consumption of an optional asset is undefined for jobs that do not request it",
    consequence=(
        "In a match a missing request is undefined, and so is a consumption such as "
        "TARGET.RequestGPUs or "
        "quantize(TARGET.RequestGPUs, {1}). Jobs that do not request the asset, usually most "
        "jobs, never match the "
        "slot."
    ),
    advice="Give missing requests a default value.",
    source=(
        "src/condor_startd.V6/ResAttributes.cpp:consumptionLimitsExpression, 25.14; seen on 25.14.1"
    ),
    find=_find,
)
