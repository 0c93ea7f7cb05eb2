"""The harm of a finding: the part of the pool that it shuts, and the groups whose jobs wait."""

from __future__ import annotations

from collections.abc import Iterable

from htcq.audit.evidence import Evidence
from htcq.audit.input import Input
from htcq.audit.size import size_of
from htcq.pool.record import Record
from htcq.pool.slot import Number, Slot
from htcq.quota.group_tree import ROOT, assigned_group

#: What jobs without a group are of.
NO_GROUP = "no group"


def part_of_pool(evidence: Evidence, slots: Iterable[Slot]) -> float:
    """Return the part of the pool that ``slots`` are, from 0 to 1.

    It is the larger of the parts by weight and by cpus; 0 in a trial, in which nobody reads it,
    and where the pool is not known.
    """
    if evidence.is_trial or evidence.lacks(Input.POOL):
        return 0.0
    part = size_of(slots, evidence.weights)
    whole = evidence.size
    return max(_share(part.weight, whole.weight), _share(part.cpus, whole.cpus))


def _share(part: Number, whole: Number) -> float:
    if whole > 0:
        return min(1.0, part / whole)
    return 0.0


def idle_jobs(submitters: Iterable[Record]) -> int:
    """Return how many idle jobs the submitter ads have."""
    return sum(max(0, int(record.number("IdleJobs") or 0)) for record in submitters)


def groups_that_wait(evidence: Evidence, submitters: Iterable[Record]) -> tuple[str, ...]:
    """Return the groups of the submitter ads with idle jobs."""
    tree = evidence.quotas.tree
    groups: dict[str, None] = {}
    for record in submitters:
        if (record.number("IdleJobs") or 0) <= 0:
            continue
        group = assigned_group(tree, record.name).group
        if group == ROOT:
            group = NO_GROUP
        groups[group] = None
    return tuple(groups)
