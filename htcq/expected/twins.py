"""Two startds under one name: the collector has the ads of one of them at a time.

The collector knows an ad by its name and address, and counts all updates of it in UpdatesTotal; a
startd numbers its own (UpdateSequenceNumber, from 1 when it starts). With two of them there are
far more updates than one has sent (src/condor_collector.V6/collector_stats.cpp, HTCondor 25.14).
The same is so after a restart of the startd, whose numbers begin anew: it had about as many before
in the same time, since the collector was started. Jobs alone accuse no machine, since users may
change their ads, and a schedd looks for a job that was lost while another one has its slot.
"""

from __future__ import annotations

from collections.abc import Iterator

from htcq.classads import as_number
from htcq.expected.settled import is_over, settled_before
from htcq.expected.unmet import TWINS, WARNING, Observed, Unmet
from htcq.pool.job import Job
from htcq.pool.pool import Pool
from htcq.pool.slot import Slot
from htcq.poolquota.ailment import ObservedPool
from htcq.units import counted, show_number

#: So many times as many updates as the startd has sent, and so many more, are no accident.
_TIMES, _MORE = 1.5, 2
_NAMED = 3


def twin_startds(pool: Pool) -> Iterator[Unmet]:
    """Yield the startds in whose slots two jobs have run at a time through three cycles."""
    moment = settled_before(pool)
    if moment is None:
        return
    slots = {str(slot.name): slot for slot in pool.slots or ()}
    now, counted_since = ObservedPool(pool).now, _counted_since(pool)
    if now is None or counted_since is None:
        return
    suspect = {
        slot.startd for slot in slots.values() if _has_more_updates(slot, now, counted_since)
    }
    in_slot: dict[str, list[Job]] = {}
    for job in pool.jobs or ():
        slot = slots.get(str(job.remote_host))
        if slot is None or slot.startd not in suspect or job.parallel or not job.running:
            continue
        if is_over(moment, job.started_at) and _is_of_this_start(slot, job):
            in_slot.setdefault(str(slot.name), []).append(job)
    doubled: dict[str, list[str]] = {}
    for name, jobs in in_slot.items():
        if len({job.full_id for job in jobs}) > 1:
            doubled.setdefault(slots[name].startd, []).append(name)
    for startd, names in doubled.items():
        yield _unmet(pool, startd, names, in_slot, slots)


def _counted_since(pool: Pool) -> float | None:
    """Return since when the oldest of the collectors counts updates; None where one is unknown."""
    started = [each.number("DaemonStartTime") for each in pool.collectors]
    known = [each for each in started if each is not None]
    return min(known) if known and len(known) == len(started) else None


def _has_more_updates(slot: Slot, now: float, counted_since: float) -> bool:
    """Return whether the collector had far more updates of a slot than one startd has sent.

    What a startd of that name sent before it was started again is estimated.
    """
    every, sent = as_number(slot.updates), as_number(slot.update_number)
    began = as_number(slot.daemon_start_time)
    if every is None or sent is None or began is None or began >= now:
        return False
    of_one = sent * max(1.0, (now - counted_since) / (now - began))
    return every >= _TIMES * of_one and every - of_one >= _MORE


def _is_of_this_start(slot: Slot, job: Job) -> bool:
    """Return whether a job began after the startd: not one that its schedd still looks for."""
    began, daemon = as_number(job.started_at), as_number(slot.daemon_start_time)
    return began is not None and daemon is not None and began > daemon


def _unmet(
    pool: Pool,
    startd: str,
    names: list[str],
    in_slot: dict[str, list[Job]],
    slots: dict[str, Slot],
) -> Unmet:
    first = names[0]
    jobs, slot = in_slot[first], slots[first]
    more = f" and {counted(len(names) - 1, 'more slot')} there" if len(names) > 1 else ""
    every, sent = as_number(slot.updates) or 0, as_number(slot.update_number) or 0
    verb = "run" if more else "runs"
    return Unmet(
        TWINS,
        f"machine {startd}",
        f"{first}{more} {verb} two jobs at a time, such as {pool.job_name(jobs[0])} and "
        f"{pool.job_name(jobs[1])}, and the collector had {show_number(every)} updates of it where "
        f"the startd has sent {show_number(sent)}: two startds have the name {startd}, and the "
        "pool shows the slots of one of them",
        f"A name of its own for each of the machines: NETWORK_HOSTNAME, HOST_ALIAS, STARTD_NAME of "
        f"the machines that say they are {startd}.",
        (
            Observed("RemoteHost", first),
            Observed("UpdatesTotal", show_number(every)),
            Observed("UpdateSequenceNumber", show_number(sent)),
        ),
        count=len(names),
        examples=tuple(names[:_NAMED]),
        severity=WARNING,
    )
