"""At this site everybody computes for a group, so that each job is accounted to one."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.rule import Fact, Found, Input, Rule, Severity
from htcq.pool.job import Job


def _find(evidence: Evidence) -> Iterator[Found]:
    """Yield one finding for each user who has jobs without a group."""
    jobs: dict[str, list[Job]] = {}
    for job in evidence.pool.jobs or ():
        if not isinstance(job.accounting_group, str):
            jobs.setdefault(str(job.user), []).append(job)
    for user, own in jobs.items():
        number = f"{len(own)} jobs" if len(own) > 1 else "1 job"
        yield Found(
            cause=user,
            subject=f"user {user}",
            message=f"user {user} has {number} without an accounting group",
            facts=(Fact("AccountingGroup", "undefined"),),
            count=len(own),
            examples=tuple(f"job {job.id}" for job in own[:3]),
        )


RULE = Rule(
    id="site-jobs-without-group",
    severity=Severity.WARNING,
    needs=(Input.JOBS,),
    summary="Jobs belong to no accounting group",
    consequence="Their usage is charged to no group, and they share what all groups leave.",
    advice=(
        "Set accounting_group in the submit file. The table of groups is on the site's pages for "
        "users."
    ),
    source="the site's own rules of accounting",
    find=_find,
)
