"""Slots of one pool count in different units."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from htcq.audit.charges import CLOSE
from htcq.audit.evidence import Evidence
from htcq.audit.policies import amounts_text, number, quoted
from htcq.audit.rule import Fact, Found, Need, Rule, Severity
from htcq.classads import as_number
from htcq.pool.kind import EXAMPLES, Kind
from htcq.pool.slot import Number
from htcq.units import CPUS, DISK, MEMORY

#: Claims that one unit or another must weigh differently: a small one, one of much memory, one of many cpus.
_CLAIMS: tuple[Mapping[str, Number], ...] = (
    {CPUS: 1, MEMORY: 1024, DISK: 1048576},
    {CPUS: 1, MEMORY: 16384, DISK: 1048576},
    {CPUS: 8, MEMORY: 1024, DISK: 1048576},
)


def _find(evidence: Evidence) -> Iterator[Found]:
    if evidence.truth("FORCE_NEGOTIATOR_SLOT_WEIGHT", False):
        return
    by_text: dict[str, list[Kind]] = {}
    for kind in evidence.offered:
        by_text.setdefault(kind.weight_text, []).append(kind)
    weighed = {text: _weights(kinds[0]) for text, kinds in by_text.items()}
    known = {text: weights for text, weights in weighed.items() if None not in weights}
    usual = max(known, key=lambda text: sum(kind.count for kind in by_text[text]), default="")
    for text, weights in known.items():
        for claim, here, there in zip(_CLAIMS, weights, known[usual]):
            if here is not None and there is not None and abs(here - there) > CLOSE:
                yield _found(by_text[text], by_text[usual], claim, (here, there))
                break


def _weights(kind: Kind) -> tuple[Number | None, ...]:
    return tuple(as_number(kind.standing_weight(claim)) for claim in _CLAIMS)


def _found(kinds: list[Kind], usual: list[Kind], claim: Mapping[str, Number], weights: tuple[Number, Number]) -> Found:
    here, there, other = kinds[0], usual[0], sum(kind.count for kind in usual)
    return Found(
        cause=here.weight_text,
        subject=f"slot {here.first.name}",
        message=f"a claim of {amounts_text(claim)} weighs {number(weights[0])} on it and {number(weights[1])} on "
        f"{other} others, such as {there.first.name} ({quoted(there.weight_text)}): quotas and usage add both up",
        facts=(
            Fact("SlotWeight", here.weight_text),
            Fact(f"SlotWeight of {there.first.name}", there.weight_text),
        ),
        count=sum(kind.count for kind in kinds),
        examples=tuple(name for kind in kinds for name in kind.examples)[:EXAMPLES],
    )


RULE = Rule(
    id="mixed-slot-weights",
    severity=Severity.WARNING,
    needs=(Need.SLOTS,),
    summary="Equal claims weigh differently on different slots of the pool",
    consequence=(
        "Quotas, ceilings, priorities and the pool's total are sums of slot weights. Where slots count in different "
        "units the sums mean nothing: the same job costs its group more on one machine than on another."
    ),
    fix="Give all execute nodes the same SLOT_WEIGHT; it may name assets that only some of them have.",
    source="src/condor_negotiator.V6/Accountant.cpp:GetSlotWeight, matchmaker.cpp:sumSlotWeights, 25.14",
    find=_find,
)
