"""What idle jobs wait for: how many, of what weight, by the first reason of each.

A job's reasons are those of ``why``, in its order: the schedd's, the negotiator's of submitters and
groups, those of the slots. The weight is what the job's schedd advertises for it (WeightedIdleJobs,
:mod:`htcq.pool.demand`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from htcq.balance.causes import STARTING, UNEXPLAINED
from htcq.pool.configuration import Configuration
from htcq.pool.demand import ScheddWeight
from htcq.pool.job import Job
from htcq.pool.pool import Pool
from htcq.pool.slot import Number
from htcq.quota.group_tree import assigned_group
from htcq.why.verdict import Verdict, Verdicts


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


@dataclass(frozen=True)
class Demand:
    """All idle jobs and what they weigh, by first reason; the parts add up.

    ``lightest`` is what the lightest of them weighs.
    """

    jobs: int
    weight: Number
    by: tuple[Reason, ...]
    lightest: Number = 0

    def of(self, reason: str) -> Reason | None:
        """Return the jobs with that first reason; None where there are none."""
        return next((each for each in self.by if each.reason == reason), None)

    @property
    def starting(self) -> int:
        """How many of them the next cycle starts."""
        found = self.of(STARTING)
        return 0 if found is None else found.jobs


class _Sum:
    def __init__(self, example: Verdict, text: str) -> None:
        self.jobs = 0
        self.weight: Number = 0
        self.example, self.text = example, text
        self.lightest: Number = 0
        self.others: dict[str, int] = {}


def demand_of(
    verdicts: Verdicts, found: Iterable[Verdict], weight_of: JobWeights
) -> tuple[Demand, Mapping[str, Demand]]:
    """Return what the idle jobs of ``found`` wait for: all of them, and those of each group."""
    every: dict[str, _Sum] = {}
    groups: dict[str, dict[str, _Sum]] = {}
    tree = verdicts.cycle.quotas.tree
    for verdict in found:
        reason, text = first_reason(verdict)
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
    return _demand(every), {name: _demand(sums) for name, sums in groups.items()}


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


class JobWeights:
    """What the schedds of ``pool`` weigh idle jobs."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._schedds: dict[str, ScheddWeight] = {}
        self._known: dict[tuple[int, str], Number] = {}

    def __call__(self, job: Job, access_point: str) -> Number:
        """Return what ``job`` adds to the demand: its weight for each slot that it still wants."""
        if not job.wanted:
            return 0
        key = (id(job.frame), access_point)
        weight = self._known.get(key)
        if weight is None:
            weight = self._known[key] = self._schedd(access_point).of(job.ad())
        return weight * job.wanted

    def _schedd(self, name: str) -> ScheddWeight:
        known = self._schedds.get(name)
        if known is None:
            configuration = self._pool.schedd_configuration(name) or Configuration("none")
            known = self._schedds[name] = ScheddWeight(configuration)
        return known
