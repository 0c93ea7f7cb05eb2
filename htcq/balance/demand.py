"""What idle jobs wait for: how many, of what weight, by the first reason of each.

A job's reasons are those of ``why``, in its order: the schedd's, the negotiator's of submitters and
groups, those of the slots. The weight is what the job's schedd advertises for it (WeightedIdleJobs,
:mod:`htcq.pool.demand`).
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from htcq.balance.causes import STARTING, STARTS_NOTHING, UNEXPLAINED
from htcq.expected.unmet import JobKey
from htcq.pool.demand import JobWeights, requested
from htcq.pool.job import Job
from htcq.pool.pool import Pool
from htcq.pool.slot import Number
from htcq.poolquota.access.flocking import flocking_of
from htcq.quota.group_tree import assigned_group
from htcq.why.unmatched import cause_of, unsuiting
from htcq.why.verdict import NO_SLOT, NO_SLOT_CURE, Verdict, Verdicts

_NOTHING_STARTS = (
    "the next cycle matches it with a machine of which a finding says that nothing starts or lasts"
)


@dataclass(frozen=True)
class Reason:
    """Idle jobs with one first reason; ``reason`` is an id of ``why``, or of the balance.

    ``example`` is the first of them, at ``access_point``, ``text`` what ``why`` says of it.
    ``others`` are the further reasons, each with the number of these jobs that have it.
    """

    reason: str
    jobs: int
    weight: Number
    example: str
    text: str
    others: Mapping[str, int]
    access_point: str = ""

    @property
    def such_as(self) -> str:
        """The example as ``why`` takes it: ``access_point#job``."""
        return f"{self.access_point}#{self.example}" if self.access_point else self.example


class Nowhere(NamedTuple):
    """Idle jobs that no slot of the pool would take even with no job on it.

    ``example`` is the first of them, ``text`` says what keeps it from all slots, and ``cure`` what
    resolves that. ``reason`` is the id of ``why`` for it, ``clause`` the expression in the text.
    ``schedd`` is the one that would start them itself; empty where a slot is to. ``by`` are the
    same jobs by cause, most jobs first; what is said of all of them is said of the first cause.
    """

    jobs: int
    weight: Number
    example: str
    text: str
    cure: str
    reason: str
    clause: str = ""
    schedd: str = ""
    by: tuple[Nowhere, ...] = ()

    @property
    def causes(self) -> tuple[Nowhere, ...]:
        """The jobs by cause: one where nothing tells them apart."""
        return self.by or (self,)


@dataclass(frozen=True)
class Demand:
    """All idle jobs and what they weigh, by first reason; the parts add up.

    ``lightest`` is what the lightest of them weighs, ``cores`` the fewest cores that one of those
    which do not start requests (only of a group). ``nowhere`` are those that fit no slot, None
    where each fits some, or may run in another pool.
    """

    jobs: int
    weight: Number
    by: tuple[Reason, ...]
    lightest: Number = 0
    nowhere: Nowhere | None = None
    cores: int = 0

    def of(self, reason: str) -> Reason | None:
        """Return the jobs with that first reason; None where there are none."""
        return next((each for each in self.by if each.reason == reason), None)

    @property
    def starting(self) -> int:
        """How many of them the next cycle starts."""
        found = self.of(STARTING)
        return 0 if found is None else found.jobs


def nowhere_of(pool: Pool, found: Iterable[Verdict], weight_of: JobWeights) -> Nowhere | None:
    """Return the jobs of ``found`` that fit no slot; None where there are none.

    Those that run in another pool are left out.
    """
    flocking = flocking_of(pool)
    by: dict[tuple[str, ...], Nowhere] = {}
    for verdict in found:
        if not verdict.fits_nowhere or flocking.takes((verdict.access_point,)):
            continue
        each = unsuiting(verdict.walls)
        key = each.id, cause_of(each), each.lifted_by
        if key not in by:
            text, elsewhere = each.text, flocking.text((verdict.access_point,))
            if elsewhere:
                text += f"; {elsewhere}"
            by[key] = Nowhere(
                0, 0, pool.job_name(verdict.jobs[0]), text, each.lifted_by, each.id,
                str(each.amounts.get("clause", "")),
                verdict.access_point if "universe" in each.amounts else "",
            )  # fmt: skip
        weight = sum(weight_of(job, verdict.access_point) for job in verdict.jobs)
        one = by[key]
        by[key] = one._replace(jobs=one.jobs + len(verdict.jobs), weight=one.weight + weight)
    if not by:
        return None
    causes = tuple(sorted(by.values(), key=lambda each: -each.jobs))
    jobs, weight = sum(each.jobs for each in causes), sum(each.weight for each in causes)
    return causes[0]._replace(jobs=jobs, weight=weight, by=causes)


class _Sum:
    def __init__(self, example: Verdict, text: str) -> None:
        self.jobs = 0
        self.weight: Number = 0
        self.example, self.text = example, text
        self.lightest: Number = 0
        self.others: dict[str, int] = {}


def demand_of(
    verdicts: Verdicts,
    found: Sequence[Verdict],
    weight_of: JobWeights,
    failing: Container[JobKey] = (),
) -> tuple[Demand, Mapping[str, Demand]]:
    """Return what the idle jobs of ``found`` wait for: all of them, and those of each group.

    ``failing`` are those that are matched with machines where nothing starts.
    """
    every: dict[str, _Sum] = {}
    groups: dict[str, dict[str, _Sum]] = {}
    tree = verdicts.cycle.quotas.tree
    for reason, text, verdict in _by_reason(found, failing):
        weights = [weight_of(job, verdict.access_point) for job in verdict.jobs]
        lightest = min((each for each in weights if each > 0), default=0)
        group = assigned_group(tree, verdict.submitter).group
        for sums in (every, groups.setdefault(group, {})):
            if reason not in sums:
                sums[reason] = _Sum(verdict, text)
            one = sums[reason]
            one.jobs += len(verdict.jobs)
            one.weight += sum(weights)
            if lightest:
                one.lightest = min(lightest, one.lightest or lightest)
            for other in dict.fromkeys(each.id for each in verdict.walls):
                if other != reason:
                    one.others[other] = one.others.get(other, 0) + len(verdict.jobs)
    nowhere = nowhere_of(verdicts.pool, found, weight_of)
    if nowhere is not None and not nowhere.schedd and verdicts.pool.slots == ():
        nowhere = nowhere._replace(text=NO_SLOT, cure=NO_SLOT_CURE, by=())
    whole = replace(_demand(every), nowhere=nowhere)
    cores: dict[str, int] = {}
    for verdict in found:
        if not verdict.starts:
            group = assigned_group(tree, verdict.submitter).group
            fewest = requested(verdict.jobs[0].ad(), "RequestCpus", 1)
            cores[group] = min(fewest, cores.get(group, fewest))
    return whole, {
        name: replace(_demand(sums), cores=cores.get(name, 0)) for name, sums in groups.items()
    }


def _by_reason(
    found: Iterable[Verdict], failing: Container[JobKey]
) -> Iterator[tuple[str, str, Verdict]]:
    """Yield the verdicts with their first reason; matches that lead to nothing apart."""
    for verdict in found:
        reason, text = first_reason(verdict)
        if not verdict.starts:
            yield reason, text, verdict
            continue
        kept: dict[bool, list[Job]] = {}
        for job in verdict.jobs:
            fails = JobKey(verdict.access_point, job.id) in failing
            kept.setdefault(fails, []).append(job)
        for fails, jobs in sorted(kept.items()):
            if fails:
                reason, text = STARTS_NOTHING, _NOTHING_STARTS
            yield reason, text, replace(verdict, jobs=tuple(jobs))


def first_reason(verdict: Verdict) -> tuple[str, str]:
    """Return the first reason for which the jobs of ``verdict`` wait, and its sentence."""
    if verdict.starts:
        return STARTING, "the next cycle starts it"
    if not verdict.walls:
        return UNEXPLAINED, "no known reason keeps it from a slot"
    first = verdict.walls[0]
    return first.id, first.text


def _demand(sums: Mapping[str, _Sum]) -> Demand:
    by = [
        Reason(
            reason,
            one.jobs,
            one.weight,
            one.example.jobs[0].id,
            one.text,
            dict(one.others),
            one.example.access_point,
        )
        for reason, one in sums.items()
    ]
    by.sort(key=lambda each: (each.reason != STARTING, -each.weight, -each.jobs, each.reason))
    lightest = min((each.lightest for each in sums.values() if each.lightest), default=0)
    jobs, weight = sum(each.jobs for each in by), sum(each.weight for each in by)
    return Demand(jobs, weight, tuple(by), lightest)
