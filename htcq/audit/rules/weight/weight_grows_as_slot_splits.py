"""The parts of a slot without a consumption policy weigh more together than the whole slot."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from htcq.audit.evidence import Evidence
from htcq.audit.example_slots import on_examples
from htcq.audit.linear import LINEAR_WEIGHTS
from htcq.audit.policies import amounts_text, number, on_slots, weight_fact
from htcq.audit.rule import Fact, Found, Input, Rule, Severity
from htcq.audit.sound_weights import sound_weights
from htcq.claims.claim import dynamic_weight
from htcq.classads import as_number
from htcq.pool.slot import Number
from htcq.pool.slot_class import SlotClass
from htcq.units import CPUS

#: The parts of the cpus, and of everything else, that jobs take of a slot one after the other.
_SPLITS = (
    ((0.5, 0.125),),
    ((0.125, 0.5),),
    ((0.25, 0.25), (0.25, 0.25)),
    ((0.5, 0.125), (0.125, 0.5)),
)
#: By these a weight tells dynamic slots from others.
_KINDS = frozenset(("dynamicslot", "partitionableslot", "slottype"))
#: Less than this part of the weight is what rounding adds.
_NOTEWORTHY = 0.1


def _find(evidence: Evidence) -> Iterator[Found]:
    examples = on_examples(evidence)
    for kind in examples.partitionable:
        if kind.supports_policy or _tells_parts_apart(kind):
            continue
        whole = as_number(kind.full_weight)
        split = _worst(kind)
        if whole is None or whole <= 0 or split is None:
            continue
        parts, weight = split
        if weight > whole * (1 + _NOTEWORTHY):
            yield _found(examples, kind, parts, (whole, weight))


def _tells_parts_apart(kind: SlotClass) -> bool:
    """Return whether the weight says on purpose what dynamic slots are charged."""
    expression = kind.first.frame.expression("slotweight")
    return expression is not None and not _KINDS.isdisjoint(expression.references().own)


def _worst(kind: SlotClass) -> tuple[tuple[Mapping[str, Number], ...], Number] | None:
    """Return the parts that weigh most together, with that weight; None where it is no number."""
    found = []
    for split in _SPLITS:
        parts = _parts(kind.total, split)
        weight = _weight(kind, parts)
        if weight is not None:
            found.append((parts, weight))
    return max(found, key=lambda each: each[1], default=None)


def _parts(
    total: Mapping[str, Number], split: tuple[tuple[float, float], ...]
) -> tuple[Mapping[str, Number], ...]:
    """Return the amounts that jobs get of a slot, and what is left of it at the end."""
    left, parts = dict(total), []
    for cpus, others in split:
        part = {asset: int(total[asset] * others) for asset in total}
        part[CPUS] = int(total[CPUS] * cpus)
        parts.append(part)
        left = {asset: left[asset] - part[asset] for asset in left}
    return (*parts, left)


def _weight(kind: SlotClass, parts: tuple[Mapping[str, Number], ...]) -> Number | None:
    *taken, left = parts
    weights = [as_number(dynamic_weight(kind, each)) for each in taken]
    weights.append(as_number(kind.weight(left)))
    known = [each for each in weights if each is not None]
    if len(known) < len(weights):
        return None
    return sum(known)


def _found(
    evidence: Evidence,
    kind: SlotClass,
    parts: tuple[Mapping[str, Number], ...],
    weights: tuple[Number, Number],
) -> Found:
    whole, split = weights
    *taken, left = parts
    jobs = " and ".join(amounts_text(each) for each in taken)
    return on_slots(
        kind,
        cause=kind.weight_text,
        message=(
            f"SlotWeight is {number(whole)} while the slot is unused; with {jobs} in use and "
            f"{amounts_text(left)} left its parts weigh {number(split)}: the pool weighs the more "
            "the busier it is"
        ),
        facts=(weight_fact(kind), Fact("weight unused", number(whole))),
        settings=sound_weights(evidence, _named(kind)),
    )


def _named(kind: SlotClass) -> tuple[str, ...]:
    """Return the assets that the weight names."""
    expression = kind.first.frame.expression("slotweight")
    names = frozenset[str]() if expression is None else expression.references().own
    return tuple(asset for asset in kind.assets if asset in names)


RULE = Rule(
    id="weight-grows-as-slot-splits",
    severity=Severity.WARNING,
    needs=(Input.SHAPES,),
    summary="The weights of a slot's parts are more than the weight of the whole slot",
    consequence=(
        "What is left of a partitionable slot and its dynamic slots weigh more than the unused "
        "slot did. The pool's weight, and with it every dynamic quota and fair share, grows while "
        "jobs start; static quotas that add up to the weight of the unused pool leave a part of "
        "it without an owner."
    ),
    advice=LINEAR_WEIGHTS,
    source=(
        "src/condor_negotiator.V6/matchmaker.cpp:count_effective_slots, 25.14; seen on 25.14.1: "
        "max({Cpus, Memory / 2048}) weighs 8 unused and 12 in use"
    ),
    find=_find,
)
