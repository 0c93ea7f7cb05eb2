"""Findings, facts and settings of the rules on slots with a consumption policy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from htcq.audit.evidence import Evidence
from htcq.audit.fix import Setting
from htcq.audit.fix_settings import execute
from htcq.audit.rule import HARMLESS, Fact, Found, Harm, Severity
from htcq.classads import as_number
from htcq.pool.configuration import Knob
from htcq.pool.slot import Number, Slot
from htcq.pool.slot_class import EXAMPLES, SlotClass
from htcq.units import BUILT_IN_ASSETS, attribute

#: An expression that a sentence quotes is cut here; the evidence has all of it.
_QUOTED = 80


def on_slots(
    kind: SlotClass,
    cause: str,
    message: str,
    facts: tuple[Fact, ...] = (),
    advice: str = "",
    severity: Severity | None = None,
    slots: Sequence[Slot] = (),
    settings: tuple[Setting, ...] = (),
    is_root: bool = False,
    harm: Harm = HARMLESS,
) -> Found:
    """Return a finding on every slot of ``kind``, or on some of its ``slots``.

    ``is_root`` says that the pool with ``settings`` has neither it nor what follows from it.
    """
    hurt = slots or kind.slots
    return Found(
        cause=cause,
        subject=f"slot {hurt[0].name}",
        message=message,
        facts=facts,
        advice=advice,
        count=len(hurt),
        examples=tuple(str(slot.name) for slot in hurt[:EXAMPLES]),
        severity=severity,
        settings=settings,
        is_root=is_root,
        harm=harm,
    )


def slots_by(kind: SlotClass, name: str) -> dict[Number, list[Slot]]:
    """Return the slots of ``kind`` by the shared attribute ``name``, where it is a number."""
    values = {id(slot.frame): as_number(slot.frame.value(name)) for slot in kind.variants}
    found: dict[Number, list[Slot]] = {}
    for slot in kind.slots:
        value = values[id(slot.frame)]
        if value is not None:
            found.setdefault(value, []).append(slot)
    return found


def on_knob(
    knob: Knob, message: str, subject: str = "", settings: tuple[Setting, ...] = ()
) -> Found:
    """Return a finding on a knob; its cause is the knob with its value, on any machine."""
    value = " ".join(knob.value.split())
    return Found(
        cause=f"{knob.name} = {value}",
        subject=subject or f"knob {knob.name}",
        message=message,
        facts=(knob_as_fact(knob),),
        settings=settings,
    )


def knob_as_fact(knob: Knob) -> Fact:
    """Return a knob as evidence, with file and line where they are known."""
    return Fact(knob.name, " ".join(knob.value.split()) or "(not set)", knob.place)


def weight_fact(kind: SlotClass) -> Fact:
    """Return SlotWeight of ``kind`` as evidence."""
    return Fact("SlotWeight", kind.weight_text or "(absent)")


def consumption_fact(kind: SlotClass, asset: str) -> Fact:
    """Return the consumption of ``asset`` as evidence."""
    return Fact(f"Consumption{attribute(asset)}", kind.consumption.get(asset, "(absent)"))


def amounts_text(amounts: Mapping[str, Number | None]) -> str:
    """Return amounts as ``cpus=1, memory=1024``, without those that are 0."""
    words = [f"{asset}={number(amount)}" for asset, amount in amounts.items() if amount != 0]
    return ", ".join(words) or "nothing"


def number(amount: Number | None) -> str:
    """Return a number with all its digits, or ``no number`` for None."""
    if amount is None:
        return "no number"
    whole = as_number(amount)
    if whole is None:
        return "no number"
    return repr(whole)


def quoted(text: str) -> str:
    """Return an expression as a sentence quotes it."""
    one = " ".join(text.split())
    if len(one) > _QUOTED:
        return f"{one[:_QUOTED]}…"
    return one


def safe_request(asset: str) -> str:
    """Return a consumption that charges ``asset`` as asked, and nothing without a request."""
    return f"ceiling(TARGET.Request{attribute(asset)} ?: 0)"


def whole_request(asset: str) -> str:
    """Return a consumption that charges ``asset`` as asked, in whole units and at least 1."""
    return f"max({{1, {safe_request(asset)}}})"


def sound_request(asset: str) -> str:
    """Return a consumption of ``asset`` that HTCondor accepts.

    Cpus, memory and disk are charged at least 1.
    """
    if asset in BUILT_IN_ASSETS:
        return whole_request(asset)
    return safe_request(asset)


def consumption_settings(
    evidence: Evidence, kind: SlotClass, asset: str, text: str
) -> tuple[Setting, ...]:
    """Return the consumption ``text`` of ``asset`` for the slots of ``kind``."""
    return execute(evidence, kind.places, f"CONSUMPTION_{asset.upper()}", text)
