"""Idle jobs that schedds count in their demand and do not offer to the negotiator now, by group.

Follows src/condor_schedd.V6/schedd.cpp (count_a_job), which counts every idle job of a universe
that it matches, and what :mod:`htcq.poolquota.access.access_points` follows, HTCondor 25.14.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from htcq.pool.pool import Pool
from htcq.poolquota.access.access_points import access_points_of
from htcq.poolquota.pool_quotas import PoolQuotas
from htcq.quota.group_tree import assigned_group


@dataclass(frozen=True)
class KeptBack:
    """Number of idle jobs of a group, and of those not offered by the id of the reason."""

    group: str
    idle: int
    reasons: Mapping[str, int]

    @property
    def jobs(self) -> int:
        """How many are not offered."""
        return sum(self.reasons.values())


def kept_back(pool: Pool, quotas: PoolQuotas) -> tuple[KeptBack, ...]:
    """Return the groups that have such jobs, in the order of the tree.

    There is none where the pool has no groups.
    """
    points = access_points_of(pool, quotas)
    idle: Counter[str] = Counter()
    reasons: dict[str, Counter[str]] = {}
    groups: dict[str, str] = {}
    jobs = pool.jobs or ()
    if not quotas.grouped:
        jobs = ()
    for job in jobs:
        if not job.wanted:
            continue
        submitter = job.submitter
        if submitter not in groups:
            groups[submitter] = assigned_group(quotas.tree, submitter).group
        group = groups[submitter]
        idle[group] += job.wanted
        refusal = points.kept_back(job)
        if refusal is not None:
            reasons.setdefault(group, Counter())[refusal.id] += job.wanted
    names = [group.name for group in quotas.tree.groups if group.name in reasons]
    return tuple(KeptBack(name, idle[name], dict(sorted(reasons[name].items()))) for name in names)
