"""What a pool uses and wants when its slots or its access points would weigh otherwise.

Nothing of it ends or starts.

Follows src/condor_schedd.V6/schedd.cpp (count_a_job) for what jobs want, and Accountant.cpp
(CheckMatches, GetSlotWeight) for what claims are charged, HTCondor 25.14. Weights are in the
unit of the expressions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from htcq.classads import Value, as_number
from htcq.pool.configuration import Configuration, Knob
from htcq.pool.demand import OWN_KNOB, SWITCH, ScheddWeight
from htcq.pool.pool import Pool
from htcq.pool.record import ACCOUNTING, SUBMITTER, Record
from htcq.pool.slot import Slot
from htcq.pool.weights import Weights
from htcq.poolquota.pool_quotas import PoolQuotas
from htcq.quota.group_tree import ROOT, GroupTree, assigned_group, name_key

#: What the negotiator publishes of a group or submitter, and of a group with all below it.
_OWN_USAGE, _SUBTREE_USAGE = "weightedresourcesused", "hierweightedresourcesused"


def with_schedd_weight(pool: Pool, text: str) -> Pool:
    """Return ``pool`` with ``text`` as SCHEDD_SLOT_WEIGHT of all its access points.

    See :func:`reweighed`.
    """
    knobs = {name: Knob(name, value) for name, value in ((OWN_KNOB, text), (SWITCH, "True"))}
    access = dict(pool.access)
    for schedd in dict.fromkeys(
        [*access, *(record.text("ScheddName") for record in pool.submitters)]
    ):
        own = pool.schedd_configuration(schedd) or Configuration("model")
        access[schedd] = own.with_knobs(knobs)
    return replace(pool, access=access)


def reweighed(pool: Pool, before: Pool) -> Pool:
    """Return ``pool`` with usage and demand recomputed by its slots and access points.

    ``before`` is the same pool as it was captured: with the slots that its published usage and
    demand are of. Idle jobs are weighed anew where access points have another configuration.
    """
    running = Change({}, {})
    if _weighs_otherwise(pool, before):
        running = Change(_running(before.slots or ()), _running(pool.slots or ()))
    return _reweighed(pool, before, running, None)


def reweighed_but_running(pool: Pool, before: Pool, quotas: PoolQuotas | None = None) -> Pool:
    """Return the same, but running jobs weigh what they weighed in ``before``.

    ``quotas`` are those of ``before``, if they are known.
    """
    return _reweighed(pool, before, Change({}, {}), quotas)


def _weighs_otherwise(pool: Pool, before: Pool) -> bool:
    return pool.slots is not before.slots or pool.central is not before.central


def _reweighed(pool: Pool, before: Pool, running: Change, quotas: PoolQuotas | None) -> Pool:
    idle = _Idle(pool) if pool.access != before.access else None
    accounting, priorities = pool.accounting, pool.priorities
    if _weighs_otherwise(pool, before):
        usage = UsageChange(pool, before, quotas)
        accounting = tuple(usage.of(record) for record in accounting)
        priorities = tuple(usage.of(record) for record in priorities)
    submitters = tuple(_weighed(record, idle, running) for record in pool.submitters)
    records = {**(pool.records or {}), SUBMITTER: submitters}
    if accounting:
        records[ACCOUNTING] = accounting
    return replace(
        pool, records=records if pool.records is not None else None, priorities=priorities
    )


# Demand
# --------------------------------------------------------------------------------------------------


class _Idle:
    """How many idle jobs of each submitter are known, and what they weigh."""

    def __init__(self, pool: Pool) -> None:
        self._found: dict[tuple[str, str], tuple[int, int]] = {}
        self._weights: dict[tuple[int, str], int] = {}
        names = {record.name: record.text("ScheddName") for record in pool.submitters}
        weights = {
            schedd: ScheddWeight(configuration) for schedd, configuration in pool.access.items()
        }
        for job in pool.jobs or ():
            if not job.wanted or job.submitter not in names:
                continue
            own = job.schedd if isinstance(job.schedd, str) else ""
            schedd = own if own in weights else names[job.submitter]
            # What an access point weighs whose configuration is not known stands in its ads.
            if schedd not in weights:
                continue
            key = (id(job.frame), schedd)
            if key not in self._weights:
                self._weights[key] = weights[schedd].idle(job.ad(), 1)
            number, weight = self._found.get((job.submitter, own), (0, 0))
            self._found[job.submitter, own] = (
                number + job.wanted,
                weight + self._weights[key] * job.wanted,
            )

    def of(self, record: Record) -> tuple[int, int]:
        """Return number and weight of the jobs behind one ad."""
        schedd = record.text("ScheddName")
        return (
            self._found.get((record.name, schedd)) or self._found.get((record.name, "")) or (0, 0)
        )


@dataclass(frozen=True)
class Change:
    """What the claims of each name weighed, and what they weigh."""

    before: Mapping[str, float]
    after: Mapping[str, float]

    def applied(self, name: str, amount: float) -> float:
        """Return an ``amount`` that was measured before; as it is where ``name`` had no claims."""
        weighed = self.before.get(name, 0.0)
        return amount * self.after.get(name, 0.0) / weighed if weighed > 0 else amount


def _running(slots: Iterable[Slot]) -> dict[str, float]:
    """Return what schedds count as running: the SlotWeight of the claimed slots' own ads."""
    weights, found = Weights(), dict[str, float]()
    for slot in slots:
        if slot.claimed and slot.customer:
            found[slot.customer] = found.get(slot.customer, 0.0) + (
                as_number(weights.of(slot)) or 0.0
            )
    return found


def _weighed(record: Record, idle: _Idle | None, running: Change) -> Record:
    values: dict[str, Value] = dict(record.values)
    known, weight = idle.of(record) if idle is not None else (0, 0)
    if known:
        # The schedd may have sent its ad when it had other jobs than those that are known.
        values["weightedidlejobs"] = int(weight * (record.number("IdleJobs") or 0) / known)
    before = record.number("WeightedRunningJobs")
    if before:
        values["weightedrunningjobs"] = running.applied(record.name, before)
    return replace(record, values=values)


# Usage
# --------------------------------------------------------------------------------------------------


class UsageChange:
    """Charges of groups and submitters for their claims, as captured and as recomputed.

    What ``quotas`` found for slots of ``before`` is taken over.
    """

    def __init__(self, pool: Pool, before: Pool, quotas: PoolQuotas | None = None) -> None:
        weights = Weights()
        if quotas is not None:
            weights = quotas.supply.weights
        was = PoolQuotas(before, weights, before.negotiator, quotas)
        now = PoolQuotas(pool, weights, pool.negotiator, was)
        self.submitters = Change(*(_floats(each.supply.charged) for each in (was, now)))
        self.groups = Change(
            *(_by_group(now.tree, each) for each in (self.submitters.before, self.submitters.after))
        )
        self._subtrees = Change(
            *(_with_below(now.tree, each) for each in (self.groups.before, self.groups.after))
        )
        self._tree = now.tree

    def of(self, record: Record) -> Record:
        """Return the accounting ad with the usage that its claims have now."""
        group = record.value("IsAccountingGroup") is True
        name = self._known_name(record.name) if group else record.name
        changes = {
            _OWN_USAGE: self.groups if group else self.submitters,
            _SUBTREE_USAGE: self._subtrees,
        }
        values: dict[str, Value] = dict(record.values)
        for attribute, change in changes.items():
            published = record.number(attribute)
            if published is not None and published > 0:
                values[attribute] = change.applied(name, published)
        return replace(record, values=values)

    def _known_name(self, name: str) -> str:
        found = self._tree.find(name)
        return name if found is None else found.name


def _floats(amounts: Mapping[str, int | float]) -> dict[str, float]:
    return {name: float(amount) for name, amount in amounts.items()}


def _by_group(tree: GroupTree, charged: Mapping[str, float]) -> dict[str, float]:
    found: dict[str, float] = {}
    for customer, weight in charged.items():
        group = assigned_group(tree, customer).group
        found[group] = found.get(group, 0.0) + weight
    return found


def _with_below(tree: GroupTree, groups: Mapping[str, float]) -> dict[str, float]:
    found = {group.name: groups.get(group.name, 0.0) for group in tree.groups}
    for group in reversed(tree.groups):  # what is below a group comes after it
        parent = group.parent
        if parent is not None and name_key(parent) != name_key(ROOT):
            found[parent] += found[group.name]
    return found
