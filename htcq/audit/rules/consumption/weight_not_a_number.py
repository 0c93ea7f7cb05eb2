"""SlotWeight of a slot with a consumption policy is no number before or after a match."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice

from htcq.audit.evidence import Evidence
from htcq.audit.rule import Fact, Found, Input, Rule, Severity
from htcq.audit.sound_weights import sound_weights
from htcq.classads import Expr, as_number, named, parsed
from htcq.pool.slot import Number
from htcq.pool.slot_class import SlotClass
from htcq.units import CPUS

#: Numbers of cpus left that are tried; an ad can say that a slot has 2**63 of them.
_MAX_CPUS = 1024
#: Jobs whose match is tried on a kind of slots; a weight that fails, fails after an ordinary one.
_MAX_JOBS = 100


def _states(evidence: Evidence, kind: SlotClass) -> Iterator[tuple[str, Mapping[str, Number]]]:
    left = {asset: amount for asset, amount in kind.first.left().items() if amount is not None}
    yield "as it is now", {**kind.total, **left}
    yield "when it is full", kind.total
    yield "when nothing is left", dict.fromkeys(kind.total, 0)
    for asset in kind.total:
        yield f"when no {asset} is left", {**kind.total, asset: 0}
    for cpus in range(1, min(int(kind.total.get(CPUS, 0)), _MAX_CPUS)):
        yield f"when {cpus} of its cpus are left", {**kind.total, CPUS: cpus}
    for trial in islice(evidence.trials.of(kind), _MAX_JOBS):
        if trial.fits(kind):
            taken = trial.amounts
            left = {asset: amount - taken.get(asset, 0) for asset, amount in kind.total.items()}
            yield f"after a match of {trial.job}", left


def _find(evidence: Evidence) -> Iterator[Found]:
    for kind in evidence.with_policy:
        when = _broken(evidence, kind, named("SlotWeight"))
        if when:
            substitute = _substitute(evidence, kind)
            severity = None
            message = (
                f"SlotWeight is not a number {when}: the first match there makes the negotiator "
                "crash"
            )
            if substitute:
                severity = Severity.WARNING
                message = (
                    "SlotWeight is not a number: the negotiator uses its own SLOT_WEIGHT, "
                    f"{substitute}, instead"
                )
            yield Found(
                cause=kind.weight_text,
                subject=f"slot {kind.first.name}",
                message=message,
                facts=(Fact("SlotWeight", kind.weight_text or "(absent)"),),
                count=kind.count,
                examples=kind.examples,
                severity=severity,
                settings=sound_weights(evidence),
            )


def _broken(evidence: Evidence, kind: SlotClass, weight: Expr) -> str:
    """Return in which state ``weight`` is no number; empty where it always is one."""
    for when, amounts in _states(evidence, kind):
        if as_number(weight.evaluate(kind.ad(amounts))) is None:
            return when
    return ""


def _substitute(evidence: Evidence, kind: SlotClass) -> str:
    """Return the central manager's SLOT_WEIGHT where it replaces the weight; empty otherwise.

    It does so for a slot whose weight is no number when it fetches the ads, not for one that
    fails after a match.
    """
    text = evidence.setting("SLOT_WEIGHT")
    left = {asset: amount for asset, amount in kind.first.left().items() if amount is not None}
    if not text or as_number(kind.weight({**kind.total, **left})) is not None:
        return ""
    weight = parsed(text)
    if weight is None or _broken(evidence, kind, weight):
        return ""
    return text


RULE = Rule(
    id="weight-not-a-number",
    severity=Severity.ERROR,
    needs=(Input.SLOTS,),
    summary=(
        "SlotWeight of a slot with a consumption policy is not a number, now or after some match"
    ),
    consequence=(
        "The negotiator computes the match cost from SlotWeight before and after it deducts the "
        "assets. If one of them is undefined or an error, it exits with 'Failed to evaluate "
        "SlotWeight'; the master restarts it, and it exits again at the same slot: no job in the "
        "pool is matched any more. Only if the weight is not a number from the start, and the "
        "central manager's own SLOT_WEIGHT is one, does it use that instead."
    ),
    advice=(
        "Write a weight that is a number for all free amounts: guard divisions, and refer only "
        "to attributes that every slot has."
    ),
    source="src/condor_utils/consumption_policy.cpp:cp_deduct_assets, 25.14; seen on 25.14.1",
    find=_find,
)
