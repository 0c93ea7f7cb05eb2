"""WithinResourceLimits that admits a job to a slot with a consumption policy and nothing left."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import listed
from htcq.audit.fix_settings import execute
from htcq.audit.policies import on_slots
from htcq.audit.rule import Fact, Found, Input, Rule, Severity, Unchecked
from htcq.classads import Expr, as_number
from htcq.pool.slot_class import SlotClass

_LIMITS = "WithinResourceLimits"


def _find(evidence: Evidence) -> Iterator[Found | Unchecked]:
    for kind in evidence.with_policy:
        if _LIMITS not in kind.first.frame:
            yield Unchecked(f"slot ads with {_LIMITS}")
            continue
        unlimited = [asset for asset in kind.assets if _unlimited(evidence, kind, asset)]
        if unlimited:
            text = kind.first.frame.text(_LIMITS)
            yield on_slots(
                kind,
                cause=text,
                message=(
                    f"{_LIMITS} is true for a job that consumes {listed(unlimited)} when nothing "
                    "is left: the startd carves what it does not have"
                ),
                facts=(Fact(_LIMITS, text),),
                settings=execute(evidence, kind.places, _LIMITS, ""),
            )


def _unlimited(evidence: Evidence, kind: SlotClass, asset: str) -> bool:
    """Return whether the limits let a job take some of ``asset`` of a slot that has none left."""
    for trial in evidence.trials.of(kind):
        if trial.fits(kind) and trial.amounts.get(asset):
            slot = kind.ad({**kind.total, asset: 0})
            return bool(as_number(Expr(_LIMITS).evaluate(slot, trial.ad())))
    return False


RULE = Rule(
    id="no-resource-limits",
    severity=Severity.ERROR,
    needs=(Input.SLOTS,),
    summary="WithinResourceLimits of a slot with a consumption policy does not check what is left",
    consequence=(
        "Before it carves a slot, the startd compares the consumption of a claim with the free "
        "amounts only in WithinResourceLimits. A configuration that sets WithinResourceLimits "
        "removes this check: amounts become negative, and the machine is overcommitted."
    ),
    advice=(
        "Remove WithinResourceLimits from the configuration: the startd derives it from the policy."
    ),
    source=(
        "src/condor_startd.V6/ResAttributes.cpp:consumptionLimitsExpression, "
        "Reqexp.cpp:publish_requirements, 25.14; seen on 25.14.1: Memory = -640"
    ),
    find=_find,
)
