"""Slots of one pool count in different units."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from htcq.audit.charges import CLOSE
from htcq.audit.evidence import Evidence
from htcq.audit.facts import counted
from htcq.audit.fix import Role, Setting
from htcq.audit.policies import number, quoted
from htcq.audit.rule import Fact, Found, Input, Rule, Severity
from htcq.audit.sound_weights import sound_weights
from htcq.audit.trials import fits
from htcq.claims.claim import dynamic_weight
from htcq.classads import as_number
from htcq.policy.carved import handed_out
from htcq.pool.slot import Number
from htcq.pool.slot_class import EXAMPLES, SlotClass
from htcq.units import CPUS, DISK, MEMORY

#: Requests that one unit or another must weigh differently: a small one, one of much memory, one of
#: several cpus.
_REQUESTS: tuple[Mapping[str, Number], ...] = (
    {CPUS: 1, MEMORY: 1024, DISK: 1048576},
    {CPUS: 1, MEMORY: 8192, DISK: 1048576},
    {CPUS: 4, MEMORY: 1024, DISK: 1048576},
)


def _find(evidence: Evidence) -> Iterator[Found]:
    if evidence.quotas.truth("FORCE_NEGOTIATOR_SLOT_WEIGHT", False):
        return
    by_text: dict[str, list[SlotClass]] = {}
    for kind in evidence.offered:
        by_text.setdefault(kind.weight_text, []).append(kind)
    if len(by_text) < 2:
        return
    usual = max(by_text.values(), key=lambda kinds: sum(kind.count for kind in kinds))
    expected = [_weight(evidence, usual, request) for request in _REQUESTS]
    for kinds in by_text.values():
        weights = [_weight(evidence, kinds, request) for request in _REQUESTS]
        for request, here, there in zip(_REQUESTS, weights, expected):
            if here is not None and there is not None and abs(here - there) > CLOSE:
                yield _found(evidence, kinds, usual, request, (here, there))
                break


def _weight(
    evidence: Evidence, kinds: list[SlotClass], request: Mapping[str, Number]
) -> Number | None:
    """Return the weight of a running claim of such a request; None where no kind fits it."""
    for kind in kinds:
        amounts: Mapping[str, Number] = request
        if kind.supports_policy:
            amounts = evidence.trials.made_up(kind, request).amounts
        if amounts and fits(kind.total, amounts):
            return as_number(dynamic_weight(kind, handed_out(amounts)))
    return None


def _found(
    evidence: Evidence,
    kinds: list[SlotClass],
    usual: list[SlotClass],
    request: Mapping[str, Number],
    weights: tuple[Number, Number],
) -> Found:
    here, there, other = kinds[0], usual[0], sum(kind.count for kind in usual)
    machines = dict.fromkeys(str(slot.machine) for kind in kinds for slot in kind.slots)
    asked = ", ".join(f"{asset}={number(amount)}" for asset, amount in request.items())
    return Found(
        cause=here.weight_text,
        subject=f"slot {here.first.name}",
        message=(
            f"a job that requests {asked} weighs {number(weights[0])} on it and "
            f"{number(weights[1])} on {counted(other, 'other slot')}, such as {there.first.name} "
            f"({quoted(there.weight_text)}): quotas and usage add up both"
        ),
        facts=(
            Fact("SlotWeight", here.weight_text),
            Fact(f"SlotWeight of {there.first.name}", there.weight_text),
        ),
        count=sum(kind.count for kind in kinds),
        examples=tuple(name for kind in kinds for name in kind.examples)[:EXAMPLES],
        settings=sound_weights(evidence),
        trial=tuple(
            Setting(Role.EXECUTE, "SLOT_WEIGHT", there.weight_text, nodes=(each,))
            for each in machines
        ),
    )


RULE = Rule(
    id="mixed-slot-weights",
    severity=Severity.WARNING,
    needs=(Input.SLOTS,),
    summary="Equal jobs have different weights on different slots of the pool",
    consequence=(
        "Quotas, ceilings, priorities and the pool's total are sums of slot weights. If slots "
        "have different units, the sums have no meaning: the same job costs its group more on "
        "one machine than on another."
    ),
    advice=(
        "Give all execution points the same weight expression; it may refer to assets that only "
        "some of them have."
    ),
    source=(
        "src/condor_negotiator.V6/Accountant.cpp:GetSlotWeight, matchmaker.cpp:sumSlotWeights, "
        "25.14"
    ),
    find=_find,
)
