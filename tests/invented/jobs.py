"""The ads of jobs: those that run, one for each claim of a local submitter, and those that wait or are held."""

from __future__ import annotations

from functools import cache
from random import Random

from tests.invented.ads import COMMON, NOW, recorded, template
from tests.invented.demand import Work
from tests.invented.machines import Claim, Machine, Slot
from tests.invented.slots import claim_number, slot_name

IDLE, RUNNING, HELD = 1, 2, 5
_PARTS = {IDLE: ("job",), RUNNING: ("job", "job_running"), HELD: ("job", "job_held")}
_PROGRAMS = ("run.sh", "simulate", "reconstruct.py", "train.py", "analysis")


@cache
def _template(status: int, grouped: bool, gpus: bool) -> str:
    extra = {"RequestGPUs": "%(gpus)d"} if gpus else {}
    if gpus and status == RUNNING:
        extra["AssignedGPUs"] = '"%(assigned)s"'
    names = (*_PARTS[status], "job_grouped") if grouped else _PARTS[status]
    return template(*(recorded(name) for name in names), extra)


def _values(work: Work, proc: int, status: int, submitted: int, since: int) -> dict[str, object]:
    queue, autocluster = work.queue, work.autocluster
    request = autocluster.request
    return {
        **COMMON,
        "args": f"--input file{proc:06d}.root --threads {request.cpus}",
        "autocluster": work.autocluster_id,
        "cluster": work.cluster,
        "proc": proc,
        "procs": 100_000,
        "status": status,
        "hosts": 1 if status == RUNNING else 0,
        "since": since,
        "submitted": submitted,
        "schedd": queue.schedd.name,
        "owner": queue.owner,
        "group": queue.group.name if queue.group else "",
        "program": _PROGRAMS[work.cluster % len(_PROGRAMS)],
        "rank": autocluster.rank,
        "transfer": autocluster.transfer,
        "requirements": autocluster.requirements,
        "cpus": request.cpus,
        "memory": request.memory_mb,
        "disk": request.disk_kb,
        "gpus": request.gpus,
        "prio": work.cluster % 3,
        "size": 1751,
    }


def running_job(machine: Machine, slot: Slot, order: int, claim: Claim) -> str:
    """Return the ad of the job in a claim."""
    work, got = claim.work, claim.got
    values = _values(work, claim.proc, RUNNING, claim.since - 3600, claim.since)
    values.update(
        machine=machine.host,
        ip=machine.values["ip"],
        booted=machine.values["booted"],
        claim=claim_number(slot, order),
        slot=slot_name(machine, slot, order),
        slot_id=slot.number,
        has_cpus=got.cpus,
        has_memory=got.memory_mb,
        has_disk=got.disk_kb,
        has_gpus=got.gpus,
        slot_weight="undefined" if claim.weight is None else claim.weight,
        assigned=",".join(f"GPU-{machine.devices[device]}" for device in claim.devices),
    )
    return (
        _template(RUNNING, work.queue.group is not None, work.autocluster.request.gpus > 0) % values
    )


def waiting_job(rng: Random, work: Work, status: int) -> str:
    """Return the ad of a job that is idle or held."""
    submitted = NOW - 60 - int(rng.random() * 200_000)
    values = _values(work, work.proc(), status, submitted, submitted)
    return (
        _template(status, work.queue.group is not None, work.autocluster.request.gpus > 0) % values
    )
