"""A slot with a consumption policy has GPUs of different models."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import listed
from htcq.audit.fix_settings import execute
from htcq.audit.rule import Fact, Found, Input, Rule, Severity
from htcq.classads import UNDEFINED, Expr, Missing, Value
from htcq.pool.slot import Slot
from htcq.pool.slot_class import SlotClass
from htcq.units import GPUS

#: What jobs choose a device by, the telling one first.
_PROPERTIES = ("DeviceName", "Capability", "GlobalMemoryMb")


def _find(evidence: Evidence) -> Iterator[Found]:
    for kind in evidence.with_policy:
        if GPUS not in kind.consumption:
            continue
        frames = Counter(id(slot.frame) for slot in kind.slots)
        for slot in kind.variants:
            different = _different(slot)
            if different:
                name, values = next(iter(different.items()))
                all_values = {each: ", ".join(shown) for each, shown in different.items()}
                yield Found(
                    cause="; ".join(f"{each}: {shown}" for each, shown in all_values.items()),
                    subject=f"slot {slot.name}",
                    message=(
                        f"its GPUs differ in {name} ({listed(values)}): a job's require_gpus "
                        "selects among them at the match, but not when the startd binds one"
                    ),
                    facts=tuple(Fact(f"GPUs {each}", shown) for each, shown in all_values.items()),
                    settings=execute(evidence, _like(kind, slot), "CONSUMPTION_POLICY", "False"),
                    count=frames[id(slot.frame)],
                    examples=(str(slot.name),),
                )


def _like(kind: SlotClass, slot: Slot) -> list[Slot]:
    return [each for each in kind.slots if each.frame is slot.frame]


def _different(slot: Slot) -> dict[str, tuple[str, ...]]:
    """Return the properties in which the slot's GPUs differ, each with its values."""
    frame = slot.frame
    devices = []
    for key, name in frame.names.items():
        if key.startswith("gpus_") and frame.texts[key].startswith("["):
            devices.append(name)
    ad = slot.ad()
    found = {}
    for each in _PROPERTIES:
        values: list[Value] = [Expr(f"{name}.{each}").evaluate(ad) for name in devices]
        present = [str(value) for value in values if not isinstance(value, Missing)]
        different = tuple(dict.fromkeys(present))
        if len(different) > 1 and UNDEFINED not in values:
            found[each] = different
    return found


RULE = Rule(
    id="heterogeneous-gpus-with-policy",
    severity=Severity.ERROR,
    needs=(Input.SLOTS,),
    summary="A slot with a consumption policy has GPUs of different models",
    consequence=(
        "With a consumption policy the startd ignores require_gpus when it binds devices: the "
        "job gets any free GPU of the slot, even one that it cannot use. The negotiator deducts "
        "only the number of GPUs, so that it continues to offer devices in the same cycle that "
        "are taken."
    ),
    advice=(
        "Remove the policy from these nodes and restart their startds; or define a slot type for "
        "each GPU model."
    ),
    source=(
        "src/condor_startd.V6/Resource.cpp:create_dslot, 25.14; seen on 25.14.1: wanted "
        "capability 7.5, got 2.0"
    ),
    find=_find,
)
