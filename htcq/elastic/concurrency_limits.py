"""Concurrency limits that limit a group's GPUs, or another asset that jobs ask for.

A job names its limits and how much it takes of each (``name:2``). An expression may look at the
slot, as ``TARGET.GPUs_DeviceName``: the negotiator evaluates it for each candidate, and the startd
for the claim (src/condor_negotiator.V6/matchmaker.cpp and Accountant.cpp,
src/condor_startd.V6/claim.cpp, HTCondor 25.14). A limit is as good as a quota if every job of a
group that asks for the asset takes as much of the limit, wherever it may run, and no other group
uses that limit. It is a cap if it is no higher than the group's max.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from htcq.classads import Ad, Expr, Value, as_number
from htcq.elastic.group_membership import GroupMembership
from htcq.elastic.models import Models
from htcq.pool.autocluster import Autocluster, autoclusters_of
from htcq.pool.pool import Pool
from htcq.pool.slot import Slot
from htcq.pool.slot_class import SlotClass
from htcq.quota.elastic.declaration import DEFAULT, ElasticGroup
from htcq.quota.elastic.kinds import MARK


@dataclass(frozen=True)
class GroupLimits:
    """The limits of one dimension, one of each group.

    ``within_max``: none is higher than the max of its group. ``literal``: none depends on the slot.
    """

    limits: tuple[str, ...]
    within_max: bool
    literal: bool


def limits_on(
    pool: Pool,
    knobs: Mapping[str, str],
    groups: Sequence[ElasticGroup],
    names: Iterable[str],
    kinds: Sequence[SlotClass],
    models: Models,
) -> dict[str, GroupLimits]:
    """Return, for each of ``names``, the limits by which every group is held.

    A name without such limits is missing.
    """
    known = {name.upper(): text for name, text in knobs.items() if text.strip()}
    membership = GroupMembership(groups)
    declared = {group.name: group for group in groups}
    search = _Search(autoclusters_of(pool.jobs or ()), kinds, models)
    found = {}
    for name in names:
        own = _own_limits(search.by_group(name, membership), known)
        if own and all(own.values()):
            limits = {group: limits[0] for group, limits in own.items()}
            within = all(
                _within_max(known.get(f"{limit}_LIMIT".upper()), declared.get(group), name)
                for group, limit in limits.items()
            )
            found[name] = GroupLimits(tuple(sorted(limits.values())), within, search.literal(name))
    return found


def _own_limits(
    by_group: Mapping[str, Iterable[str]], known: Mapping[str, str]
) -> dict[str, list[str]]:
    """Return the configured limits of each group that no other group takes of."""
    configured = {}
    groups_of = Counter[str]()
    for group, limits in by_group.items():
        configured[group] = {limit for limit in limits if _is_configured(limit, known)}
        groups_of.update(configured[group])
    return {
        group: sorted(limit for limit in limits if groups_of[limit] == 1)
        for group, limits in configured.items()
    }


def _is_configured(limit: str, known: Mapping[str, str]) -> bool:
    """Return whether a limit, or the group of limits before its dot, is a ``known`` knob."""
    whole = f"{limit}_LIMIT".upper()
    first = f"{limit.partition('.')[0]}_LIMIT".upper()
    return whole in known or first in known


def _within_max(text: str | None, group: ElasticGroup | None, name: str) -> bool:
    cap = group.max.get(name) if group is not None else None
    amount = as_number(Expr(text).evaluate(Ad())) if text is not None else None
    return cap is not None and amount is not None and amount <= cap


class _Search:
    """What the jobs of a pool take of which limits, in the slots of the pool."""

    def __init__(
        self, jobs: Iterable[Autocluster], kinds: Sequence[SlotClass], models: Models
    ) -> None:
        self._jobs = tuple(jobs)
        self._kinds = kinds
        self._models = models

    def by_group(self, name: str, membership: GroupMembership) -> dict[str, set[str]]:
        """Return, by group, the limits of which its jobs take as much as they ask of ``name``."""
        slots = tuple(self._slots_with(name))
        found: dict[str, set[str]] = {}
        for one in self._jobs:
            asked = one.request.get(name.partition(MARK)[0])
            if not asked or not self._may_use(one, name):
                continue
            for submitter in one.submitters:
                group = membership.group_of(submitter)
                if group != DEFAULT:
                    limits = _limits_in(one, submitter, slots, float(asked))
                    found[group] = found.get(group, limits) & limits
        return found

    def literal(self, name: str) -> bool:
        """Return whether no limits of jobs that ask for ``name`` depend on the slot."""
        asset = name.partition(MARK)[0]
        return all(
            isinstance(one.frame.value("ConcurrencyLimits"), str)
            for one in self._jobs
            if one.request.get(asset) and "ConcurrencyLimits" in one.frame
        )

    def _slots_with(self, name: str) -> Iterator[Slot]:
        """Yield one slot of each frame that has some of ``name``."""
        for kind in self._kinds:
            for slot in kind.variants:
                if MARK not in name:
                    has = bool(kind.total.get(name))
                else:
                    has = any(each.dimension == name for each in self._models.devices(slot))
                if has:
                    yield slot

    def _may_use(self, jobs: Autocluster, name: str) -> bool:
        if MARK not in name:
            return True
        return self._models.asked(jobs, self._kinds) in ("", name)


def _limits_in(jobs: Autocluster, submitter: str, slots: Iterable[Slot], asked: float) -> set[str]:
    """Return the limits of which ``jobs`` of ``submitter`` take ``asked``, whichever slot they get.

    Jobs of several groups may be in one autocluster: their limits can name the group.
    """
    text = jobs.frame.value("ConcurrencyLimits")
    if isinstance(text, str):
        return _taking(text, asked)
    limits = jobs.frame.expression("ConcurrencyLimits")
    if limits is None:
        return set()
    name = submitter.rpartition("@")[0]
    own = {"AccountingGroup": name, "AcctGroup": name.rpartition(".")[0]}
    found: set[str] | None = None
    for slot in slots:
        taken = _taking(limits.evaluate(jobs.ad(own), slot.ad()), asked)
        found = taken if found is None else found & taken
    return found or set()


def _taking(value: Value, asked: float) -> set[str]:
    return {limit for limit, amount in read_limits(value).items() if amount == asked}


def read_limits(value: Value) -> dict[str, float]:
    """Return how much of each limit a job takes; 1 where it does not say."""
    found: dict[str, float] = {}
    if not isinstance(value, str):
        return found
    for part in value.replace(",", " ").split():
        limit, _, amount = part.partition(":")
        try:
            found[limit.lower()] = float(amount or 1)
        except ValueError:
            found[limit.lower()] = 1.0
    return found
