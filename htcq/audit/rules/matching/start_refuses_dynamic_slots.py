"""START, or another clause of Requirements, holds for a slot and not for its dynamic slots."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from htcq.audit.claims import taken
from htcq.audit.evidence import Evidence
from htcq.audit.facts import listed
from htcq.audit.policies import number, on_slots
from htcq.audit.rule import Fact, Found, Input, Rule, Severity, Unchecked
from htcq.classads import UNDEFINED, Ad, holds, named
from htcq.policy.carved import handed_out
from htcq.policy.claim import overridden
from htcq.pool.autocluster import Autocluster
from htcq.pool.slot import PARTITIONABLE
from htcq.pool.slot_class import SlotClass
from htcq.units import attribute

#: What a dynamic slot has otherwise than its partitionable slot, besides the amounts of assets.
_ITS_OWN = frozenset(
    {
        "partitionableslot",
        "dynamicslot",
        "slottype",
        "numdynamicslots",
        "numclaims",
        "childcpus",
        "childname",
        "childstate",
    }
)
_LIMITS = "WithinResourceLimits"


def _find(evidence: Evidence) -> Iterator[Found | Unchecked]:
    unasked = False
    for kind in evidence.slot_classes_by_frame:
        if kind.type != PARTITIONABLE or not _looks_at_its_amounts(kind):
            continue
        tried = [jobs for jobs in evidence.autoclusters if evidence.claims.fits(kind, jobs)]
        refused = [jobs for jobs in tried if _refuses(evidence, kind, jobs)]
        unasked = unasked or not tried
        if refused:
            yield _found(evidence, kind, tried, refused)
    if unasked:
        lacks_jobs = evidence.lacks(Input.JOBS)
        yield Unchecked(evidence.words(Input.JOBS) if lacks_jobs else "jobs that such slots accept")


def _looks_at_its_amounts(kind: SlotClass) -> bool:
    """Return whether the slot's Requirements, without the check of amounts, may differ later."""
    frame = kind.first.frame
    seen: set[str] = set()
    waiting = ["requirements"]
    while waiting:
        name = waiting.pop()
        if name in seen or name == _LIMITS.lower():
            continue
        seen.add(name)
        expression = frame.expression(name)
        if expression is not None:
            waiting += expression.references().own
    assets = {attribute(asset).lower() for asset in kind.assets}
    totals = {f"totalslot{asset}" for asset in assets}
    return not seen.isdisjoint(_ITS_OWN | assets | totals)


def _refuses(evidence: Evidence, kind: SlotClass, jobs: Autocluster) -> bool:
    """Return whether the dynamic slot that a job of ``jobs`` gets does not take the job."""
    amounts = taken(evidence, kind, jobs)
    if amounts is None:
        # No claim is made at all, which other rules tell.
        return False
    got, asking = amounts, jobs.ad()
    if kind.supports_policy:
        got = handed_out(amounts)
        asking = jobs.ad(overridden(asking, evidence.claims.taken(kind, jobs)))
    return not _takes(kind.dynamic_ad(got), asking)


def _takes(dynamic: Ad, job: Ad) -> bool:
    with dynamic.changed("NumDynamicSlots", UNDEFINED), dynamic.changed(_LIMITS, True):
        return holds(named("Requirements").evaluate(dynamic, job))


def _found(
    evidence: Evidence,
    kind: SlotClass,
    tried: Sequence[Autocluster],
    refused: Sequence[Autocluster],
) -> Found:
    jobs = refused[0]
    amounts = taken(evidence, kind, jobs) or {}
    has = [f"{number(amount)} {asset}" for asset, amount in amounts.items() if amount]
    text = kind.first.frame.text("Start") or kind.first.frame.text("Requirements")
    message = (
        f"job {evidence.pool.job_name(jobs.first)} is matched with the slot, but the dynamic slot "
        f"with {listed(has)} that is made for it refuses it"
    )
    severity = Severity.ERROR
    if len(refused) < len(tried):
        message = f"{message}, as do {len(refused)} of {len(tried)} kinds of jobs"
        severity = Severity.WARNING
    return on_slots(
        kind,
        cause=f"Start = {text}",
        message=message,
        facts=(Fact("Start", text), Fact("Requirements", kind.first.frame.text("Requirements"))),
        severity=severity,
    )


RULE = Rule(
    id="start-refuses-dynamic-slots",
    severity=Severity.ERROR,
    needs=(Input.SLOTS,),
    summary="START holds for a partitionable slot and not for the dynamic slots made of it",
    consequence=(
        "The negotiator matches a job with the partitionable slot. The startd makes a dynamic slot "
        "and evaluates Requirements there again, with the amounts of the dynamic slot and without "
        "attributes such as NumDynamicSlots. If they are not true, it deletes the slot and "
        "refuses the claim. The job is matched again in every cycle, is charged for it each time, "
        "and never starts."
    ),
    advice=(
        "Let START hold for dynamic slots in any case: 'DynamicSlot =?= true || ( ... )'. The "
        "partitionable slot was asked before."
    ),
    source=(
        "src/condor_startd.V6/command.cpp:request_claim, Resource.cpp:willingToRun, 23.0 to 25.14"
    ),
    find=_find,
)
