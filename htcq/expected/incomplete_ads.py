"""Machines whose ads lack what each startd sends, and what waiting jobs compare: Arch or OpSys.

A startd takes both from ARCH and OPSYS, which have a value wherever HTCondor runs
(src/condor_startd.V6/ResAttributes.cpp, HTCondor 25.13); condor_submit compares both in each job
whose Requirements name neither. Where an ad has none that comparison is undefined, whatever the
machine has free.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from htcq.classads import UNDEFINED
from htcq.expected.unmet import INCOMPLETE, WARNING, JobKey, Unmet
from htcq.pool.pool import Pool
from htcq.pool.slot import DYNAMIC, Slot
from htcq.pool.slot_state import closed_by, machine_of
from htcq.units import counted, first_named
from htcq.why.verdict import Verdict, Verdicts

_SENT = ("Arch", "OpSys")
_NAMED = 3


def incomplete_ads(verdicts: Verdicts, found: Iterable[Verdict]) -> Iterator[Unmet]:
    """Yield the attributes that some machines lack, others have, and waiting jobs ask for.

    ``found`` are the verdicts on all idle jobs.
    """
    slots = [slot for slot in verdicts.pool.slots or () if slot.type != DYNAMIC]
    waiting = [each for each in found if not each.starts]
    for name in _SENT:
        lacking = [slot for slot in slots if slot.frame.value(name) is UNDEFINED]
        # Where no ad has it, it was not asked for.
        if not lacking or len(lacking) == len(slots):
            continue
        asking = [each for each in waiting if _names(each, name)]
        lacking = [slot for slot in lacking if not closed_by(slot)]
        if asking and lacking:
            yield _unmet(verdicts.pool, name, lacking, asking)


def _names(verdict: Verdict, name: str) -> bool:
    requirements = verdict.jobs[0].frame.expression("Requirements")
    return requirements is not None and name.lower() in requirements.words()


def _unmet(pool: Pool, name: str, lacking: list[Slot], asking: list[Verdict]) -> Unmet:
    machines = tuple(dict.fromkeys(map(machine_of, lacking)))
    jobs = [JobKey(each.access_point, job.id) for each in asking for job in each.jobs]
    first = pool.job_name(asking[0].jobs[0])
    named, compare = first_named(machines, _NAMED), "compares" if len(jobs) == 1 else "compare"
    return Unmet(
        INCOMPLETE,
        f"machine {machines[0]}",
        f"the ads of {counted(len(machines), 'machine')} ({named}) have no {name}, which "
        f"{counted(len(jobs), 'waiting job')} {compare}, such as {first}: none of them starts "
        "there",
        f"{name.upper()} of these execution points, which has a value unless a file takes it away; "
        f"STARTD_ATTRS must not name {name}.",
        (),
        tuple(jobs),
        len(lacking),
        machines[:_NAMED],
        WARNING,
    )
