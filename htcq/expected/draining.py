"""condor_defrag drains machines for a target that none of them can reach.

It counts no whole machine then, so that nothing stops it. Follows poll of src/defrag/defrag.cpp,
HTCondor 25.14.
"""

from __future__ import annotations

from collections.abc import Iterator

from htcq.classads import Expr, as_number, holds, parsed
from htcq.expected.unmet import NEVER_DONE, Observed, Unmet, keys_of, observed_knobs
from htcq.pool.configuration import Configuration
from htcq.pool.defrag import defrag_knob, defrag_value, runs_defrag
from htcq.pool.pool import Pool
from htcq.pool.slot import PARTITIONABLE
from htcq.pool.slot_class import SlotClass, slot_classes
from htcq.pool.slot_state import DEFRAGMENTED, RETIRING, VACATING, closed_by, used_as
from htcq.quota.knobs import number_of
from htcq.units import CPUS, amount_of, counted

_RATE, _MOST = "DEFRAG_DRAINING_MACHINES_PER_HOUR", "DEFRAG_MAX_WHOLE_MACHINES"
_CHOICE, TARGET = "DEFRAG_REQUIREMENTS", "DEFRAG_WHOLE_MACHINE_EXPR"


def endless_draining(pool: Pool) -> Iterator[Unmet]:
    """Yield the target of condor_defrag if no machine reaches it."""
    defrag = pool.central
    if defrag is None or not runs_defrag(defrag):
        return
    target = parsed(defrag_value(defrag, TARGET))
    if target is None or not _drains(defrag):
        return
    choice = parsed(defrag_value(defrag, _CHOICE) or "true")
    whole = [slot for slot in pool.slots or () if slot.type == PARTITIONABLE]
    chosen = [each for each in slot_classes(whole) if _may_drain(each, choice)]
    if not chosen or any(holds(target.evaluate(each.ad(each.total))) for each in chosen):
        return
    machines = {slot.machine for each in chosen for slot in each.slots}
    largest = max(each.total.get("cpus", 0) for each in chosen)
    text = (
        f"condor_defrag drains machines until {TARGET} is true; none of "
        f"{counted(len(machines), 'machine')} makes it true when empty; the largest has "
        f"{amount_of(CPUS, largest)}"
    )
    away = _away(pool)
    if away:
        text += f"; {amount_of(CPUS, away)} drain or are drained now"
    waiting = [job for job in pool.jobs or () if away and job.wanted]
    yield Unmet(
        NEVER_DONE,
        f"knob {TARGET}",
        text,
        f"{TARGET} of the machine with condor_defrag that machines can reach, as in "
        "'Cpus == TotalSlotCpus' (the default) or 'Cpus >= 8'.",
        _facts(defrag),
        keys_of(waiting),
        len(machines),
    )


def _drains(defrag: Configuration) -> bool:
    """Return whether condor_defrag drains anything; without a limit it counts no whole machines."""
    rate = number_of(defrag_value(defrag, _RATE).strip()) or 0
    return rate > 0 and number_of(defrag_value(defrag, _MOST).strip()) != 0


def _may_drain(slot_class: SlotClass, choice: Expr | None) -> bool:
    """Return whether condor_defrag would choose one of the slots, as they are now."""
    if choice is None:
        return False
    return any(
        slot.value("Offline") is not True and holds(choice.evaluate(slot.ad()))
        for slot in slot_class.slots
    )


def _away(pool: Pool) -> float:
    """Return the cores that drain or are drained now."""
    return sum(
        float(as_number(slot.cpus) or 0)
        for slot in pool.slots or ()
        if closed_by(slot) == DEFRAGMENTED or used_as(slot) in (RETIRING, VACATING)
    )


def _facts(defrag: Configuration) -> tuple[Observed, ...]:
    return observed_knobs(defrag_knob(defrag, name) for name in (TARGET, _CHOICE, _RATE))
