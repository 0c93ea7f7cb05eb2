"""Runtimes that jobs can use: what one dimension keeps a group from using goes to the others.

Each dimension is shared by itself (htcq.quota.elastic.runtime). A group whose jobs fit no more into
its memory then holds cpus that it cannot use, while another group waits for cpus. So requests are
cut to what the jobs that fit would hold, and the runtimes computed again, until no claim more fits:
water-filling across dimensions. A cut request is a smaller request, so that every guarantee and
every max of the computation holds as before; cards (GPUs and their models) are not cut.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from htcq.elastic.quota_targets import jobs_by_group, jobs_of
from htcq.elastic.records import WEIGHT, ElasticObservation
from htcq.elastic.weight_of_runtime import GroupJobs, fitting_amounts
from htcq.quota.elastic.declaration import SELF, Amounts, ElasticQuotas
from htcq.quota.elastic.group_runtime import ElasticOutcome, GroupRuntime
from htcq.quota.elastic.runtime import compute
from htcq.units import GPUS

#: Requests are cut so often at most; the best runtimes count, those of full requests among them.
_ROUNDS = 8
_NO_JOBS = GroupJobs()


class FittedRuntimes(NamedTuple):
    """The outcome, with the requests as they are, and the one that the computation has made."""

    outcome: ElasticOutcome
    computed: ElasticOutcome


@dataclass(frozen=True)
class _Fitting:
    """What of a leaf's jobs fits into a room: amounts, and the dimension that keeps others out."""

    amounts: Amounts
    binding: str

    @property
    def size(self) -> int:
        """A measure of it to compare rounds by: the weight, or all amounts."""
        if WEIGHT in self.amounts:
            return self.amounts[WEIGHT]
        return sum(self.amounts.values())


def fitted_runtimes(declared: ElasticQuotas, observation: ElasticObservation) -> FittedRuntimes:
    """Return the runtimes of the groups of ``declared`` for what was observed."""
    demand = observation.demand
    jobs = jobs_by_group(observation)
    full = best = found = compute(declared, demand)
    requests: Mapping[str, Amounts] = demand.request
    most = _size(full, jobs)
    for _ in range(_ROUNDS):
        cut = dict(_cut_requests(found, jobs, demand.request, requests))
        if cut == requests:
            break
        requests = cut
        found = compute(declared, replace(demand, request=requests))
        size = _size(found, jobs)
        if size > most:
            best, most = found, size
    runtimes = {group.name: group.runtime for group in best.groups}
    groups = tuple(replace(group, runtime=runtimes[group.name]) for group in full.groups)
    return FittedRuntimes(replace(best, groups=groups), best)


def _leaves(
    outcome: ElasticOutcome, jobs: Mapping[str, GroupJobs]
) -> Iterator[tuple[str, GroupRuntime, GroupJobs]]:
    """Yield the leaves that have jobs, with the name by which their demand is known."""
    for group in outcome.groups:
        mine = _NO_JOBS
        if group.leaf:
            mine = jobs_of(group, jobs)
        if mine.shapes:
            name = group.name
            if name.endswith(f".{SELF}"):
                name = group.parent
            yield name, group, mine


def _size(outcome: ElasticOutcome, jobs: Mapping[str, GroupJobs]) -> int:
    """Return how much of all jobs fits into the runtimes."""
    return sum(
        _fit(group.declared(group.runtime), mine).size for _, group, mine in _leaves(outcome, jobs)
    )


def _fit(room: Amounts, jobs: GroupJobs) -> _Fitting:
    amounts, binding = fitting_amounts(room, jobs)
    return _Fitting(amounts, binding)


def _cut_requests(
    outcome: ElasticOutcome,
    jobs: Mapping[str, GroupJobs],
    full: Mapping[str, Amounts],
    cut: Mapping[str, Amounts],
) -> Iterator[tuple[str, Amounts]]:
    """Yield the requests of the next round; ``cut`` are those of this one."""
    kept = dict(full)
    for name, group, mine in _leaves(outcome, jobs):
        asked, now = full.get(name, {}), cut.get(name, {})
        room = {}
        for dimension, runtime in group.declared(group.runtime).items():
            # What the cut alone keeps out is no limit.
            if runtime >= now.get(dimension, 0) and runtime < asked.get(dimension, 0):
                runtime = _least(asked[dimension], group.max.get(dimension))
            room[dimension] = runtime
        found = _fit(room, mine)
        if not found.binding:
            continue
        request = dict(asked)
        for dimension in room:
            if dimension != found.binding and not _is_cards(dimension):
                # One claim more, so that the dimension that keeps claims out stays the scarcest.
                one = max((each.amounts.get(dimension, 0) for each in mine.idle), default=0)
                enough = found.amounts.get(dimension, 0) + one
                request[dimension] = min(asked.get(dimension, 0), enough)
        kept[name] = request
    yield from kept.items()


def _least(amount: int, cap: int | None) -> int:
    if cap is None:
        return amount
    return min(amount, cap)


def _is_cards(dimension: str) -> bool:
    return dimension.partition(":")[0] == GPUS


def held_back(fitted: ElasticOutcome, observation: ElasticObservation) -> Iterator[str]:
    """Yield, as sentences, what keeps idle jobs of groups out, and what is nobody's meanwhile."""
    waiting: set[str] = set()
    leaves = [each for each in fitted.groups if each.leaf]
    for _, group, mine in _leaves(fitted, jobs_by_group(observation)):
        found = _fit(group.declared(group.runtime), mine)
        if not found.binding or not mine.idle:
            continue
        name, limit = found.binding, group.declared_max.get(found.binding)
        waiting.update(each for each in group.declared(group.runtime))
        why = "the pool has no more of it for them"
        if any(other.runtime.get(name, 0) > 0 for other in leaves if other is not group):
            why = "other groups may use the rest"
        if limit is not None and group.runtime[name] >= limit:
            why = f"its max is {limit}"
        yield f"jobs of {group.name} wait for {name}: {why}"
    for name in sorted(waiting):
        left = fitted.undistributed.get(name, 0)
        if left > 0:
            yield f"{left} {name} are in no runtime: no waiting job can use them"
