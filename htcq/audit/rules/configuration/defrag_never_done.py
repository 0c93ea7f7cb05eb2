"""condor_defrag drains machines for a target that none of them can reach."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import counted
from htcq.audit.rule import Fact, Found, Input, Rule, Severity
from htcq.classads import Expr, holds, parsed
from htcq.pool.configuration import Configuration, Knob
from htcq.pool.slot_class import SlotClass
from htcq.quota.knobs import number_of
from htcq.units import amount_of

_DAEMON = "defrag"
_RATE, _MOST = "DEFRAG_DRAINING_MACHINES_PER_HOUR", "DEFRAG_MAX_WHOLE_MACHINES"
_CHOICE, _TARGET = "DEFRAG_REQUIREMENTS", "DEFRAG_WHOLE_MACHINE_EXPR"


def _find(evidence: Evidence) -> Iterator[Found]:
    defrag = evidence.pool.central
    if defrag is None or _DAEMON not in _words(defrag.value("DAEMON_LIST")):
        return
    target = parsed(_value(defrag, _TARGET))
    if target is None or not _drains(defrag):
        return
    choice = parsed(_value(defrag, _CHOICE) or "true")
    chosen = [each for each in evidence.partitionable if _may_drain(each, choice)]
    if chosen and not any(holds(target.evaluate(each.ad(each.total))) for each in chosen):
        machines = {slot.machine for each in chosen for slot in each.slots}
        largest = max(chosen, key=lambda each: each.total.get("cpus", 0))
        yield Found(
            cause=_TARGET,
            subject=f"knob {_TARGET}",
            message=(
                f"condor_defrag drains machines until {_TARGET} is true; none of "
                f"{counted(len(machines), 'machine')} makes it true when empty; the largest has "
                f"{amount_of('cpus', largest.total.get('cpus', 0))}"
            ),
            facts=tuple(_facts(defrag)),
            count=len(machines),
            is_root=True,
        )


def _words(text: str) -> list[str]:
    return text.lower().replace(",", " ").split()


def _knob(defrag: Configuration, name: str) -> Knob | None:
    return defrag.knob(f"{_DAEMON.upper()}.{name}") or defrag.knob(name)


def _value(defrag: Configuration, name: str) -> str:
    knob = _knob(defrag, name)
    if knob is None:
        return defrag.defaults.get(name, "")
    return knob.value


def _drains(defrag: Configuration) -> bool:
    """Return whether condor_defrag drains anything; without a limit it counts no whole machines."""
    rate = number_of(_value(defrag, _RATE).strip()) or 0
    return rate > 0 and number_of(_value(defrag, _MOST).strip()) != 0


def _may_drain(slot_class: SlotClass, choice: Expr | None) -> bool:
    """Return whether condor_defrag would choose one of the slots, as they are now."""
    if choice is None:
        return False
    return any(
        slot.value("Offline") is not True and holds(choice.evaluate(slot.ad()))
        for slot in slot_class.slots
    )


def _facts(defrag: Configuration) -> Iterator[Fact]:
    for name in (_TARGET, _CHOICE, _RATE):
        knob = _knob(defrag, name)
        if knob is not None:
            yield Fact(knob.name, knob.value, knob.place)


RULE = Rule(
    id="defrag-never-done",
    severity=Severity.ERROR,
    needs=(Input.CENTRAL, Input.SLOTS),
    summary="DEFRAG_WHOLE_MACHINE_EXPR is true on no machine, even an empty one",
    consequence=(
        "condor_defrag counts no whole machine, so that DEFRAG_MAX_WHOLE_MACHINES never stops it, "
        "and DEFRAG_CANCEL_REQUIREMENTS, which is the same expression by default, ends no draining "
        "early. It drains machine after machine: their cores stand idle until the last job ends."
    ),
    advice=(
        "Compare with what the machines have, as in 'Cpus == TotalSlotCpus' (the default) or "
        "'Cpus >= 8'."
    ),
    source="src/defrag/defrag.cpp:poll, 25.14",
    find=_find,
)
