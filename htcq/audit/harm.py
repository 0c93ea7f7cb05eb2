"""How much of a pool a finding shuts, and whose jobs wait behind it."""

from __future__ import annotations

from collections.abc import Iterable

from htcq.audit.evidence import Evidence
from htcq.classads import as_number
from htcq.policy.claim import accounted
from htcq.pool.record import Record
from htcq.pool.slot import DYNAMIC, Number, Slot
from htcq.quota.group_tree import ROOT, assigned_group


def part_of_pool(evidence: Evidence, slots: Iterable[Slot]) -> float:
    """Return which part of the pool ``slots`` are, from 0 to 1: by weight or by cpus, whichever is more."""
    part, whole = list(slots), list(evidence.slots)
    by_weight = _share(_weights(evidence, part), _weights(evidence, whole))
    return max(by_weight, _share(_cpus(part), _cpus(whole)))


def _share(part: Number, whole: Number) -> float:
    return min(1.0, part / whole) if whole > 0 else 0.0


def _weights(evidence: Evidence, slots: Iterable[Slot]) -> Number:
    return sum(accounted(evidence.weights.of(slot)) for slot in slots)


def _cpus(slots: Iterable[Slot]) -> Number:
    """Return the cpus of machines: a dynamic slot's are those of its partitionable slot."""
    cpus = [as_number(slot.total_slot_cpus) or 0 for slot in slots if slot.type != DYNAMIC]
    return sum(each for each in cpus if each > 0)


def groups_that_wait(evidence: Evidence, submitters: Iterable[Record]) -> tuple[str, ...]:
    """Return the groups of those among the ads ``submitters`` that have idle jobs."""
    tree = evidence.quotas.tree
    waiting = [record.name for record in submitters if (record.number("IdleJobs") or 0) > 0]
    groups = dict.fromkeys(assigned_group(tree, name).group for name in waiting)
    return tuple("no group" if group == ROOT else group for group in groups)
