"""Claims whose job has ended, and whose machine has been cleaning up after it for long."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import counted
from htcq.audit.rule import Fact, Found, Input, Rule, Severity, Unchecked
from htcq.classads import as_number
from htcq.policy.claim import accounted
from htcq.pool.slot import Slot
from htcq.pool.slot_class import EXAMPLES

#: A starter that has sent its last update ends within seconds; after this it hangs.
_LONG = 600
#: From this part of what is claimed on it is an outage.
_OUTAGE = 0.1


def _find(evidence: Evidence) -> Iterator[Found | Unchecked]:
    cleaning = [
        slot for slot in evidence.slots if slot.state == "Claimed" and slot.activity == "Cleaning"
    ]
    if not cleaning:
        return
    now = evidence.quotas.published.moment
    since = {id(slot): as_number(slot.activity_since) for slot in cleaning}
    if now is None or None in since.values():
        yield Unchecked(
            "the time of the capture, or EnteredCurrentActivity of slots: how long claims have "
            "been cleaned"
        )
    if now is None:
        return
    long: list[tuple[float, Slot]] = []
    for slot in cleaning:
        began = since[id(slot)]
        if began is not None and now - began >= _LONG:
            long.append((now - began, slot))
    if long:
        yield _found(evidence, long)


def _found(evidence: Evidence, long: list[tuple[float, Slot]]) -> Found:
    long.sort(key=lambda each: -each[0])
    weights = evidence.weights
    held = sum(accounted(weights.of(slot)) for _, slot in long)
    claimed = sum(accounted(weights.of(slot)) for slot in evidence.slots if slot.claimed)
    longest, first = long[0]
    names = [str(slot.name) for _, slot in long]
    severity = None
    if held >= _OUTAGE * claimed and len(long) > 1:
        severity = Severity.ERROR
    return Found(
        cause="cleaning",
        subject=f"slot {first.name}",
        message=(
            f"{counted(len(long), 'claim')} in Cleaning for more than {_LONG // 60} min, up to "
            f"{longest / 60:.0f} min: a weight of {held:g} of the {claimed:g} that is claimed is "
            "charged, but no job runs there"
        ),
        facts=(
            Fact("Activity", "Cleaning"),
            Fact("EnteredCurrentActivity", str(first.activity_since)),
        ),
        count=len(long),
        examples=tuple(names[:EXAMPLES]),
        severity=severity,
    )


RULE = Rule(
    id="claims-in-cleaning",
    severity=Severity.WARNING,
    needs=(Input.SLOTS, Input.POOL),
    summary="Claims have been in Claimed/Cleaning for more than ten minutes",
    consequence=(
        "The job has ended, but its starter has not: no policy ends this activity, and the slot "
        "accepts no other job. The claim still counts as usage of its submitter and group, so "
        "that their waiting jobs get less."
    ),
    advice=(
        "Find out on the machine what the condor_starter waits for: a hanging file system, a "
        "container that does not end, the removal of a large scratch directory. See StarterLog."
    ),
    source=(
        "src/condor_startd.V6/claim.cpp:receiveJobClassAdUpdate, ResState.cpp:eval_state, 25.14 "
        "(since 25.11)"
    ),
    find=_find,
)
