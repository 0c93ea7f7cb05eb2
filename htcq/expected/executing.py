"""Jobs that run by their status, and that no starter has begun to execute for three cycles.

Their claims are busy, so that they look like work: a hook that hangs, a container image that never
comes, input that no shadow gets sent. A shadow notes JobCurrentStartExecutingDate the moment its
starter begins (RemoteResource::beginExecution of src/condor_shadow.V6.1/remoteresource.cpp,
HTCondor 25.14); NumJobStarts comes a quarter of an hour later.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from htcq.classads import as_number
from htcq.expected.deferred import deferred_in_slots, deferred_until
from htcq.expected.settled import captured_at, is_over, settled_before, since_first
from htcq.expected.unmet import (
    ERROR,
    START,
    STARTS,
    WARNING,
    Observed,
    Unmet,
    keys_of,
    knobs_on_the_way,
)
from htcq.htcondor.matching import SCHEDD, STARTD
from htcq.pool.job import RUNNING, Job
from htcq.pool.pool import Pool, of_startd
from htcq.pool.record import Record
from htcq.pool.slot import Slot
from htcq.units import counted

#: Large input and images take their time: what does not begin is a fault after so many seconds.
_LONG = 600.0
#: One such job may be unlucky; of so many none begins.
_SEVERAL = 2
_NAMED = 3
_QUEUE = (
    "TransferQueueNumUploading",
    "TransferQueueNumWaitingToUpload",
    "TransferQueueMaxUploading",
)
#: How fast the schedd's shadows send input, in bytes a second over the last minute.
_SPEED = "FileTransferUploadBytesPerSecond_1m"


def has_begun(job: Job) -> bool:
    """Return whether a starter has begun to execute a job that runs by its status."""
    begun, placed = as_number(job.executing_since), as_number(job.started_at)
    return begun is not None and (placed is None or begun >= placed)


def unbegun(pool: Pool) -> Iterator[Unmet]:
    """Yield the access points and machines whose jobs have not begun for three cycles."""
    moment = settled_before(pool)
    running = [job for job in pool.jobs or () if job.status == RUNNING and job.running]
    if moment is None or (pool.anonymous and not any(map(has_begun, running))):
        # An older capture without names leaves the attribute out.
        return
    late = [job for job in running if not has_begun(job) and _since(job, moment)]
    now = captured_at(pool, moment)
    until = [deferred_until(job, now) for job in late]
    yield from deferred_in_slots(pool, zip(late, until))
    late = [job for job, at in zip(late, until) if at is None]
    sending = _waiting_for_input(pool, late)
    for name in sending:
        of_it = [job for job in late if job.access_point == name]
        yield _of_access_point(pool, sending[name], of_it, moment)
    slots = {str(slot.name): slot for slot in pool.slots or ()}
    on: dict[str, list[Job]] = {}
    for job in late:
        slot = slots.get(job.remote_host) if isinstance(job.remote_host, str) else None
        if slot is not None and job.access_point not in sending:
            on.setdefault(slot.startd, []).append(job)
    others: dict[str, list[Job]] = {}
    for startd, those in on.items():
        begun = [job for job in running if has_begun(job) and _is_at(slots, job, startd)]
        if len(those) >= _SEVERAL and not begun:
            yield _of_machine(pool, slots[str(those[0].remote_host)], those, moment)
            continue
        for job in those:
            others.setdefault(job.access_point, []).append(job)
    for name, those in others.items():
        if len(those) >= _SEVERAL and not _begins(running, name, those):
            yield _of_several(pool, name, those, moment)


def _since(job: Job, moment: float) -> bool:
    """Return whether a job has had a shadow since before ``moment``."""
    return bool(as_number(job.shadow_starts)) and is_over(moment, job.started_at, job.status_since)


def _is_at(slots: dict[str, Slot], job: Job, startd: str) -> bool:
    slot = slots.get(job.remote_host) if isinstance(job.remote_host, str) else None
    return slot is not None and slot.startd == startd


def _begins(running: Sequence[Job], access_point: str, late: Sequence[Job]) -> bool:
    """Return whether a job of an access point has begun since the first of these had its claim."""
    since = min(float(as_number(job.started_at) or 0) for job in late)
    own = [job for job in running if job.access_point == access_point and has_begun(job)]
    return any((as_number(job.executing_since) or 0) >= since for job in own)


def _waiting_for_input(pool: Pool, late: Sequence[Job]) -> dict[str, Record]:
    """Return the access points with such jobs, whose transfers stand: full, and nothing is sent."""
    names = {job.access_point for job in late}
    return {
        schedd.name: schedd
        for schedd in pool.schedds
        if schedd.name in names and schedd.number(_QUEUE[1]) and not schedd.number(_SPEED)
    }


def _of_access_point(pool: Pool, schedd: Record, late: Sequence[Job], moment: float) -> Unmet:
    sent, waiting, most = (int(schedd.number(name) or 0) for name in _QUEUE)
    where = schedd.name
    text = (
        f"of {where} have claims{_first(late)}, and none has begun: {waiting} wait for their turn "
        f"to send input, {sent} of at most {most} send and send nothing"
    )
    counters = [Observed(name, str(int(schedd.number(name) or 0))) for name in _QUEUE]
    return _unmet(
        pool, f"access point {where}", late, text, moment,
        f"ShadowLog of {where} says which files; a file system that hangs there holds all of them. "
        "MAX_CONCURRENT_UPLOADS is the number that may send at once.",
        (*counters, *_knobs(pool, where)),
    )  # fmt: skip


def _of_several(pool: Pool, where: str, late: Sequence[Job], moment: float) -> Unmet:
    hosts = {job.remote_host for job in late}
    return _unmet(
        pool, f"access point {where}", late,
        f"of {where} have claims{_first(late)} in {counted(len(hosts), 'slot')}, and none has "
        "begun to execute, nor has any other of its jobs since then", moment,
        f"ShadowLog of {where} and StarterLog of the machines say what they wait for: their input, "
        "a server that their URLs name, a plugin of FILETRANSFER_PLUGINS, an image.",
        _knobs(pool, where),
    )  # fmt: skip


def _of_machine(pool: Pool, slot: Slot, late: Sequence[Job], moment: float) -> Unmet:
    where = slot.startd
    return _unmet(
        pool, f"machine {where}", late,
        f"have claims on {where}{_first(late)}, and none has begun to execute there", moment,
        f"StarterLog of {where} says what they wait for: a hook, an image, their input. Until it "
        "is repaired, 'condor_drain' takes it out of the pool.",
        knobs_on_the_way(of_startd(pool.execute, slot), STARTD, START, peers=pool.execute),
    )  # fmt: skip


def _knobs(pool: Pool, access_point: str) -> Sequence[Observed]:
    own = pool.schedd_configuration(access_point)
    return knobs_on_the_way(own, SCHEDD, START, peers=pool.access)


def _first(late: Sequence[Job]) -> str:
    return since_first(job.started_at for job in late)


def _unmet(
    pool: Pool, subject: str, late: Sequence[Job], text: str, moment: float, cure: str,
    observed: Sequence[Observed],
) -> Unmet:  # fmt: skip
    now = captured_at(pool, moment)
    oldest = min(float(as_number(job.started_at) or now) for job in late)
    return Unmet(
        STARTS,
        subject,
        f"{counted(len(late), 'job')}, such as {pool.job_name(late[0])}, {text}",
        cure,
        (*observed, Observed("JobCurrentStartExecutingDate", "undefined")),
        keys_of(late),
        len(late),
        tuple(map(pool.job_name, late[:_NAMED])),
        ERROR if now - oldest >= _LONG else WARNING,
    )
