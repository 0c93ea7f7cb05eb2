"""Concurrency limits that hold groups to a number of GPUs, or of another asset that jobs ask for.

A job names the limits that it takes of, with how much of each (``name:2``;
src/condor_negotiator.V6/matchmaker.cpp and Accountant.cpp, HTCondor 25.14). They are as good as
a quota if every job that asks for an asset takes as much of a limit that no other group takes
of.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from htcq.classads import Value
from htcq.elastic.group_membership import GroupMembership
from htcq.pool.autocluster import Autocluster, autoclusters_of
from htcq.pool.pool import Pool
from htcq.quota.elastic.declaration import DEFAULT


def limits_on(
    pool: Pool, knobs: Mapping[str, str], belonging: GroupMembership, names: Iterable[str]
) -> dict[str, tuple[str, ...]]:
    """Return the limits on each of ``names`` by which every group is held; those that have none are missing."""
    known = {name.upper() for name, text in knobs.items() if text.strip()}
    classes = autoclusters_of(pool.jobs or ())
    found = {}
    for name in names:
        by_group = _by_group(name, classes, belonging)
        configured = {
            group: {limit for limit in limits if f"{limit.partition('.')[0]}_LIMIT".upper() in known
                    or f"{limit}_LIMIT".upper() in known}
            for group, limits in by_group.items()
        }  # fmt: skip
        taken = [limit for limits in configured.values() for limit in limits]
        own = [
            sorted(each for each in limits if taken.count(each) == 1)
            for limits in configured.values()
        ]
        if own and all(own):
            found[name] = tuple(sorted(each[0] for each in own))
    return found


def _by_group(
    name: str, classes: Iterable[Autocluster], belonging: GroupMembership
) -> dict[str, set[str]]:
    """Return the limits that all jobs of a group that ask for ``name`` take as much of."""
    found: dict[str, set[str]] = {}
    for one in classes:
        asked = one.request.get(name)
        if not asked:
            continue
        limits = {
            limit
            for limit, amount in read_limits(one.frame.value("ConcurrencyLimits")).items()
            if amount == asked
        }
        for submitter in one.submitters:
            group = belonging.group_of(submitter)
            if group != DEFAULT:
                found[group] = found[group] & limits if group in found else set(limits)
    return found


def read_limits(value: Value) -> dict[str, float]:
    """Return how much of each limit a job takes; 1 where it does not say."""
    found = {}
    for part in value.replace(",", " ").split() if isinstance(value, str) else ():
        limit, _, amount = part.partition(":")
        try:
            found[limit.lower()] = float(amount or 1)
        except ValueError:
            found[limit.lower()] = 1.0
    return found
