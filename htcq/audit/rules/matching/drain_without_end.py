"""Machines that somebody drained long ago, on which nothing runs any more, and nobody waits for."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import counted
from htcq.audit.harm import part_of_pool
from htcq.audit.rule import Fact, Found, Input, Rule, Severity
from htcq.pool.slot import DYNAMIC, Slot
from htcq.pool.slot_class import EXAMPLES
from htcq.pool.slot_state import DRAINED, closings_of, drain_of
from htcq.poolquota.ailment import ObservedPool
from htcq.units import shortened, show_span

#: A drain of less than a day may be that of work on the machine.
_LONG = 86400.0
_LETTERS = 80


def _find(evidence: Evidence) -> Iterator[Found]:
    now = ObservedPool(evidence.pool).now
    standing = evidence.balance.of(DRAINED)
    if now is None or (standing is not None and standing.behind):
        # Where jobs wait for them that is another rule.
        return
    forgotten: dict[str, list[Slot]] = {}
    for slot in evidence.slots:
        if slot.type != DYNAMIC and slot.state == "Drained" and DRAINED in closings_of(slot, now):
            since = drain_of(slot).since
            if since is not None and now - since > _LONG:
                forgotten.setdefault(drain_of(slot).machine, []).append(slot)
    if forgotten:
        yield _found(evidence, forgotten, now)


def _found(evidence: Evidence, forgotten: dict[str, list[Slot]], now: float) -> Found:
    names = list(forgotten)
    slots = [slot for own in forgotten.values() for slot in own]
    first = min((drain_of(slot) for slot in slots), key=lambda each: each.since or now)
    number, part = len(names), part_of_pool(evidence, slots)
    return Found(
        cause="drains",
        subject=f"machine {names[0]}",
        message=(
            f"{counted(number, 'machine')}, {100 * part:.0f} % of the pool, "
            f"{'is' if number == 1 else 'are'} drained and empty, {first.machine} for "
            f"{show_span(now - (first.since or now))}; no job waits for "
            f"{'it' if number == 1 else 'them'} now"
        ),
        facts=(Fact("DrainReason", shortened(first.why, _LETTERS) or "none given"),),
        advice=f"condor_drain -cancel {names[0]}, if the work there is done.",
        count=number,
        examples=tuple(names[:EXAMPLES]),
    )


RULE = Rule(
    id="drain-without-end",
    severity=Severity.INFO,
    needs=(Input.SLOTS, Input.JOBS, Input.BALANCE),
    summary="Machines are drained and empty for more than a day, and no job waits for them",
    consequence=(
        "A drain has no end of its own: the machine takes no job when the next ones come. HTCondor "
        "does not report it."
    ),
    advice="condor_drain -cancel MACHINE, if the work on the machine is done.",
    source="src/condor_startd.V6/ResMgr.cpp, src/condor_tools/drain.cpp, 25.14",
    find=_find,
)
