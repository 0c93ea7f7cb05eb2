"""A step before it is written: one negotiation cycle with its quotas, and whether mins are kept.

Quotas, surplus, order and limits are those of :mod:`htcq.quota.condor` (GroupEntry.cpp of
HTCondor 25.14). A match takes what is free up to the group's limit: job sizes are not looked at.

The property: in one cycle no group stays below its min and its demand while another group is
matched beyond its own min. Siblings are compared: what a group has belongs to those below it.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from htcq.elastic.quota_file import QuotaKnobs
from htcq.elastic.quota_target import MAX, UNLENT, QuotaTarget
from htcq.elastic.records import PARTS, WEIGHT, ElasticObservation
from htcq.quota.condor import Inputs, Turn, compute_quotas
from htcq.quota.elastic.declaration import DEFAULT, SYSTEM
from htcq.quota.group_tree import ROOT, GroupTree, build_tree
from htcq.quota.settings import Settings

#: A limit is truncated to a whole number: mins that are fractions are held to that.
_TRUNCATED = 1.0
_SLACK = 1e-6
#: Cycles in which some groups come and others do not: as many as make so many turns of groups. More
#: would take longer than a cycle.
_TURNS = 20000
#: How much of what is borrowed ends until the next cycle, in the cycles that are tried.
_ENDING = {
    "none": 0.0,
    "a fifth": 0.2,
    "two fifths": 0.4,
    "three fifths": 0.6,
    "four fifths": 0.8,
    "all": 1.0,
}
_SETTINGS = Settings(oversubscription=False, consider_preemption=False)


@dataclass(frozen=True)
class CycleForecast:
    """One cycle: ``demand``, ``before`` and ``after`` are slot weight by group, with its subgroups.

    ``scenario`` says who asks for how much.
    """

    scenario: str
    demand: Mapping[str, float]
    before: Mapping[str, float]
    after: Mapping[str, float]


@dataclass(frozen=True)
class BrokenMin:
    """A group that stays ``lack`` below its min, while ``other`` is matched beyond its own.

    ``taker`` is the group at or below ``other`` that is matched furthest beyond its min.
    """

    scenario: str
    group: str
    lack: float
    other: str
    beyond: float
    taker: str

    @property
    def sentence(self) -> str:
        """What happens, with the numbers."""
        return (
            f"{self.scenario}: {self.group} would stay {self.lack:g} below its min, while "
            f"{self.other} is matched {self.beyond:g} beyond its own"
        )


def forecast(
    file: QuotaKnobs,
    pool_weight: float,
    own_demand: Mapping[str, float],
    own_usage: Mapping[str, float],
    scenario: str = "",
    settings: Settings = _SETTINGS,
) -> CycleForecast:
    """Return the outcome of one cycle.

    ``own_demand`` has by group what its own jobs ask for, running ones included; ``own_usage``
    what they use, with usage outside of the groups under any other name.
    """
    tree = _tree_of(file)
    # A group that HTCondor would not know has no turn.
    names = [group.name for group in tree.groups]
    names += [each.group for each in file.groups]
    used = {name: own_usage.get(name, 0.0) for name in names}
    demand = {name: max(used[name], own_demand.get(name, 0.0)) for name in used}
    free = max(0.0, pool_weight - sum(own_usage.values()))
    before = dict(used)

    def take_turn(group: str, limit: int) -> Turn:
        nonlocal free
        matched = max(0.0, min(free, limit - used[group], demand[group] - used[group]))
        free -= matched
        used[group] += matched
        return Turn({group: used[group]}, through=used[group] >= demand[group] - _SLACK)

    asking = [name for name in used if demand[name] > used[name]]
    compute_quotas(Inputs(tree, pool_weight, demand, before, asking, settings), take_turn)
    return CycleForecast(
        scenario, _with_below(tree, demand), _with_below(tree, before), _with_below(tree, used)
    )


def allocated_to(
    file: QuotaKnobs,
    pool_weight: float,
    own_demand: Mapping[str, float],
    own_usage: Mapping[str, float],
    settings: Settings = _SETTINGS,
) -> dict[str, float]:
    """Return what HTCondor allocates to each group's own jobs in the first round of a cycle."""
    tree = _tree_of(file)
    asking = [name for name, demand in own_demand.items() if demand > own_usage.get(name, 0.0)]
    cycle = compute_quotas(Inputs(tree, pool_weight, own_demand, own_usage, asking, settings))
    if not cycle.rounds:
        return {}
    return {each.name: each.allocated for each in cycle.rounds[0].groups}


@functools.lru_cache(maxsize=8)
def _tree_of(file: QuotaKnobs) -> GroupTree:
    return build_tree(dict(file.knobs()))[0]


def _with_below(tree: GroupTree, own: Mapping[str, float]) -> dict[str, float]:
    """Return the sums of each group and those below it."""
    sums = dict(own)
    for group in reversed(tree.groups):
        if group.parent is not None:
            sums[group.parent] += sums[group.name]
    return sums


def broken_mins(seen: CycleForecast, targets: Sequence[QuotaTarget]) -> Iterator[BrokenMin]:
    """Yield, for each group that stays below its min, the sibling that is matched furthest beyond.

    A limit is truncated to a whole number: a group with subgroups may lack less than 1 for each.
    """
    demand = _satisfiable(seen, targets)
    beyond: dict[str, dict[str, float]] = {}
    cut: dict[str, float] = {}
    own_loans = _own_loans(seen, targets)
    for each in reversed(targets):
        more = seen.after[each.group] - max(each.least, seen.before[each.group])
        if not each.leaf and each.group in beyond:
            # What a subgroup takes of its own min is no loan.
            loans = sum(max(0.0, one) for one in beyond[each.group].values())
            more = min(more, loans + max(0.0, own_loans[each.group]))
        beyond.setdefault(each.parent, {})[each.group] = more
        own = cut.get(each.group, 0.0)
        if each.leaf and (each.parent or not each.quota.is_integer()):
            own = _TRUNCATED
        cut[each.parent] = cut.get(each.parent, 0.0) + own
        if each.leaf and each.quota.is_integer():
            own = 0.0
        cut[each.group] = own
    for each in targets:
        lack = min(each.least, demand[each.group]) - seen.after[each.group]
        others = {name: more for name, more in beyond[each.parent].items() if name != each.group}
        worst = max(others, key=lambda name: others[name], default="")
        if worst and lack > cut[each.group] + _SLACK and others[worst] > _SLACK:
            taker = worst
            while taker in beyond:
                below = max(beyond[taker], key=beyond[taker].__getitem__)
                if own_loans[taker] > beyond[taker][below]:
                    break
                taker = below
            yield BrokenMin(seen.scenario, each.group, lack, worst, others[worst], taker)


def _own_loans(seen: CycleForecast, targets: Sequence[QuotaTarget]) -> dict[str, float]:
    """Return how far the own jobs of each group are matched beyond what its subgroups leave."""
    # What the groups right below each group have together: min, usage before and after.
    below: dict[str, tuple[float, float, float]] = {}
    loans = {}
    for each in reversed(targets):
        name = each.group
        least, before, after = below.get(name, (0.0, 0.0, 0.0))
        own = max(0.0, each.least - least, seen.before[name] - before)
        loans[name] = seen.after[name] - after - own
        least, before, after = below.get(each.parent, (0.0, 0.0, 0.0))
        below[each.parent] = (
            least + each.least, before + seen.before[name], after + seen.after[name],
        )  # fmt: skip
    return loans


def _satisfiable(seen: CycleForecast, targets: Sequence[QuotaTarget]) -> dict[str, float]:
    """Return the demand of each group, that of each subgroup up to what its max lets it have.

    What a subgroup does not lend, others below the same group cannot have either.
    """
    below: dict[str, float] = {}
    found = {}
    for each in reversed(targets):
        wanted = seen.demand[each.group]
        if not each.leaf:
            wanted = below.get(each.group, 0.0)
        found[each.group] = wanted
        if each.most is not None:
            wanted = min(wanted, each.most)
        if each.held in (MAX, UNLENT):
            wanted = min(wanted, each.quota)
        below[each.parent] = below.get(each.parent, 0.0) + wanted
    return found


@dataclass(frozen=True)
class Demands:
    """What forecasts start from: the pool's weight, and each group's own demand and usage.

    ``usage`` also has what is used outside of the groups. The negotiator charges jobs without a
    group to the root: their usage has the root's name. That of claims without a submitter has a
    name that no group has.
    ``settings`` are the negotiator's.
    """

    pool_weight: float
    demand: Mapping[str, float]
    usage: Mapping[str, float]
    settings: Settings = _SETTINGS

    @property
    def free(self) -> float:
        """What nobody uses, in slot weight."""
        return max(0.0, self.pool_weight - sum(self.usage.values()))

    @functools.cached_property
    def with_below(self) -> Mapping[str, float]:
        """The usage of each group, that of the groups below it included."""
        return _added_up(self.usage)


def _added_up(own: Mapping[str, float]) -> dict[str, float]:
    sums: dict[str, float] = {}
    for name, weight in own.items():
        place = name
        while place:
            sums[place] = sums.get(place, 0.0) + weight
            place = place.rpartition(".")[0]
    return sums


def demands_of(observation: ElasticObservation) -> Demands:
    """Return what an observation shows: usage of the claims, and that of idle jobs besides."""
    usage = {
        name: used for name, used in observation.weights.items() if name not in (SYSTEM, DEFAULT)
    }
    for claim in observation.claims:
        if claim.group in (SYSTEM, DEFAULT):
            weight = claim.amounts.get(WEIGHT, 0) / PARTS
            _add(usage, claim.group, weight)
    demand = dict(usage)
    for each in observation.idle:
        _add(demand, each.group, each.count * each.amounts.get(WEIGHT, 0) / PARTS)
    # The file turns oversubscription off. Nothing is preempted, and in any order mins are kept.
    settings = replace(
        observation.settings,
        oversubscription=_SETTINGS.oversubscription,
        consider_preemption=_SETTINGS.consider_preemption,
        sort_expr=_SETTINGS.sort_expr,
    )
    return Demands(observation.pool_weight, demand, usage, settings)


def _add(sums: dict[str, float], group: str, weight: float) -> None:
    """Add ``weight`` to that of the group that the negotiator charges."""
    name = ROOT if group == DEFAULT else group
    sums[name] = sums.get(name, 0.0) + weight


def forecasts(
    file: QuotaKnobs, targets: Sequence[QuotaTarget], found: Demands
) -> Iterator[CycleForecast]:
    """Yield the cycles in which a step is tried before it is written."""
    pool, settings = found.pool_weight, found.settings
    # A group that has others below it may have jobs of its own.
    leaves = [each.group for each in targets if each.leaf or found.demand.get(each.group)]
    left = {part: returned(targets, found.usage, share) for part, share in _ENDING.items()}
    yield forecast(file, pool, found.demand, found.usage, "with the present demand", settings)
    tried = max(1, _TURNS // (len(_ENDING) * max(1, len(leaves))))
    for who, comers in itertools.islice(_comers(leaves), tried):
        demand = {**found.usage, **dict.fromkeys(comers, pool)}
        for part, usage in left.items():
            scenario = f"{who} come and {part} of what is borrowed ends"
            yield forecast(file, pool, demand, usage, scenario, settings)


def _comers(leaves: Sequence[str]) -> Iterator[tuple[str, Iterable[str]]]:
    """Yield who comes: all, all but one, two of them."""
    yield "all", leaves
    for one in leaves:
        yield f"all but {one}", [each for each in leaves if each != one]
    for one, other in itertools.combinations(leaves, 2):
        yield f"{one} and {other}", (one, other)


def returned(
    targets: Sequence[QuotaTarget], usage: Mapping[str, float], share: float
) -> dict[str, float]:
    """Return the usage after that share of what is borrowed has ended.

    What is within a group's own min, or within that of a group above it, is not borrowed.
    """
    lines = lines_of(targets)
    beyond = {each.group: -each.least for each in targets}
    for name, used in usage.items():
        for place in lines.get(name, ()):
            beyond[place] += used
    left = dict(usage)
    for each in targets:
        if each.leaf and each.group in usage:
            line = lines[each.group]
            ended = math.ceil(share * max(0.0, min(beyond[place] for place in line)))
            left[each.group] -= ended
            for place in line:
                beyond[place] -= ended
    return left


def lines_of(targets: Sequence[QuotaTarget]) -> dict[str, tuple[str, ...]]:
    """Return by group its name and those of the groups above it."""
    lines: dict[str, tuple[str, ...]] = {}
    for each in targets:
        lines[each.group] = (each.group, *lines.get(each.parent, ()))
    return lines


def broken_by(
    file: QuotaKnobs, targets: Sequence[QuotaTarget], found: Demands
) -> tuple[BrokenMin, ...]:
    """Return every min that the quotas break in a cycle in which they are tried."""
    broken: list[BrokenMin] = []
    for seen in forecasts(file, targets, found):
        broken += broken_mins(seen, targets)
    return tuple(broken)
