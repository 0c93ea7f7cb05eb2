"""A partitionable slot with some of the Consumption attributes of a policy, but not all."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import listed
from htcq.audit.fix import Setting
from htcq.audit.listed_attributes import unlisted
from htcq.audit.policies import consumption_settings, on_slots, safe_request
from htcq.audit.rule import Fact, Found, Input, Rule, Severity
from htcq.pool.slot_class import SlotClass
from htcq.units import attribute


def _find(evidence: Evidence) -> Iterator[Found]:
    for kind in evidence.partitionable:
        if kind.consumption and not kind.supports_policy:
            missing = [asset for asset in kind.assets if asset not in kind.consumption]
            if missing:
                yield _incomplete(evidence, kind, missing)
            else:
                yield _unlisted(evidence, kind)


def _incomplete(evidence: Evidence, kind: SlotClass, missing: list[str]) -> Found:
    names = [f"Consumption{attribute(asset)}" for asset in missing]
    there = listed(f"Consumption{attribute(asset)}" for asset in kind.consumption)
    settings: list[Setting] = []
    for asset in missing:
        settings += consumption_settings(evidence, kind, asset, safe_request(asset))
    return on_slots(
        kind,
        cause=f"without {', '.join(names)}",
        message=(
            f"it has {there}, but no {listed(names)}: the negotiator treats it as a slot without "
            "a policy, charges its whole weight and matches it once per cycle"
        ),
        facts=(
            Fact("MachineResources", str(kind.first.frame.value("MachineResources"))),
            *(Fact(name, "(absent)") for name in names),
        ),
        settings=tuple(settings),
    )


def _unlisted(evidence: Evidence, kind: SlotClass) -> Found:
    return on_slots(
        kind,
        cause="without MachineResources",
        message=(
            "it has a consumption for every asset, but its MachineResources is not a string: the "
            "negotiator treats it as a slot without a policy"
        ),
        facts=(Fact("MachineResources", kind.first.frame.text("MachineResources") or "(absent)"),),
        settings=unlisted(evidence, kind.slots, "MachineResources"),
        advice="Remove MachineResources from STARTD_ATTRS and from the output of STARTD_CRON jobs.",
    )


RULE = Rule(
    id="partial-consumption-policy",
    severity=Severity.WARNING,
    needs=(Input.SLOTS,),
    summary="A partitionable slot has a consumption for some of its assets, but not for all",
    consequence=(
        "The negotiator needs a Consumption attribute for every asset in MachineResources except "
        "swap. If one is missing, the slot is treated as one without a policy: it is charged as "
        "a whole, and is not matched again in the same cycle. The startd still splits it by the "
        "policy."
    ),
    advice="Define a consumption for every asset of MachineResources.",
    source="src/condor_utils/consumption_policy.cpp:cp_supports_policy, 25.14",
    find=_find,
)
