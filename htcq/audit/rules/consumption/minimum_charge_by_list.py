"""A list in quantize() charges a job that asks for none of an asset."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.policies import consumption_fact, number, on_slots
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.audit.trials import Trial
from htcq.policy.consumption import MIN_REQUEST
from htcq.pool.slot_class import SlotClass
from htcq.units import BUILT_IN_ASSETS, attribute


def _find(evidence: Evidence) -> Iterator[Found]:
    for kind in evidence.with_policy:
        for asset in BUILT_IN_ASSETS:
            if "quantize" not in kind.consumption.get(asset, "").lower():
                continue
            for trial in evidence.trials.own(kind):
                if _charged(trial, asset):
                    yield _found(kind, trial, asset)
                    break


def _charged(trial: Trial, asset: str) -> bool:
    """Return whether a job that asks for nothing is charged more than what it gets in any case."""
    asks = trial.jobs.request.get(asset) or 0
    if asks != 0 or trial.asks_in_vain(asset):
        return False
    return (trial.taken.get(asset) or 0) > MIN_REQUEST.get(asset, 0)


def _found(kind: SlotClass, trial: Trial, asset: str) -> Found:
    return on_slots(
        kind,
        cause=f"{attribute(asset)}: {kind.consumption[asset]}",
        message=(
            f"{trial.job} requests no {asset} and is charged {number(trial.taken[asset])}: with a "
            "list, quantize() rounds 0 up to the first element"
        ),
        facts=(consumption_fact(kind, asset),),
    )


RULE = Rule(
    id="minimum-charge-by-list",
    severity=Severity.INFO,
    needs=(Input.SLOTS, Input.JOBS),
    summary=(
        "A job that requests none of an asset is charged the first element of a list in quantize()"
    ),
    consequence=(
        "quantize(0, {128}) is 128, but quantize(0, 128) is 0. With a list every claim consumes "
        "at least the first "
        "element: 1 cpu, 128 MB and 1024 KiB with HTCondor's defaults. This is a minimum charge, "
        "intended or not."
    ),
    advice="Write the quantum without braces if no minimum is intended; otherwise write max().",
    source="src/classad/fnCall.cpp:doMath2, 25.14",
    find=_find,
)
