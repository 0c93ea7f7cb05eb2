"""A request that the startd changes before it carves the slot.

The policy then takes another amount than at the match.
"""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.fix import Setting
from htcq.audit.fix_settings import execute
from htcq.audit.nodes import Modification, modifications
from htcq.audit.policies import consumption_fact, knob_as_fact, number, on_slots
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.audit.trials import Trial
from htcq.claims.startds import modifier
from htcq.pool.slot import Number
from htcq.pool.slot_class import SlotClass
from htcq.units import CPUS, DISK, MEMORY

#: Disk is measured in KiB, and rounding moves some: less than this part of it on a full slot does
#: no harm.
_MATERIAL = 0.01


def _find(evidence: Evidence) -> Iterator[Found]:
    for kind in evidence.with_policy:
        for modification in modifications(evidence, kind, assumed=False):
            for trial in evidence.trials.of(kind):
                asset = _differs(kind, trial, modification)
                if asset:
                    yield _found(evidence, kind, trial, modification, asset)
                    break


def _differs(kind: SlotClass, trial: Trial, modification: Modification) -> str:
    """Return the asset of which the startd takes another amount than the negotiator.

    Empty where there is none.
    """
    at_match, room = trial.amounts, trial.fits(kind)
    if not room:
        return ""
    for asset, amount in modification.taken(kind, trial).items():
        if amount is None:
            return asset
        gap = abs(amount - at_match[asset])
        if gap == 0:
            continue
        if asset != DISK or gap * room > kind.total[DISK] * _MATERIAL:
            return asset
    return ""


def _found(
    evidence: Evidence, kind: SlotClass, trial: Trial, modification: Modification, asset: str
) -> Found:
    changed = {}
    for name, value in modification.changed(kind, trial).items():
        own = name[len("Request") :].lower()
        changed[own] = value
    cause = asset
    if asset not in changed:
        cause = next(iter(changed), asset)
    knob = modification.knobs.get(cause)
    facts, text = [consumption_fact(kind, asset)], ""
    if knob:
        facts.append(knob_as_fact(knob))
        text = knob.value
    taken: Number | None = modification.taken(kind, trial)[asset]
    return on_slots(
        kind,
        cause=f"{kind.consumption[asset]} after {text}",
        message=(
            f"{trial.job} consumes {number(trial.taken[asset])} of {asset} at the match, but "
            f"{number(taken)} after the startd has changed its request for {cause} to "
            f"{changed.get(cause)}"
        ),
        facts=tuple(facts),
        settings=_unmodified(evidence, kind, cause),
    )


def _unmodified(evidence: Evidence, kind: SlotClass, asset: str) -> tuple[Setting, ...]:
    if asset not in (CPUS, MEMORY, DISK):
        return ()
    return execute(evidence, kind.places, modifier(asset), "UNDEFINED")


RULE = Rule(
    id="request-modified-differently",
    severity=Severity.WARNING,
    needs=(Input.SLOTS, Input.EXECUTE),
    summary=(
        "The startd consumes another amount for a claim than the negotiator, because it rounds "
        "the request first"
    ),
    consequence=(
        "The startd applies MODIFY_REQUEST_EXPR_* to a request before it evaluates the "
        "consumption; the negotiator does not. If the two amounts differ, matches are refused, "
        "assets are stranded, and the charge changes when the dynamic slot arrives."
    ),
    advice="Round in the consumption expression, and do not modify the request.",
    source=(
        "src/condor_startd.V6/Resource.cpp:create_dslot, 25.14; seen on 25.14.1: RequestMemory "
        "100 costs 100 at the match and 128 afterwards"
    ),
    find=_find,
)
