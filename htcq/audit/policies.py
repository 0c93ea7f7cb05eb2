"""What rules on consumption policies show of the slots that have one."""

from __future__ import annotations

from collections.abc import Mapping

from htcq.audit.rule import Fact, Found, Severity
from htcq.classads import as_number
from htcq.pool.configuration import Knob
from htcq.pool.kind import Kind
from htcq.pool.slot import Number
from htcq.units import attribute

#: An expression that a sentence quotes is cut here; the evidence has all of it.
_QUOTED = 80


def on_slots(
    kind: Kind,
    cause: str,
    message: str,
    facts: tuple[Fact, ...] = (),
    fix: str = "",
    severity: Severity | None = None,
) -> Found:
    """Return a finding on every slot of ``kind``."""
    return Found(
        cause=cause,
        subject=f"slot {kind.first.name}",
        message=message,
        facts=facts,
        fix=fix,
        count=kind.count,
        examples=kind.examples,
        severity=severity,
    )


def on_knob(knob: Knob, message: str, fix: str = "", subject: str = "") -> Found:
    """Return a finding on a knob, wherever it is set so."""
    value = " ".join(knob.value.split())
    return Found(
        cause=f"{knob.name} = {value}",
        subject=subject or f"knob {knob.name}",
        message=message,
        facts=(knob_as_fact(knob),),
        fix=fix,
    )


def knob_as_fact(knob: Knob) -> Fact:
    """Return a knob as evidence, with file and line where they are known."""
    return Fact(knob.name, " ".join(knob.value.split()) or "(not set)", knob.place)


def weight_fact(kind: Kind) -> Fact:
    """Return SlotWeight of ``kind`` as evidence."""
    return Fact("SlotWeight", kind.weight_text or "(absent)")


def consumption_fact(kind: Kind, asset: str) -> Fact:
    """Return the consumption of ``asset`` as evidence."""
    return Fact(f"Consumption{attribute(asset)}", kind.consumption.get(asset, "(absent)"))


def amounts_text(amounts: Mapping[str, Number | None]) -> str:
    """Return amounts as ``cpus=1, memory=1024``; an asset of which nothing is taken is left out."""
    return ", ".join(f"{asset}={number(amount)}" for asset, amount in amounts.items() if amount != 0) or "nothing"


def number(amount: Number | None) -> str:
    """Return a number with all its digits, whole where it is whole; ``no number`` for None."""
    whole = None if amount is None else as_number(amount)
    return "no number" if whole is None else repr(whole)


def quoted(text: str) -> str:
    """Return an expression as a sentence quotes it."""
    one = " ".join(text.split())
    return one if len(one) <= _QUOTED else f"{one[:_QUOTED]}…"


def safe_request(asset: str) -> str:
    """Return the configuration line that charges ``asset`` as asked, and nothing to those that do not ask."""
    return f"CONSUMPTION_{asset.upper()} = ceiling(TARGET.Request{attribute(asset)} ?: 0)"
