"""The consumption of a job is larger on its dynamic slot than what that slot was given."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.policies import consumption_fact, number, on_slots
from htcq.audit.rule import Found, Need, Rule, Severity
from htcq.audit.trials import Trial
from htcq.pool.kind import Kind, handed_out


def _find(evidence: Evidence) -> Iterator[Found]:
    for kind in filter(evidence.trials.looks_at_slot, evidence.with_policy):
        for trial in evidence.trials.of(kind):
            found = _refused(kind, trial)
            if found is not None:
                yield found
                break


def _refused(kind: Kind, trial: Trial) -> Found | None:
    amounts = trial.amounts
    if not trial.fits(kind) or any(amount != int(amount) for amount in amounts.values()):
        return None
    got = handed_out(amounts)
    for asset, needed in kind.consumed_on(kind.dynamic_ad(got), trial.ad()).items():
        if needed is None or needed < 0 or needed > got[asset]:
            return on_slots(
                kind,
                cause=f"{asset}: {kind.consumption[asset]}",
                message=f"{trial.job} takes {number(amounts[asset])} {asset} of the slot, but evaluated on its dynamic "
                f"slot it takes {number(needed)} of {number(got[asset])}: the startd refuses to start it",
                facts=(consumption_fact(kind, asset),),
            )
    return None


RULE = Rule(
    id="larger-on-dynamic-slot",
    severity=Severity.WARNING,
    needs=(Need.SLOTS,),
    summary="A consumption that looks at the slot is larger on the dynamic slot than what that got",
    consequence=(
        "When a job starts the startd evaluates the consumption again, on the dynamic slot. An expression that names "
        "amounts of the slot has other values there: what does not fit is refused, and the claim is given back."
    ),
    fix="Tell the two apart: ifThenElse(DynamicSlot =?= true, TARGET.Request<asset> ?: 0, …).",
    source="src/condor_startd.V6/command.cpp:activate_claim, 25.14",
    find=_find,
)
