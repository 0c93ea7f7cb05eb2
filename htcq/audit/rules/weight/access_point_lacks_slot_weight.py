"""An access point whose weight for the demand of jobs differs from that of the slots."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from htcq.audit.access_points import AccessPoint, access_points
from htcq.audit.evidence import Evidence
from htcq.audit.fix import Role, Setting
from htcq.audit.rule import Fact, Found, Input, Rule, Severity
from htcq.audit.sound_weights import sound_weights
from htcq.classad.names import spelling
from htcq.classad.substitution import with_references
from htcq.classad.tree import Reference
from htcq.classads import as_number, parsed
from htcq.pool.demand import OWN_KNOB, POOL_KNOB, SWITCH
from htcq.pool.slot import PARTITIONABLE, Number
from htcq.pool.slot_class import SlotClass
from htcq.units import CPUS, DISK, GPUS, MEMORY

#: What slots have and jobs ask for.
_ASSETS = frozenset({CPUS, MEMORY, DISK, GPUS})
#: Weights closer than this are equal: reals lose a little.
_CLOSE = 1e-6


def _find(evidence: Evidence) -> Iterator[Found]:
    if not evidence.truth("NEGOTIATOR_USE_SLOT_WEIGHTS", True):
        return
    otherwise: dict[str, tuple[SlotClass, ...]] = {}
    for point in access_points(evidence):
        if point.weight.weighs and point.weight.decides == OWN_KNOB:
            continue
        text = point.weight.text(POOL_KNOB) if point.weight.weighs else "Cpus"
        if text not in otherwise:
            otherwise[text] = tuple(kind for kind in evidence.offered if not _weighs_so(kind, text))
        if otherwise[text]:
            yield _found(evidence, point, otherwise[text])


def _weighs_so(kind: SlotClass, text: str) -> bool:
    """Return whether the slots weigh what ``text`` says, whatever is left of them."""
    expression = parsed(text)
    if expression is None:
        return False
    for amounts in _states(kind):
        own = as_number(kind.weight(amounts))
        other = as_number(expression.evaluate(kind.ad(amounts)))
        if own is None and other is None:
            continue
        if own is None or other is None or abs(own - other) > _CLOSE:
            return False
    return True


def _states(kind: SlotClass) -> Iterator[Mapping[str, Number]]:
    yield kind.total
    if kind.type == PARTITIONABLE:
        cores = max(1, int(kind.total.get(CPUS, 1)))
        yield {asset: amount // cores for asset, amount in kind.total.items()}
        for asset, amount in kind.total.items():
            yield {**kind.total, asset: amount // 2}


def _found(evidence: Evidence, point: AccessPoint, kinds: tuple[SlotClass, ...]) -> Found:
    texts = Counter[str]()
    for kind in kinds:
        texts[kind.weight_text or "(absent)"] += kind.count
    text, _ = texts.most_common(1)[0]
    every = sum(kind.count for kind in evidence.offered)
    counts, knob = "in cpus", SWITCH
    if point.weight.weighs:
        counts, knob = f"by {POOL_KNOB} = {point.weight.text(POOL_KNOB)}", POOL_KNOB
    return Found(
        cause=f"{point.weight.decides} = {point.weight.expression}",
        subject=f"access point {point.name}",
        message=(
            f"schedd {point.name} counts idle jobs {counts}, but {sum(texts.values())} of {every} "
            f"slots have another weight, most of them {text}"
        ),
        facts=(
            point.fact(knob),
            point.fact(OWN_KNOB),
            Fact("SlotWeight", text),
        ),
        examples=(point.name,),
        settings=sound_weights(evidence),
        trial=(
            Setting(Role.ACCESS, SWITCH, "True", nodes=(point.name,)),
            Setting(Role.ACCESS, OWN_KNOB, _of_requests(text), nodes=(point.name,)),
        ),
    )


def _of_requests(weight: str) -> str:
    """Return the slot weight ``weight`` in terms of requests, which the schedd rounds up."""

    def requested(part: Reference) -> str | None:
        return f"(Request{spelling(weight, part)} ?: 0)" if part.name in _ASSETS else None

    text = with_references(weight, requested)
    return f"max({{1, ceiling({text})}})"


RULE = Rule(
    id="access-point-lacks-slot-weight",
    severity=Severity.WARNING,
    needs=(Input.SLOTS, Input.ACCESS),
    summary=(
        "The slot weight configured on an access point differs from the weight of the pool's slots"
    ),
    consequence=(
        "The schedd computes the weight of idle jobs with the SLOT_WEIGHT in the configuration "
        "of its own machine, by default Cpus. The demand of groups is then in another unit than "
        "their quotas and usage: groups get too little, or keep surplus that others could use."
    ),
    advice=(
        "Set SCHEDD_SLOT_WEIGHT on the access points to the charge of a job. SLOT_WEIGHT alone "
        "is not enough if it takes a minimum or counts whole units: small jobs would weigh 0."
    ),
    source="src/condor_schedd.V6/schedd.cpp:Scheduler::Init, guessJobSlotWeight, 25.14",
    find=_find,
)
