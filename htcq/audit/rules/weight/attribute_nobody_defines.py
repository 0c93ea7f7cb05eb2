"""An expression of slots or jobs names an attribute that no ad of the pool has."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from htcq.audit.evidence import Evidence
from htcq.audit.fix import Setting
from htcq.audit.fix_settings import execute, literal_text
from htcq.audit.names import Names, Unknown
from htcq.audit.rule import Fact, Found, Input, Rule, Severity, Unchecked
from htcq.classad.substitution import renamed
from htcq.classads import UNDEFINED, Value
from htcq.pool.shared_attributes import SharedAttributes
from htcq.pool.slot import Slot

_OF_SLOTS = ("slotweight", "start", "requirements", "rank")
_OF_JOBS = ("requirements", "rank")
_EXAMPLES = 3
#: The knobs that hold expressions of slots; Requirements are put together from several.
_KNOBS = {"slotweight": "SLOT_WEIGHT", "start": "START", "rank": "RANK", "requirements": ""}


@dataclass(frozen=True)
class _Bearer:
    """The slots or jobs that share a frame."""

    frame: SharedAttributes
    side: str
    count: int
    examples: tuple[str, ...]
    machines: tuple[str, ...] = ()

    def attributes(self) -> Iterator[str]:
        if self.side == "job":
            yield from _OF_JOBS
        else:
            yield from _OF_SLOTS
            yield from (name for name in self.frame.texts if name.startswith("consumption"))


def _find(evidence: Evidence) -> Iterator[Found | Unchecked]:
    names = Names(evidence)
    known: dict[tuple[str, str, str], tuple[Unknown, ...]] = {}
    undecided = False
    for bearer in (*_slots(evidence), *_jobs(evidence)):
        for attribute in bearer.attributes():
            text = bearer.frame.text(attribute)
            key = (bearer.side, attribute, text)
            if key not in known:
                known[key] = _unknown(names, bearer, attribute)
            name = bearer.frame.names.get(attribute, attribute)
            for each in known[key]:
                if bearer.side == "slot" and "job" in each.lacking and not names.jobs_are_known:
                    undecided = True
                elif evidence.lacks(Input.POOL) and not each.near:
                    # What is not in these files may be in others, or come from a program.
                    continue
                elif each.guarded and not each.near:
                    # The expression says what holds without the attribute.
                    continue
                else:
                    yield _found(evidence, bearer, name, text, each)
    if undecided:
        yield Unchecked(f"{Input.JOBS.value}: whether jobs have what slots ask of them")


def _unknown(names: Names, bearer: _Bearer, attribute: str) -> tuple[Unknown, ...]:
    expression = bearer.frame.expression(attribute)
    if expression is None:
        return ()
    alone = attribute == "slotweight"
    return tuple(names.unknown(expression, bearer.side, alone))


def _slots(evidence: Evidence) -> Iterator[_Bearer]:
    by_frame: dict[int, list[Slot]] = {}
    for slot in evidence.slots:
        by_frame.setdefault(id(slot.frame), []).append(slot)
    for slots in by_frame.values():
        yield _Bearer(
            slots[0].frame,
            "slot",
            len(slots),
            tuple(str(slot.name) for slot in slots[:_EXAMPLES]),
            tuple(dict.fromkeys(str(slot.machine) for slot in slots)),
        )


def _jobs(evidence: Evidence) -> Iterator[_Bearer]:
    for each in evidence.autoclusters:
        count = sum(each.idle.values()) + sum(each.running.values())
        yield _Bearer(each.frame, "job", count, (each.name,))


def _found(
    evidence: Evidence, bearer: _Bearer, attribute: str, text: str, unknown: Unknown
) -> Found:
    hint, advice = "", ""
    if unknown.near:
        hint = f"; did you mean {unknown.near}?"
        advice = f"Replace {unknown.name} by {unknown.near}."
    cause, severity = f"{bearer.side} {attribute}: {unknown.name}", None
    if unknown.guarded:
        cause, severity = f"{cause} (guarded)", Severity.INFO
    settings = _renamed(evidence, bearer, attribute, text, unknown)
    without = _without(evidence, bearer, attribute, unknown)
    return Found(
        cause=cause,
        subject=f"{bearer.side} {bearer.examples[0]}",
        message=(
            f"{attribute} refers to {unknown.name}, which no {unknown.lacking} has{without}{hint}"
        ),
        facts=(Fact(attribute, text),),
        advice=advice,
        settings=settings,
        count=bearer.count,
        examples=bearer.examples,
        severity=severity,
        is_root=True,
    )


def _without(evidence: Evidence, bearer: _Bearer, attribute: str, unknown: Unknown) -> str:
    """Return the effect on START, where nothing else decides it.

    For other expressions return whether they have a default.
    """
    value = _start_for_all_jobs(evidence, bearer, attribute)
    if value is False:
        return f", so {attribute} is always false: this slot accepts no job"
    if value is UNDEFINED:
        return f", so {attribute} is always undefined: this slot accepts no job"
    if unknown.guarded:
        return f", but {attribute} has a value for that case"
    return ""


def _start_for_all_jobs(evidence: Evidence, bearer: _Bearer, attribute: str) -> Value | None:
    """Return the constant value of START.

    None where START names something that some job or slot has.
    """
    expression = bearer.frame.expression(attribute)
    if bearer.side != "slot" or attribute.lower() != "start" or expression is None:
        return None
    names, found = Names(evidence), expression.references()
    if not names.jobs_are_known:
        return None
    if any(name in names.jobs or name in names.slots for name in found.own | found.target):
        return None
    return expression.evaluate()


def _renamed(
    evidence: Evidence, bearer: _Bearer, attribute: str, text: str, unknown: Unknown
) -> tuple[Setting, ...]:
    """Return the slots' expression with the near name, where one knob sets it.

    Expressions of jobs belong to their users.
    """
    knob = _KNOBS.get(attribute.lower(), attribute.upper().replace("CONSUMPTION", "CONSUMPTION_"))
    if not unknown.near or bearer.side != "slot" or not knob or not unknown.name.isidentifier():
        return ()
    slots = [slot for slot in evidence.slots if slot.frame is bearer.frame]
    return execute(evidence, slots, knob, literal_text(renamed(text, unknown.name, unknown.near)))


RULE = Rule(
    id="attribute-nobody-defines",
    severity=Severity.WARNING,
    needs=(Input.SLOTS,),
    summary="An expression of slots or jobs refers to an attribute that no ad defines",
    consequence=(
        "The attribute is always undefined. A weight or a consumption becomes undefined, a "
        "requirement is never true, a rank counts as 0; HTCondor reports none of this."
    ),
    advice=(
        "Correct the name, or make the expression handle ads without the attribute, with the "
        "operators ?: and =?=."
    ),
    source="src/classad/attrrefs.cpp, docs/classad-attributes, 25.14",
    find=_find,
)
