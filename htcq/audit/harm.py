"""How much of a pool a finding shuts, and whose jobs wait behind it."""

from __future__ import annotations

from collections.abc import Iterable

from htcq.audit.evidence import Evidence
from htcq.pool.record import Record
from htcq.pool.slot import Number, Slot
from htcq.quota.group_tree import ROOT, assigned_group


def part_of_pool(evidence: Evidence, slots: Iterable[Slot]) -> float:
    """Return which part of the pool ``slots`` are, from 0 to 1: by weight or by cpus, whichever is more."""
    part = evidence.size_of(slots)
    whole = evidence.size
    return max(_share(part.weight, whole.weight), _share(part.cpus, whole.cpus))


def _share(part: Number, whole: Number) -> float:
    return min(1.0, part / whole) if whole > 0 else 0.0


def groups_that_wait(evidence: Evidence, submitters: Iterable[Record]) -> tuple[str, ...]:
    """Return the groups of those among the ads ``submitters`` that have idle jobs."""
    tree = evidence.quotas.tree
    waiting = [record.name for record in submitters if (record.number("IdleJobs") or 0) > 0]
    groups = dict.fromkeys(assigned_group(tree, name).group for name in waiting)
    return tuple("no group" if group == ROOT else group for group in groups)
