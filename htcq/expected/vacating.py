"""Claims whose jobs were told to end, and that may go on far longer than jobs usually may.

A startd kills a job so many seconds after it told it to end as MachineMaxVacateTime said when the
job began (ResState.cpp:eval_state, Resource.cpp:evalMaxVacateTime, HTCondor 25.14). By default that
is ten minutes (param_info.in). The job may have been removed from the queue long before.
"""

from __future__ import annotations

from collections.abc import Iterator

from htcq.classads import as_number
from htcq.expected.settled import captured_at, is_over, settled_before
from htcq.expected.unmet import INFO, VACATE_LONG, WARNING, Observed, Unmet, observed_knobs
from htcq.pool.pool import Pool, of_startd
from htcq.pool.slot import Slot
from htcq.pool.slot_state import VACATING, used_as, utc, vacate_seconds, vacating_until
from htcq.units import CPUS, amount_of, counted

_KNOB = "MachineMaxVacateTime"
#: Seconds after which a job that is still there is no accident, and what no site gives all jobs.
_LONG, _FAR = 3600.0, 86400.0
_NAMED = 3


def endless_vacating(pool: Pool) -> Iterator[Unmet]:
    """Yield the machines on which jobs have been vacated for long, or may be for more than a day.

    That is no fault where no job waits.
    """
    moment = settled_before(pool)
    if moment is None:
        return
    now = captured_at(pool, moment)
    found: dict[str, list[Slot]] = {}
    for slot in pool.slots or ():
        since = as_number(slot.activity_since)
        if used_as(slot) != VACATING or since is None or not is_over(moment, since):
            continue
        if now - since >= _LONG or (vacate_seconds(slot) or 0) >= _FAR:
            found.setdefault(slot.startd, []).append(slot)
    waits = any(job.wanted for job in pool.jobs or ())
    for startd, slots in found.items():
        yield _of_machine(pool, startd, slots, waits)


def _of_machine(pool: Pool, startd: str, slots: list[Slot], waits: bool) -> Unmet:
    slots.sort(key=lambda slot: as_number(slot.activity_since) or 0)
    first = slots[0]
    since, until = as_number(first.activity_since) or 0, vacating_until(first)
    cores = sum(as_number(slot.cpus) or 0 for slot in slots)
    has = "has" if len(slots) == 1 else "have"
    text = (
        f"{counted(len(slots), 'claim')} with {amount_of(CPUS, cores)} on {startd} {has} been "
        f"vacating since {utc(since)}: the jobs were told to end, and nobody else gets the cores "
    )
    text += "before they do" if until is None else f"until {utc(until)} at most"
    observed = [
        Observed("State", f"{first.state}/{first.activity}"),
        Observed("EnteredCurrentActivity", str(first.activity_since)),
    ]
    if _KNOB in first.frame:
        observed.append(Observed(_KNOB, first.frame.text(_KNOB)))
    own = of_startd(pool.execute, first)
    if own is not None:
        observed += observed_knobs([own.knob("MACHINEMAXVACATETIME")])
    return Unmet(
        VACATE_LONG,
        f"machine {startd}",
        text,
        f"'condor_vacate -fast {startd}' kills the jobs at once; a shorter {_KNOB} of {startd}, in "
        "seconds (600 by default), is for jobs that begin then.",
        tuple(observed),
        count=len(slots),
        examples=tuple(str(each.name) for each in slots[:_NAMED]),
        severity=WARNING if waits else INFO,
    )
