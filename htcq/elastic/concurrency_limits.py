"""Concurrency limits that limit a group's GPUs, or another asset that jobs ask for.

A job names its limits and how much it takes of each (``name:2``;
src/condor_negotiator.V6/matchmaker.cpp and Accountant.cpp, HTCondor 25.14). A limit is as good as a
quota if every job of a group that asks for the asset takes as much of the limit, and no other group
uses that limit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping

from htcq.classads import Value
from htcq.elastic.group_membership import GroupMembership
from htcq.pool.autocluster import Autocluster, autoclusters_of
from htcq.pool.pool import Pool
from htcq.quota.elastic.declaration import DEFAULT


def limits_on(
    pool: Pool, knobs: Mapping[str, str], membership: GroupMembership, names: Iterable[str]
) -> dict[str, tuple[str, ...]]:
    """Return, for each of ``names``, the limits by which every group is held.

    A name without such limits is missing.
    """
    known = {name.upper() for name, text in knobs.items() if text.strip()}
    classes = autoclusters_of(pool.jobs or ())
    found = {}
    for name in names:
        configured = []
        groups_of = Counter[str]()
        for limits in _by_group(name, classes, membership).values():
            of_group = {limit for limit in limits if _is_configured(limit, known)}
            configured.append(of_group)
            groups_of.update(of_group)
        shared = {limit for limit, groups in groups_of.items() if groups > 1}
        own = [sorted(of_group - shared) for of_group in configured]
        if own and all(own):
            found[name] = tuple(sorted(each[0] for each in own))
    return found


def _is_configured(limit: str, known: Collection[str]) -> bool:
    """Tell whether a limit, or the group of limits before its dot, is among the ``known`` knobs."""
    whole = f"{limit}_LIMIT".upper()
    first = f"{limit.partition('.')[0]}_LIMIT".upper()
    return whole in known or first in known


def _by_group(
    name: str, classes: Iterable[Autocluster], membership: GroupMembership
) -> dict[str, set[str]]:
    """Return, by group, the limits of which all its jobs take as much as they ask of ``name``."""
    found: dict[str, set[str]] = {}
    for one in classes:
        asked = one.request.get(name)
        if not asked:
            continue
        taken = read_limits(one.frame.value("ConcurrencyLimits"))
        limits = {limit for limit, amount in taken.items() if amount == asked}
        for submitter in one.submitters:
            group = membership.group_of(submitter)
            if group != DEFAULT:
                found[group] = found.get(group, limits) & limits
    return found


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
