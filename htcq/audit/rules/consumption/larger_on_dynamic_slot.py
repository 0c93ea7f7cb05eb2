"""The consumption of a job is larger on its dynamic slot than what that slot was given."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.fix_settings import literal_text
from htcq.audit.policies import consumption_fact, consumption_settings, number, on_slots
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.audit.trials import Trial
from htcq.claims.claim import taken_again
from htcq.policy.carved import handed_out
from htcq.pool.slot_class import SlotClass
from htcq.units import attribute


def _find(evidence: Evidence) -> Iterator[Found]:
    for kind in filter(evidence.trials.looks_at_slot, evidence.with_policy):
        for trial in evidence.trials.of(kind):
            found = _refused(evidence, kind, trial)
            if found is not None:
                yield found
                break


def _refused(evidence: Evidence, kind: SlotClass, trial: Trial) -> Found | None:
    amounts = trial.amounts
    if not trial.fits(kind) or any(amount != int(amount) for amount in amounts.values()):
        return None
    got = handed_out(amounts)
    for asset, needed in taken_again(kind, trial.jobs, got).items():
        if needed is None or needed < 0 or needed > got[asset]:
            return on_slots(
                kind,
                cause=f"{asset}: {kind.consumption[asset]}",
                message=(
                    f"{trial.job} consumes {number(amounts[asset])} {asset} of the slot, but "
                    f"evaluated on its dynamic slot it consumes {number(needed)} of "
                    f"{number(got[asset])}: the startd refuses to start it"
                ),
                facts=(consumption_fact(kind, asset),),
                settings=consumption_settings(evidence, kind, asset, _by_slot_type(kind, asset)),
            )
    return None


def _by_slot_type(kind: SlotClass, asset: str) -> str:
    """Return a consumption that depends on the type of the slot.

    On a dynamic slot it is the request, on all others what it is now.
    """
    request, text = f"TARGET.Request{attribute(asset)} ?: 0", literal_text(kind.consumption[asset])
    return f"ifThenElse(DynamicSlot =?= true, {request}, {text})"


RULE = Rule(
    id="larger-on-dynamic-slot",
    severity=Severity.WARNING,
    needs=(Input.SLOTS,),
    summary=(
        "A consumption that depends on the slot is larger on the dynamic slot than the amount "
        "carved for it"
    ),
    consequence=(
        "When a job starts, the startd evaluates the consumption again on the dynamic slot. An "
        "expression that refers to amounts of the slot has other values there; if the result "
        "does not fit, the job is refused and the claim is returned."
    ),
    advice="Distinguish the two kinds of slots: on a dynamic slot, a job consumes its request.",
    source="src/condor_startd.V6/command.cpp:activate_claim, 25.14",
    find=_find,
)
