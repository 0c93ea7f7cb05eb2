"""START of some slots lets no job in, whatever the job asks for."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import counted
from htcq.audit.fix import Role, Setting
from htcq.audit.harm import part_of_pool
from htcq.audit.names import Names
from htcq.audit.policies import quoted
from htcq.audit.referenced_attributes import looks_of
from htcq.audit.rule import Fact, Found, Harm, Input, Rule, Severity
from htcq.audit.trials import ordinary_requests
from htcq.balance.causes import START_REFUSES
from htcq.classad.clock import CLOCK_WORDS
from htcq.classads import holds, named
from htcq.htcondor.attributes import MACHINE, SLOT, names
from htcq.pool.autocluster import made_up
from htcq.pool.slot import DYNAMIC, Slot
from htcq.pool.slot_class import EXAMPLES, SlotClass
from htcq.pool.slot_state import is_away

#: What of a slot changes by itself: where START looks at it, the slot opens again.
_CHANGES = frozenset(
    (
        "activity", "cpus", "disk", "gpus", "lastheardfrom", "memory",
        "numdynamicslots", "state", *(name.lower() for name in names(SLOT, MACHINE)),
    )
)  # fmt: skip


def _find(evidence: Evidence) -> Iterator[Found]:
    names = Names(evidence)
    by_text: dict[str, list[Slot]] = {}
    for kind in evidence.offered:
        closed: dict[int, list[Slot]] = {}
        for variant in kind.variants:
            text = variant.frame.text("Start")
            if text and not is_away(variant) and _never(kind, variant, names):
                closed[id(variant.frame)] = []
        if not closed:
            continue
        for slot in kind.slots:
            if id(slot.frame) in closed:
                closed[id(slot.frame)].append(slot)
        for slots in closed.values():
            by_text.setdefault(slots[0].frame.text("Start"), []).extend(slots)
    for text, slots in by_text.items():
        yield _found(evidence, text, slots)


def _never(kind: SlotClass, slot: Slot, names: Names) -> bool:
    """Return whether START of ``slot`` holds for no job.

    It holds for none of a grid of requests, and it refers to nothing else.

    An attribute that no job has is undefined to START.
    """
    own = SlotClass((slot,))
    looks = looks_of(own, ["start"])
    if looks.of_slot and _looks_at_what_changes(slot):
        return False
    asked = {name for name in looks.of_jobs if not name.startswith("request")}
    if asked and (not names.jobs_are_known or any(name in names.jobs for name in asked)):
        return False
    start = named("Start")
    for request in ordinary_requests(kind.total):
        if holds(start.evaluate(own.ad(kind.total), made_up("", request).ad())):
            return False
    return True


def _looks_at_what_changes(slot: Slot) -> bool:
    left, seen = ["start"], set[str]()
    while left:
        name = left.pop()
        if name in _CHANGES:
            return True
        expression = slot.frame.expression(name)
        if name in seen or expression is None:
            continue
        # What the library refers to does not count CurrentTime, which every ad has.
        if not CLOCK_WORDS.isdisjoint(expression.words()):
            return True
        seen.add(name)
        left += expression.references().own
    return False


def _found(evidence: Evidence, text: str, slots: list[Slot]) -> Found:
    machines = dict.fromkeys(str(slot.machine) for slot in slots)
    numbers = set(map(id, slots))
    # Dynamic slots of these machines run on, but nothing follows them.
    there = [slot for slot in evidence.slots if str(slot.machine) in machines]
    closed = [slot for slot in there if slot.type == DYNAMIC or id(slot) in numbers]
    part = part_of_pool(evidence, closed)
    whole = f", {100 * part:.0f} % of the pool"
    facts = [Fact("Start", text), Fact("part of the pool", f"{100 * part:.1f} %")]
    if evidence.lacks(Input.POOL):
        whole, facts = "", facts[:1]
    return Found(
        cause=text,
        subject=f"slot {slots[0].name}",
        message=(
            f"START = {quoted(text)} accepts no job: none starts on {counted(len(slots), 'slot')} "
            f"of {counted(len(machines), 'machine')}{whole}"
        ),
        facts=tuple(facts),
        count=len(slots),
        examples=tuple(str(slot.name) for slot in slots[:EXAMPLES]),
        harm=Harm(shut=part),
        implies=_stand_for_it(evidence, len(slots)),
        trial=tuple(
            Setting(Role.EXECUTE, "START", "True", nodes=(machine,)) for machine in machines
        ),
    )


def _stand_for_it(evidence: Evidence, slots: int) -> tuple[str, ...]:
    """Return START_REFUSES where no more slots stand for it than START closes to all jobs."""
    if evidence.is_trial or evidence.lacks(Input.JOBS) or evidence.lacks(Input.POOL):
        return ()
    standing = evidence.balance.of(START_REFUSES)
    return (START_REFUSES,) if standing is not None and standing.slots <= slots else ()


RULE = Rule(
    id="slots-closed",
    severity=Severity.INFO,
    needs=(Input.SLOTS,),
    summary="START of some slots accepts no job, whatever its requests",
    consequence=(
        "No new job starts on these slots, and HTCondor does not report it: a slot in state "
        "Owner or Unclaimed looks as if nobody requested it. One machine under repair is "
        "information only; more than a tenth of the pool is a warning, and half of it an error."
    ),
    advice=(
        "If the machines should run jobs, correct START or the attribute to which it refers, and "
        "reconfigure their startds."
    ),
    source="src/condor_startd.V6/Reqexp.cpp, 25.14",
    find=_find,
)
