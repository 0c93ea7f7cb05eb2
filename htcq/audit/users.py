"""The users and groups in the names of submitters.

Follows submit_utils.cpp:SetAccountingGroup and schedd.cpp, HTCondor 25.14: a submitter is
AccountingGroup or the owner, at a domain, and accounting_group = G with accounting_group_user =
U makes AccountingGroup "G.U".
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from htcq.audit.evidence import Evidence


@dataclass(frozen=True)
class User:
    """One submitter as its jobs name it.

    ``name`` is the user's own name, ``group`` the group that the jobs ask for (empty: none).
    """

    submitter: str
    name: str
    group: str


def users(evidence: Evidence) -> Iterator[User]:
    """Yield each submitter of the queues once for each way in which jobs name it.

    Jobs that set AccountingGroup themselves are left out: it does not tell group and user apart.
    """
    seen: set[tuple[object, ...]] = set()
    for job in evidence.pool.jobs or ():
        key = job.user, job.accounting_group, job.acct_group
        if key in seen:
            continue
        seen.add(key)
        group, submitter = job.acct_group, job.submitter
        whole = submitter.rpartition("@")[0]
        if isinstance(group, str) and group and whole.lower().startswith(f"{group.lower()}."):
            yield User(submitter, whole[len(group) + 1 :], group)
        elif not isinstance(job.accounting_group, str) or not job.accounting_group:
            yield User(submitter, whole, "")


def is_nice(evidence: Evidence, submitter: str) -> bool:
    """Return whether a submitter is one of nice_user jobs, whose factor is meant to be large."""
    return submitter.startswith(
        f"{evidence.setting('NICE_USER_ACCOUNTING_GROUP_NAME', 'nice-user')}."
    )
