"""Jobs that request GPUs may run on slots that have none: neither side compares."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import counted
from htcq.audit.mix import waiting
from htcq.audit.rule import Fact, Found, Harm, Input, Rule, Severity
from htcq.pool.autocluster import Autocluster
from htcq.pool.slot_class import EXAMPLES, SlotClass
from htcq.units import GPUS


def _find(evidence: Evidence) -> Iterator[Found]:
    without = [kind for kind in evidence.offered if not kind.total.get(GPUS)]
    for jobs in waiting(evidence):
        if (jobs.request.get(GPUS) or 0) <= 0:
            continue
        taking = [kind for kind in without if evidence.fits(kind, jobs)]
        if taking:
            yield _found(jobs, evidence.pool.job_name(jobs.first), taking)


def _found(jobs: Autocluster, name: str, taking: list[SlotClass]) -> Found:
    idle, slots = sum(jobs.idle.values()), sum(kind.count for kind in taking)
    asked = jobs.request.get(GPUS)
    verb = "requests" if idle == 1 else "request"
    return Found(
        cause=jobs.name,
        subject=f"job {name}",
        message=(
            f"{counted(idle, 'idle job')} such as {name} {verb} {asked:g} GPU, and "
            f"{counted(slots, 'slot')} without a GPU such as {taking[0].first.name} would take "
            "them: neither Requirements nor the slot compare RequestGPUs"
        ),
        facts=(
            Fact("RequestGPUs", f"{asked:g}"),
            Fact("Requirements", jobs.frame.text("Requirements") or "(none)"),
        ),
        count=idle,
        harm=Harm(jobs=idle),
        examples=tuple(str(slot.name) for slot in taking[0].slots[:EXAMPLES]),
    )


RULE = Rule(
    id="gpus-unchecked",
    severity=Severity.WARNING,
    needs=(Input.SLOTS, Input.JOBS),
    summary="Jobs that request GPUs would be matched with slots that have none",
    consequence=(
        "The job starts on a machine without a GPU, fails or computes on its cores, and takes the "
        "place of others. condor_submit writes the comparison itself; it is missing where the "
        "Requirements were replaced (condor_qedit, job transforms, the bindings), and a slot "
        "without GPUs among its MachineResources does not compare either."
    ),
    advice=(
        "Add TARGET.GPUs >= RequestGPUs to the Requirements of such jobs, or "
        "(TARGET.RequestGPUs ?: 0) <= (MY.GPUs ?: 0) to START of the execution points."
    ),
    source="src/condor_utils/submit_utils.cpp:SetRequirements, 25.14; seen on 25.14.1",
    find=_find,
)
