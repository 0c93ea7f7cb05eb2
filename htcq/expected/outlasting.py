"""Submitters who wait while claims of others, on slots that fit them, go on with further jobs.

While CLAIM_WORKLIFE lasts a claim takes the next job of its submitter without a negotiation
(src/condor_startd.V6/Resource.cpp: claimWorklifeExpired, HTCondor 25.14): a better priority counts
for nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

from htcq.classads import as_number
from htcq.expected.settled import is_over, settled_before, since_first
from htcq.expected.unmet import OUTLASTING, WARNING, Observed, Unmet, keys_of, observed_knobs
from htcq.pool.job import Job
from htcq.pool.pool import Pool, of_startd
from htcq.pool.slot import PARTITIONABLE, Slot
from htcq.simulate.course.worklife import Worklife
from htcq.units import CPUS, amount_of, counted, first_named, show_span
from htcq.why.other_amounts import waiting_for_room
from htcq.why.verdict import Verdict, Verdicts

_KNOB = "CLAIM_WORKLIFE"
#: Seconds: HTCondor's default is a third of it.
_LONG = 3600
_NAMED = 3


def outlasting(verdicts: Verdicts, found: Iterable[Verdict]) -> Iterator[Unmet]:
    """Yield the submitters with the better priority and no claim, whom slots alone keep waiting.

    ``found`` are the verdicts on all idle jobs.
    """
    pool, moment = verdicts.pool, settled_before(verdicts.pool)
    worklife = Worklife(pool)
    kept = _kept(pool, worklife)
    if moment is None or not kept or verdicts.of_cycle:
        return
    priorities = _priorities(verdicts)
    having = {slot.customer for slot in pool.slots or () if slot.claimed}
    waiting: dict[str, list[Job]] = {}
    claims: dict[str, dict[str, Slot]] = {}
    for verdict in waiting_for_room(found):
        name = verdict.submitter
        late = [job for job in verdict.jobs if is_over(moment, job.queued_at, job.status_since)]
        if not late or name in having:
            continue
        came = min(float(as_number(job.queued_at) or moment) for job in late)
        for slot in _suiting(verdicts, late[0], kept):
            own, other = priorities.get(name, math.inf), priorities.get(slot.customer)
            began = as_number(slot.activity_since) or 0
            if other is not None and own < other and began > came:
                claims.setdefault(name, {})[str(slot.name)] = slot
        if name in claims:
            waiting.setdefault(name, []).extend(late)
    for name, jobs in waiting.items():
        yield _unmet(pool, worklife, name, jobs, list(claims[name].values()))


def _kept(pool: Pool, worklife: Worklife) -> Mapping[str, Sequence[Slot]]:
    """Return the claims that last for long and have had several jobs, by slot or its parent."""
    found: dict[str, list[Slot]] = {}
    for slot in pool.slots or ():
        if not slot.claimed or slot.type == PARTITIONABLE or not slot.customer:
            continue
        claimed, began = as_number(slot.state_since), as_number(slot.activity_since)
        if claimed is None or began is None or began - claimed < 1:
            continue
        if worklife.seconds(slot) > _LONG:
            found.setdefault(slot.parent, []).append(slot)
    return found


def _suiting(verdicts: Verdicts, job: Job, kept: Mapping[str, Sequence[Slot]]) -> Iterator[Slot]:
    """Yield the claims whose slot, or the one that it is part of, would take the job if empty."""
    meeting = verdicts.slots.meeting(job)
    for slots in verdicts.slots.every:
        if slots.fault:
            continue
        suits = slots.unused.suits(meeting.job)
        for row, offer in enumerate(slots.offers):
            if suits[row]:
                yield from kept.get(offer.name, ())


def _priorities(verdicts: Verdicts) -> Mapping[str, float]:
    """Return the user priority of each submitter with idle jobs; less is better."""
    accounts, submitters = verdicts.cycle.accounts, verdicts.cycle.quotas.submitters
    return {each.name: accounts.claimant(each).priority for each in submitters if each.idle > 0}


def _unmet(
    pool: Pool, worklife: Worklife, name: str, jobs: Sequence[Job], claims: Sequence[Slot]
) -> Unmet:
    lasts = max(map(worklife.seconds, claims))
    machines = sorted({slot.startd for slot in claims})
    knobs = [own.knob(_KNOB) for slot in claims[:1] if (own := of_startd(pool.execute, slot))]
    cores = sum(as_number(slot.cpus) or 0 for slot in claims)
    since = since_first(job.queued_at for job in jobs)
    holders = first_named(sorted({slot.customer for slot in claims}), _NAMED)
    where, ends = first_named(machines, _NAMED), not math.isinf(lasts)
    span = f"for {show_span(lasts)}" if ends else "for ever"
    return Unmet(
        OUTLASTING,
        f"submitter {name}",
        f"{counted(len(jobs), 'job')} of {name}, such as {pool.job_name(jobs[0])}, "
        f"{'waits' if len(jobs) == 1 else 'wait'}{since} without any claim, though "
        f"{name} has the better priority: {counted(len(claims), 'claim')} of {holders} with "
        f"{amount_of(CPUS, cores)} on {where} {'goes' if len(claims) == 1 else 'go'} on with "
        f"further jobs {span} ({_KNOB})",
        f"A shorter {_KNOB} on {where} (1200 by default), then condor_reconfig there; "
        "condor_vacate_job of the jobs there gives the cores back at once.",
        observed_knobs(knobs) or (Observed(_KNOB, f"{lasts:.0f}" if ends else "no end"),),
        keys_of(jobs),
        len(claims),
        tuple(str(slot.name) for slot in claims[:_NAMED]),
        WARNING,
    )
