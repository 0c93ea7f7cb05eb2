"""Demand on a pool as its negotiator computes it: submitters with jobs, and their groups.

Follows obtainAdsFromCollector of src/condor_negotiator.V6/matchmaker.cpp and
hgq_prepare_for_matchmaking of GroupEntry.cpp, HTCondor 25.14. Weighted amounts are in the unit
of the schedds' slot weights.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from htcq.classads import Ad, Missing, holds, parsed
from htcq.htcondor.releases import SKIPPED_SUBMITTERS, Version
from htcq.pool.record import Record
from htcq.quota.group_tree import GroupTree, assigned_group
from htcq.quota.knobs import Knobs


@dataclass(frozen=True)
class Submitter:
    """One submitter, summed over its schedds.

    ``group`` is the one that it is charged to, ``defaulted`` where that is only an ancestor of
    the one it names; ``requested`` is what it adds to its group's demand, ``priorities`` the
    most job priorities at one schedd.
    """

    name: str
    group: str
    defaulted: bool
    idle: int
    running: int
    weighted_idle: float
    weighted_running: float
    requested: float
    priorities: int


def submitters_of(
    records: Iterable[Record], tree: GroupTree, knobs: Mapping[str, str], negotiator: Version = ()
) -> tuple[Submitter, ...]:
    """Return the submitters that a negotiator of this version sees, ordered by their first ads."""
    reader = Knobs(knobs)
    weighted = reader.boolean("NEGOTIATOR_USE_WEIGHTED_DEMAND", True)
    split = reader.boolean("USE_GLOBAL_JOB_PRIOS", False)
    found: dict[str, Submitter] = {}
    for record in looked_at(records, knobs, negotiator):
        one = _submitter(record, tree, weighted, split)
        known = found.get(one.name)
        if known is not None:
            one = _sum(known, one)
        found[one.name] = one
    return tuple(found.values())


def looked_at(
    records: Iterable[Record], knobs: Mapping[str, str], negotiator: Version = ()
) -> Iterator[Record]:
    """Yield the submitter ads that a negotiator of this version looks at.

    There is one for each submitter at each schedd.
    """
    condition = parsed(Knobs(knobs).text("NEGOTIATOR_SUBMITTER_CONSTRAINT"))
    for record in records:
        jobs = _count(record, "IdleJobs") + _count(record, "RunningJobs")
        if jobs <= 0 or "@" not in record.name or skips(record, negotiator):
            continue
        if condition is None or holds(condition.evaluate(_ad(record))):
            yield record


def skips(record: Record, negotiator: Version) -> bool:
    """Return whether a submitter's ad asks to be passed over, and the negotiator knows of that.

    ``negotiator`` is its version; it is taken to be new where that is not known, ``()``.
    """
    return record.value("SkipMatchmaking") is True and SKIPPED_SUBMITTERS.holds(negotiator)


def _ad(record: Record) -> Ad:
    return Ad(
        {name: value for name, value in record.values.items() if not isinstance(value, Missing)}
    )


def _submitter(record: Record, tree: GroupTree, weighted: bool, split: bool) -> Submitter:
    idle, running = _count(record, "IdleJobs"), _count(record, "RunningJobs")
    weighted_idle = _weight(record, "WeightedIdleJobs", idle)
    weighted_running = _weight(record, "WeightedRunningJobs", running)
    listed = record.value("JobPrioArray")
    priorities = 1
    if isinstance(listed, str):
        priorities = len(listed.replace(",", " ").split())
    requested: float = running + idle
    if weighted:
        requested = weighted_running + weighted_idle
    if split:
        requested *= priorities
    assigned = assigned_group(tree, record.name)
    return Submitter(
        name=record.name,
        group=assigned.group,
        defaulted=assigned.defaulted,
        idle=idle,
        running=running,
        weighted_idle=weighted_idle,
        weighted_running=weighted_running,
        requested=requested,
        priorities=priorities,
    )


def _sum(one: Submitter, other: Submitter) -> Submitter:
    return Submitter(
        name=one.name,
        group=one.group,
        defaulted=one.defaulted,
        idle=one.idle + other.idle,
        running=one.running + other.running,
        weighted_idle=one.weighted_idle + other.weighted_idle,
        weighted_running=one.weighted_running + other.weighted_running,
        requested=one.requested + other.requested,
        priorities=max(one.priorities, other.priorities),
    )


def _count(record: Record, name: str) -> int:
    return int(record.number(name) or 0)


def _weight(record: Record, name: str, otherwise: int) -> float:
    """Return a weighted number of jobs; the plain one where the schedd does not say."""
    value = record.number(name)
    if value is None:
        return float(otherwise)
    return float(value)
