"""A consumption policy takes so much more than jobs request that far fewer of them fit."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.policies import consumption_fact, number, on_slots
from htcq.audit.rule import Fact, Found, Input, Rule, Severity
from htcq.audit.trials import Trial, fits
from htcq.policy.consumption import MIN_REQUEST
from htcq.pool.slot import Number
from htcq.pool.slot_class import SlotClass
from htcq.units import attribute

#: A policy that rounds requests up leaves room for half as many jobs, one more or less.
_TIMES = 2


def _find(evidence: Evidence) -> Iterator[Found]:
    for kind in evidence.with_policy:
        for trial in evidence.trials.own(kind):
            short = _short_of(kind, trial)
            if short:
                yield _found(kind, trial, short)
                break


def _requested(trial: Trial) -> dict[str, Number]:
    """Return what the job itself requests of the assets that it takes, and gets in any case."""
    requests = trial.jobs.request
    return {
        asset: max(requests.get(asset) or 0, MIN_REQUEST.get(asset, 0)) for asset in trial.amounts
    }


def _short_of(kind: SlotClass, trial: Trial) -> str:
    """Return the asset of which it takes so much; empty where about as many jobs fit."""
    asked, now = _requested(trial), trial.fits(kind)
    if (now + 1) * _TIMES > fits(kind.total, asked):
        return ""
    return max(trial.amounts, key=lambda asset: trial.amounts[asset] / (kind.total.get(asset) or 1))


def _found(kind: SlotClass, trial: Trial, asset: str) -> Found:
    asked = _requested(trial)
    return on_slots(
        kind,
        cause=f"{attribute(asset)}: {kind.consumption[asset]}",
        message=(
            f"{trial.job} requests {number(asked[asset])} of {asset} and takes "
            f"{number(trial.amounts[asset])}: {trial.fits(kind)} such jobs fill the slot, and "
            f"{fits(kind.total, asked)} would fit by their requests"
        ),
        facts=(
            consumption_fact(kind, asset),
            Fact(f"Request{attribute(asset)}", number(asked[asset])),
            Fact(f"TotalSlot{attribute(asset)}", number(kind.total.get(asset, 0))),
        ),
    )


RULE = Rule(
    id="consumption-far-above-request",
    severity=Severity.INFO,
    needs=(Input.SLOTS, Input.JOBS),
    summary="A consumption policy takes so much more than jobs request that far fewer of them fit",
    consequence=(
        "What a claim takes is gone for other jobs, used or not. The slot is full of claims when "
        "half of it or more stands idle; the other assets are stranded. Policies that hand out "
        "fixed parts of a machine mean that."
    ),
    advice="Write a smaller quantum or minimum in the Consumption expression that is shown.",
    source="src/condor_utils/consumption_policy.cpp:cp_compute_consumption, 25.14",
    find=_find,
)
