"""What a slot's own ad says of its use: for which state it is given to no job, and how it is used.

Follows condor_state.cpp, Resource.cpp, ResState.cpp and command.cpp of HTCondor 25.14. The
negotiator looks at Requirements, not at the state: it matches slots whose startd refuses the claim.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timezone
from typing import NamedTuple

from htcq.classad.clauses import conjuncts
from htcq.classad.names import words
from htcq.classads import UNDEFINED, as_number, literal, named, parsed
from htcq.htcondor.attributes import MACHINE, SLOT, names
from htcq.pool.attribute_names import JOB_NAMES
from htcq.pool.slot import Slot
from htcq.units import attribute, shortened

# For what a slot is given to no job. The ids are permanent.
OFFLINE, DRAINED, BROKEN, OWNER = "offline", "drained", "broken", "owner"
DEFRAGMENTED, OWNER_ACTIVE = "defragmented", "owner-active"
# Offline, where condor_rooster wakes the machine.
HIBERNATING = "hibernating"
DIRECT_ATTACH, BACKFILL, DATA, OCU = "direct-attach", "backfill", "data-slot", "ocu"
START_FALSE = "start-false"
# How a claimed slot is used.
RUNNING, RETIRING, CLAIMED_IDLE = "running", "retiring", "claimed-idle"
VACATING = "vacating"

#: By what the startd compares what a job asks for with what is left.
LIMITS = "WithinResourceLimits"
_CONSUMPTION = "consumption"
#: In seconds: DEFRAG_INTERVAL is ten minutes by default.
_LONG_EMPTY = 3600
#: How much of a reason that somebody wrote is in a sentence.
_LETTERS = 80
#: What a startd measures again and again, of its machine.
_PASSING = frozenset(name.lower() for name in names(SLOT, MACHINE))
_OF_JOBS = frozenset(name.lower() for name in JOB_NAMES)
_GONE = frozenset(("Shutdown", "Delete"))
#: States in which a startd refuses each claim, whatever Requirements say.
_REFUSING = frozenset(("Owner", "Preempting", *_GONE))
_VACATE_TIME = "MachineMaxVacateTime"
_ENDING = frozenset(("Vacating", "Killing"))


def is_draining(slot: Slot) -> bool:
    """Return whether the machine of ``slot`` is drained, or drains."""
    return slot.state == "Drained" or bool(as_number(slot.frame.value("Draining")))


def is_away(slot: Slot) -> bool:
    """Return whether the machine of ``slot`` is offline, drained, or drains: it takes no job."""
    return slot.frame.value("Offline") is True or is_draining(slot)


def is_broken(slot: Slot) -> bool:
    """Return whether the startd has declared ``slot`` broken."""
    return "SlotBrokenCode" in slot.frame or "SlotBrokenReason" in slot.frame


def is_backfill(slot: Slot) -> bool:
    """Return whether ``slot`` offers what another slot has as well."""
    frame = slot.frame
    return frame.value("BackfillSlot") is True or frame.value("SlotBackfill") is True


def refusing_state(slot: Slot) -> str:
    """Return the state in which the startd of ``slot`` refuses each claim; empty where it does not.

    A slot is in the state Owner while IS_OWNER is true, and a claim goes back to it at once.
    """
    return str(slot.state) if slot.state in _REFUSING else ""


def is_owned_and_open(slot: Slot) -> bool:
    """Return whether ``slot`` is in the state Owner though START is not false for every job.

    The negotiator matches it, and its startd refuses each claim.
    """
    if slot.state != "Owner" or start_is_false(slot):
        return False
    if "Start" not in slot.frame or named("Start").evaluate(slot.ad()) is not False:
        return True
    # With =?= and the like it is false without a job, and true for some.
    return not any(_is_false_alone(slot, each) for each in conjuncts(slot.frame.text("Start")))


def _is_false_alone(slot: Slot, condition: str) -> bool:
    """Return whether ``condition`` is false and no job changes that."""
    expression = parsed(condition)
    if expression is None or expression.evaluate(slot.ad()) is not False:
        return False
    seen, waiting = set[str](), [expression]
    while waiting:
        found = waiting.pop().references()
        # What the slot lacks is looked up in the job. What HTCondor gives to no job is a fault.
        of_jobs = (name for name in found.own & _OF_JOBS if slot.value(name) is UNDEFINED)
        if found.target or any(of_jobs):
            return False
        named_too = (slot.frame.expression(name) for name in found.own - seen)
        waiting += [each for each in named_too if each is not None]
        seen |= found.own
    return True


def closed_by(slot: Slot) -> str:
    """Return the state for which ``slot`` is given to no job now; empty where it may be.

    Of several states the one that ends last: an offline machine does not drain.
    """
    return next(closings_of(slot), "")


def closings_of(slot: Slot, now: float | None = None) -> Iterator[str]:
    """Yield the states for which ``slot`` is given to no job, the one that ends last first.

    That START is false on a drained or a broken machine follows from that. A drain of condor_defrag
    that it has not ended ``now``, an hour after the last job, is one that somebody must end.
    """
    frame, is_open = slot.frame, True
    if frame.value("Offline") is True or slot.state in _GONE:
        yield OFFLINE
    if is_broken(slot):
        is_open = False
        yield BROKEN
    if is_draining(slot):
        is_open = False
        ends = drain_of(slot).is_of_defrag and not _outlasts_defrag(slot, now)
        yield DEFRAGMENTED if ends else DRAINED
    for name, state in (("IsDataSlot", DATA), ("OCU", OCU)):
        if frame.value(name) is True:
            yield state
    if "IsDirectAttach" in frame:
        yield DIRECT_ATTACH
    if is_open and start_is_false(slot):
        yield START_FALSE
    elif is_open and slot.state == "Owner":
        yield OWNER_ACTIVE if _opens_by_itself(slot) else OWNER
    if is_backfill(slot) or slot.state == "Backfill":
        yield BACKFILL


def _outlasts_defrag(slot: Slot, now: float | None) -> bool:
    """Return whether a machine has been empty for so long that condor_defrag has looked at it."""
    since = as_number(slot.state_since)
    if slot.state != "Drained" or since is None or now is None:
        return False
    return now - since > _LONG_EMPTY


def _opens_by_itself(slot: Slot) -> bool:
    """Return whether START looks at what ends by itself: keyboard, load, time of day."""
    if "Start" not in slot.frame:
        return False
    return not _PASSING.isdisjoint(words(slot.frame.text("Start")))


def start_is_false(slot: Slot) -> bool:
    """Return whether START, or all of Requirements, is no condition but false, or an error."""
    for name in ("Start", "Requirements"):
        if name not in slot.frame:
            continue
        text = slot.frame.text(name)
        if literal(text) is False or text.strip().lower() == "error":
            return True
    return False


def has_no_limits(slot: Slot) -> bool:
    """Return whether WithinResourceLimits compares no amounts: it is absent, or just false.

    Or it compares what a consumption policy takes, and the ad does not say that.
    """
    if LIMITS not in slot.frame or literal(slot.frame.text(LIMITS)) is False:
        return True
    return bool(missing_consumption(slot))


def missing_consumption(slot: Slot) -> tuple[str, ...]:
    """Return the attributes of a consumption policy that the ad's limits compare, and it lacks.

    A startd that has a policy publishes both (Reqexp.cpp, Resource.cpp:refresh_classad_slot_attrs).
    """
    expression = slot.frame.expression(LIMITS)
    if expression is None:
        return ()
    own = {name.lower() for name in expression.references().own}
    return tuple(
        f"Consumption{attribute(name[len(_CONSUMPTION) :])}"
        for name in sorted(own)
        if name.startswith(_CONSUMPTION) and name not in slot.frame
    )


def used_as(slot: Slot) -> str:
    """Return how a claimed ``slot`` is used; empty where nobody has claimed it."""
    if slot.state == "Preempting" or (slot.claimed and slot.activity in _ENDING):
        return VACATING
    if slot.claimed and slot.activity == "Retiring":
        return RETIRING
    if slot.state == "Matched" or (slot.claimed and slot.activity == "Idle"):
        return CLAIMED_IDLE
    return RUNNING if slot.claimed else ""


def vacate_seconds(slot: Slot) -> float | None:
    """Return for how long a job of ``slot`` may go on once it is told to end; None: not known.

    The startd kills it then. A job that asks for less time is killed sooner
    (Resource.cpp:evalMaxVacateTime, 25.14).
    """
    if _VACATE_TIME not in slot.frame:
        return None
    seconds = as_number(named(_VACATE_TIME).evaluate(slot.ad()))
    return None if seconds is None else float(seconds)


def vacating_until(slot: Slot) -> float | None:
    """Return the last moment of a job that is being vacated, in seconds since 1970."""
    since, seconds = as_number(slot.activity_since), vacate_seconds(slot)
    if slot.activity != "Vacating" or since is None or seconds is None:
        return None
    return since + seconds


class Drain(NamedTuple):
    """The drain of a machine: who asked for it or why, since when, and until when.

    Times are in seconds since 1970; None where the ad does not say. ``why`` is empty there.
    """

    machine: str
    why: str
    since: float | None
    until: float | None

    @property
    def is_of_defrag(self) -> bool:
        """Whether condor_defrag drains it, and ends that (defrag.cpp, 25.14)."""
        return self.why.lower().startswith("defrag")

    @property
    def text(self) -> str:
        """Who drained it or why, and when: ``since 2026-11-27 05:13 UTC by condor``."""
        text = ""
        if self.since is not None:
            text += f" since {utc(self.since)}"
        if self.until is not None:
            text += f" until about {utc(self.until)}"
        why = shortened(self.why, _LETTERS)
        if why.startswith("by "):
            text += f" {why}"
        elif why:
            text += f" ({why})"
        return text.strip()


def machine_of(slot: Slot) -> str:
    """Return the name of the machine whose slot it is."""
    return slot.machine if isinstance(slot.machine, str) else slot.startd


def drain_of(slot: Slot) -> Drain:
    """Return the drain of a ``slot`` whose machine is drained, or drains.

    condor_drain writes "by" and the user's name where no reason is given
    (src/condor_tools/drain.cpp, 25.14). The end is that of the jobs that run; it is past where
    none runs: then the drain has no end but condor_drain -cancel.
    """
    reason = slot.frame.value("DrainReason")
    since, until = as_number(slot.state_since), as_number(slot.drained_until)
    if until is not None and (since is None or until <= since):
        until = None
    return Drain(
        machine_of(slot),
        reason.strip() if isinstance(reason, str) else "",
        None if since is None else float(since),
        None if until is None else float(until),
    )


def utc(seconds: float) -> str:
    """Return a moment to the minute, in UTC; a number of seconds that is none as it is."""
    if not 0 <= seconds < 1e11:
        return f"{seconds:g}"
    return datetime.fromtimestamp(seconds, timezone.utc).strftime("%Y-%m-%d %H:%M UTC")
