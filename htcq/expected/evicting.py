"""Machines whose startd evicts each job as soon as it runs: PREEMPT is true whatever runs.

A claim that is busy retires once PREEMPT is true, unless WANT_SUSPEND is, and its job may go on for
MaxJobRetirementTime, by default not at all (eval_policy of src/condor_startd.V6/ResState.cpp,
HTCondor 25.13). No simulated cycle follows these knobs: it says that jobs start, and they do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from htcq.classads import Ad, as_number, holds, parsed
from htcq.expected.held import is_held_by_startd
from htcq.expected.startds import host_of
from htcq.expected.unmet import ERROR, LASTS, WARNING, Unmet, keys_of, observed_knobs
from htcq.pool.configuration import Configuration
from htcq.pool.job import RUNNING
from htcq.pool.pool import Pool, of_startd
from htcq.pool.slot import DYNAMIC, Slot
from htcq.pool.slot_state import closed_by
from htcq.units import counted, first_named

_PREEMPT, _SUSPEND, _RETIREMENT = "PREEMPT", "WANT_SUSPEND", "MAXJOBRETIREMENTTIME"
_NAMED = 3


def evicting(pool: Pool, failing: Sequence[Unmet]) -> Iterator[Unmet]:
    """Yield the machines that are open to jobs and evict them all.

    ``failing`` are the starts that fail: what these tell is not told again.
    """
    found: dict[str, Configuration] = {}
    for slot in pool.slots or ():
        own = of_startd(pool.execute, slot)
        if own is None or slot.type == DYNAMIC or closed_by(slot):
            continue
        if _evicts(own, slot):
            found.setdefault(slot.startd, own)
    if found:
        told = {each.subject for each in failing if each.id == LASTS}
        found = {name: own for name, own in found.items() if f"machine {name}" not in told}
    if found:
        yield _unmet(pool, found)


def _evicts(own: Configuration, slot: Slot) -> bool:
    """Return whether no job lasts in a slot, whatever it is; not where that is not certain."""
    if not _is_true(own.value(_PREEMPT)) or _may_be_true(own.value(_SUSPEND)):
        return False
    for each in own:
        # SLOT1_PREEMPT and SLOT_TYPE_1_PREEMPT are those of some slots.
        if each.bare.upper().startswith("SLOT") and each.bare.upper().endswith(f"_{_PREEMPT}"):
            return False
    retirement = slot.frame.text("MaxJobRetirementTime") or own.value(_RETIREMENT)
    expression = parsed(retirement)
    return expression is None or as_number(expression.evaluate(Ad())) == 0


def _is_true(text: str) -> bool:
    expression = parsed(text)
    return expression is not None and holds(expression.evaluate(Ad()))


def _may_be_true(text: str) -> bool:
    expression = parsed(text)
    return expression is not None and as_number(expression.evaluate(Ad())) != 0


def _unmet(pool: Pool, found: dict[str, Configuration]) -> Unmet:
    jobs = pool.jobs or ()
    waiting = [job for job in jobs if job.wanted]
    # With WANT_HOLD it does not only evict them: that follows from the same.
    held = [job for job in jobs if is_held_by_startd(job) and host_of(job) in found]
    on_hold = release = ""
    if held:
        release = " Then condor_release of the jobs: on hold they stay for good."
        on_hold = (
            f"; {counted(len(held), 'job')}, such as {pool.job_name(held[0])}, went on hold there"
        )
    names = tuple(found)
    own = found[names[0]]
    knobs = [own.knob(each) for each in (_PREEMPT, _RETIREMENT)]
    return Unmet(
        LASTS,
        f"machine {names[0]}",
        f"PREEMPT is true on {counted(len(names), 'machine')} ({first_named(names, _NAMED)}): the "
        f"startd evicts each job as soon as it runs, and gives it no time to retire{on_hold}",
        "PREEMPT of these execution points is a condition for the end of a job: remove it, or name "
        f"the condition. Where no job should run START = False says so.{release}",
        observed_knobs(knobs),
        keys_of((*waiting, *held)),
        len(names),
        names[:_NAMED],
        ERROR if waiting or held or any(job.status == RUNNING for job in jobs) else WARNING,
        machines=names,
    )
