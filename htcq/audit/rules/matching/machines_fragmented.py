"""Large jobs wait behind small ones: enough is free or in use by small jobs, no piece is large."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from htcq.audit.evidence import Evidence
from htcq.audit.facts import counted
from htcq.audit.mix import waiting
from htcq.audit.rule import Fact, Found, Harm, Input, Rule, Severity
from htcq.balance.wanting import keeps_from_all_slots
from htcq.pool.autocluster import Autocluster
from htcq.pool.daemons import DAEMON_LIST, listed_daemons
from htcq.pool.job import Job
from htcq.pool.slot import Number
from htcq.pool.slot_class import EXAMPLES
from htcq.units import CPUS


def _find(evidence: Evidence) -> Iterator[Found]:
    if _drains(evidence):
        return
    largest_claim = max(
        (_cpus(slot.left()) for slot in evidence.dynamic if slot.claimed), default=0
    )
    if not largest_claim:
        return
    free = [_cpus(slot.left()) for kind in evidence.partitionable for slot in kind.slots]
    large = [
        jobs for jobs in waiting(evidence)
        if _asked(jobs) > max(largest_claim, *free, 0) and _fits_unused(evidence, jobs)
    ]  # fmt: skip
    firsts = _first_idle(evidence)
    large = [jobs for jobs in large if _only_room_is_missing(evidence, firsts[id(jobs.frame)])]
    if large:
        yield _found(
            evidence,
            large,
            free,
            [evidence.pool.job_name(firsts[id(jobs.frame)]) for jobs in large],
        )


def _first_idle(evidence: Evidence) -> Mapping[int, Job]:
    """Return the first idle job of each autocluster, by the id() of its frame."""
    found: dict[int, Job] = {}
    for job in evidence.pool.jobs or ():
        if job.wanted:
            found.setdefault(id(job.frame), job)
    return found


def _only_room_is_missing(evidence: Evidence, job: Job) -> bool:
    """Return whether only slots keep a job: no limit, no access point, no negotiator."""
    (verdict,) = evidence.verdicts.on([job])
    return not any(keeps_from_all_slots(each) for each in verdict.walls)


def _cpus(left: dict[str, Number | None]) -> Number:
    return left.get(CPUS) or 0


def _asked(jobs: Autocluster) -> Number:
    return jobs.request.get(CPUS) or 0


def _fits_unused(evidence: Evidence, jobs: Autocluster) -> bool:
    return any(evidence.fits(kind, jobs) for kind in evidence.partitionable)


def _drains(evidence: Evidence) -> bool:
    """Return whether condor_defrag runs: it makes machines free as a whole."""
    if any(str(slot.state) == "Drained" for slot in evidence.slots):
        return True
    found = evidence.configurations()
    return any("DEFRAG" in listed_daemons(each.value(DAEMON_LIST)) for _, each in found)


def _found(
    evidence: Evidence, large: list[Autocluster], free: list[Number], names: list[str]
) -> Found:
    idle = sum(sum(jobs.idle.values()) for jobs in large)
    first, together, most = large[0], sum(free), max(free, default=0)
    holders = Counter[str]()
    for slot in evidence.dynamic:
        if slot.claimed and _cpus(slot.left()) < _asked(first):
            holders[slot.customer] += 1
    who, claims = holders.most_common(1)[0]
    verb = "waits" if idle == 1 else "wait"
    return Found(
        cause="large jobs",
        subject=f"job {names[0]}",
        message=(
            f"{counted(idle, 'job')} such as {names[0]} {verb} for {_asked(first):g} cores on "
            f"one machine; {together:g} cores are free, at most {most:g} on one machine; the rest "
            f"is in smaller claims, {claims} of them of {who}"
        ),
        facts=(
            Fact("RequestCpus", f"{_asked(first):g}"),
            Fact("free cores", f"{together:g}, at most {most:g} on one machine"),
        ),
        count=idle,
        harm=Harm(jobs=idle),
        examples=tuple(names[:EXAMPLES]),
    )


RULE = Rule(
    id="machines-fragmented",
    severity=Severity.WARNING,
    needs=(Input.SLOTS, Input.JOBS, Input.BALANCE),
    summary="Jobs for many cores wait while smaller jobs keep every machine in pieces",
    consequence=(
        "A claim that ends is used again by the next small job, or its cores are matched with one. "
        "No machine has enough free cores at once, so the large jobs wait as long as small ones "
        "are idle, whatever their priority and the quota of their group."
    ),
    advice=(
        "Run condor_defrag (DAEMON_LIST, DEFRAG_MAX_CONCURRENT_DRAINING, DEFRAG_REQUIREMENTS), or "
        "keep machines for large jobs by START. Surplus of groups (GROUP_ACCEPT_SURPLUS) lets "
        "small jobs take what the large ones of another group are promised."
    ),
    source="src/condor_daemon_core.V6, src/defrag/defrag.cpp, matchmaker.cpp, 25.14",
    find=_find,
)
