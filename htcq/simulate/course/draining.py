"""Machines that drain: their jobs leave, no other starts, and some take jobs again at the end.

Follows src/condor_startd.V6/ResMgr.cpp (startDraining, gracefulDrainingTimeRemaining,
considerResumingAfterDraining) and Resource.cpp (evalRetirementRemaining), HTCondor 25.14. A
graceful drain lets every job that has retirement time left stay until the last of these is over;
what a job needs to leave is not looked at, nor are jobs that DEFRAG_DRAINING_START_EXPR lets start.
Times are in seconds since the capture of the pool.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from htcq.classads import literal, spelled
from htcq.pool.configuration import Configuration
from htcq.pool.slot import Slot
from htcq.pool.slot_state import drain_of, is_draining
from htcq.simulate.course.claims import Base, Claim
from htcq.simulate.slots import Slots

GRACEFUL = "graceful"


@dataclass(frozen=True)
class Drain:
    """A drain of a startd: why, and whether it ends by itself when nothing runs any more."""

    reason: str
    resumes: bool


class Draining:
    """The startds that drain, by name."""

    def __init__(self) -> None:
        self.startds: dict[str, Drain] = {}
        self._slots = Slots()

    def captured(self, bases: Iterable[Base], start_of: Callable[[Slot], str]) -> None:
        """Note what drains at the capture; condor_defrag's drains end by themselves.

        ``start_of`` returns the START of a slot, which its ad does not say then.
        """
        for base in bases:
            if is_draining(base.slot):
                drain = drain_of(base.slot)
                self.startds.setdefault(base.slot.startd, Drain(drain.why, drain.is_of_defrag))
                base.slot = self.opened(base.slot, start_of(base.slot))

    def opened(self, slot: Slot, start: str) -> Slot:
        """Return a slot as it is without the drain."""
        texts = {"Draining": "false", "DrainReason": "undefined"}
        if literal(slot.frame.text("Start")) is False:
            texts["Start"] = start or "true"
        if literal(slot.frame.text("Requirements")) is False:
            limits = " && (WithinResourceLimits)" if "WithinResourceLimits" in slot.frame else ""
            texts["Requirements"] = f"(Start){limits}"
        slot = self._slots.changed(slot, texts)
        return slot._replace(state="Unclaimed") if slot.state == "Drained" else slot

    def shown(self, slot: Slot) -> Slot:
        """Return a slot as its startd shows it while it drains, if it does."""
        drain = self.startds.get(slot.startd)
        if drain is None:
            return slot
        texts = {"Requirements": "false", "Start": "false", "Draining": "true"}
        if drain.reason:
            texts["DrainReason"] = spelled(drain.reason)
        slot = self._slots.changed(slot, texts)
        if slot.claimed:
            return slot._replace(activity="Retiring")
        return slot._replace(state="Drained", activity="Idle")


def leave_times(claims: Sequence[Claim], graceful: bool, now: float) -> list[tuple[Claim, float]]:
    """Return when the job of each claim leaves its startd, which drains from now on."""
    longest = 0.0
    if graceful:
        longest = max((claim.retires_at - now for claim in claims if claim.runs), default=0.0)
    return [
        (claim, now + longest if longest > 0 and claim.runs and claim.retires_at > now else now)
        for claim in claims
    ]


def start_of(configuration: Configuration | None, slot: Slot) -> str:
    """Return the START that a startd has configured for ``slot``; empty where that is not known."""
    if configuration is None:
        return ""
    return configuration.slot_value(slot.type_id, "START")
