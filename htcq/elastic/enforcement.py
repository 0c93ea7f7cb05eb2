"""How far HTCondor's quotas enforce a limit in each dimension.

HTCondor's quotas have one dimension, slot weight (src/condor_negotiator.V6/matchmaker.cpp and
Accountant.cpp, 25.14). What that says of another follows from the weights of all claims that the
pool's slots could make: they are tried out, with the slots' own expressions.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from htcq.claims.startds import StartdTable, carve
from htcq.elastic.charging import Charging, whole
from htcq.elastic.concurrency_limits import GroupLimits, limits_on
from htcq.elastic.models import Models
from htcq.elastic.quota_target import QuotaTarget
from htcq.elastic.records import PARTS, WEIGHT, ElasticObservation
from htcq.htcondor.releases import EVALUATED_LIMITS
from htcq.pool.autocluster import made_up
from htcq.pool.daemons import SCHEDD
from htcq.pool.pool import Pool
from htcq.pool.slot import DYNAMIC, PARTITIONABLE, Number
from htcq.pool.slot_class import SlotClass, slot_classes
from htcq.pool.versions import version
from htcq.pool.weights import Weights
from htcq.poolquota.pool_quotas import PoolQuotas
from htcq.quota.elastic.declaration import ElasticQuotas
from htcq.quota.elastic.group_runtime import ElasticOutcome, GroupRuntime
from htcq.quota.elastic.kinds import MARK
from htcq.units import BUILT_IN_ASSETS

#: Ratios that differ by less than this part are equal.
_CLOSE = 1e-9
_LEFTOVERS = "CLAIM_PARTITIONABLE_LEFTOVERS"


class How(enum.Enum):
    """How far HTCondor enforces a limit."""

    ENFORCED = "enforced"
    APPROXIMATED = "approximated"
    REPORTED = "reported"


@dataclass(frozen=True)
class Enforcement:
    """How HTCondor enforces one dimension, and the reason as a sentence."""

    dimension: str
    how: How
    why: str


@dataclass(frozen=True)
class _Tried:
    """The most and the least of a dimension that claims hold for a weight of 1 part.

    ``moves``: the weight of some claim depends on the dimension.
    """

    most: float
    least: float
    moves: bool


def enforcement(
    pool: Pool,
    quotas: ElasticQuotas,
    observation: ElasticObservation,
    outcome: ElasticOutcome,
    targets: Iterable[QuotaTarget],
) -> tuple[Enforcement, ...]:
    """Return how HTCondor would enforce each dimension of ``quotas``.

    ``targets`` would be its quotas.
    """
    condor = PoolQuotas(pool, Weights(), observation.negotiator)
    ordered = sorted(condor.supply.slots, key=lambda slot: str(slot.name))
    names = sorted({name for group in quotas.groups for name in group.max})
    kinds = slot_classes(slot for slot in ordered if slot.type != DYNAMIC)
    models = Models(names, ordered)
    charging = Charging(kinds, models, condor.supply, StartdTable(pool.execute))
    limits = limits_on(pool, condor.knobs, quotas.groups, names, kinds, models)
    planned = {target.group: target for target in targets}
    inputs = _Inputs(charging, kinds, observation, outcome, planned, limits)
    found = [_of(name, inputs) for name in names]
    if not _takes_leftovers(pool, condor, kinds):
        return tuple(_with_surplus(each, inputs) for each in found)
    # The rest of a slot goes only to jobs without concurrency limits (schedd.cpp, qmgmt.cpp).
    evaluated = all(
        EVALUATED_LIMITS.holds(version(schedd.value("CondorVersion"))) for schedd in pool.schedds
    )
    capped = {
        name for name, held in limits.items() if held.within_max and (held.literal or evaluated)
    }
    left = (each if each.dimension in capped else _with_leftovers(each) for each in found)
    return tuple(_with_surplus(each, inputs) for each in left)


def _takes_leftovers(pool: Pool, condor: PoolQuotas, kinds: Sequence[SlotClass]) -> bool:
    """Return whether access points fill a matched slot by themselves, beyond the group's quota.

    So 12 cpus were used of a quota of 9, with slots of 4 (seen on 25.14.1).
    """
    if not any(kind.type == PARTITIONABLE and not kind.supports_policy for kind in kinds):
        return False
    access = list(pool.access.values())
    if not access and pool.central is not None:
        access = [pool.central.of(SCHEDD)]
    return not access or any(each.truth(_LEFTOVERS, True) for each in access)


def _with_surplus(found: Enforcement, inputs: _Inputs) -> Enforcement:
    """Return what is left of the enforcement of a dimension where a group may pass its max."""
    limited = inputs.limits.get(found.dimension)
    if found.how is not How.ENFORCED or (limited is not None and limited.within_max):
        return found
    for group in inputs.outcome.groups:
        target = inputs.targets.get(group.name)
        cap = group.declared_max.get(found.dimension)
        if target is None or cap is None or not target.accept_surplus:
            continue
        if cap < inputs.outcome.total.get(found.dimension, 0):
            why = (
                f"{found.why}, but {group.name} accepts surplus until it has its max: it may pass "
                "it by what is free in one cycle"
            )
            return replace(found, how=How.APPROXIMATED, why=why)
    return found


def _with_leftovers(found: Enforcement) -> Enforcement:
    """Return what is left of the enforcement of a dimension where a match can be several claims."""
    if found.how is not How.ENFORCED:
        return found
    why = (
        f"{found.why}, but access points use the rest of a matched slot beyond the quota "
        f"({_LEFTOVERS})"
    )
    return replace(found, how=How.APPROXIMATED, why=why)


@dataclass(frozen=True)
class _Inputs:
    charging: Charging
    kinds: Sequence[SlotClass]
    observation: ElasticObservation
    outcome: ElasticOutcome
    targets: Mapping[str, QuotaTarget]
    limits: Mapping[str, GroupLimits]

    def kinds_for(self, name: str) -> Iterator[SlotClass]:
        """Yield the slot classes; one for each slot variant where models of GPUs matter."""
        if MARK not in name:
            yield from self.kinds
        else:
            for kind in self.kinds:
                for slot in kind.variants:
                    yield SlotClass((slot,))

    def held(self, name: str) -> Iterator[tuple[GroupRuntime, QuotaTarget]]:
        """Yield the leaves that are held to their quotas, and may use some of ``name``."""
        for group in self.outcome.groups:
            target = self.targets.get(group.name)
            if target is None or not target.leaf or target.accept_surplus:
                continue
            if name in group.max:
                yield group, target


def _of(name: str, inputs: _Inputs) -> Enforcement:
    if name == WEIGHT:
        return Enforcement(name, How.ENFORCED, "HTCondor's quotas count it")
    if not inputs.observation.capacity.get(name):
        return Enforcement(name, How.REPORTED, "no slot of this negotiator has it")
    held = inputs.limits.get(name)
    if held is not None and held.within_max:
        why = f"{_limited_by(held)}; none is above the group's max"
        return Enforcement(name, How.ENFORCED, why)
    tried = _tried(name, inputs)
    if tried.most and math.isclose(tried.most, tried.least, rel_tol=_CLOSE):
        units = f"{PARTS * tried.most:g}".rstrip()
        return Enforcement(
            name, How.ENFORCED, f"every claim has {units} of it per slot weight of 1"
        )
    fits = []
    for group, target in inputs.held(name):
        runtime = group.runtime[name]
        if runtime > 0:
            fits.append(_most(target, tried) <= runtime)
    if fits and all(fits):
        return Enforcement(
            name, How.ENFORCED, "no claims within the planned quotas could hold more of it"
        )
    return _nearly(name, tried, inputs)


def _limited_by(held: GroupLimits) -> str:
    return (
        "every job that requests it also takes as much of a concurrency limit of its group: "
        f"{', '.join(held.limits)}"
    )


def _most(target: QuotaTarget, tried: _Tried) -> float:
    """Return the most that claims within the quota of ``target`` can hold."""
    if target.quota == 0:
        return 0.0
    return target.quota * PARTS * tried.most * (1 - _CLOSE)


def _nearly(name: str, tried: _Tried, inputs: _Inputs) -> Enforcement:
    held = inputs.limits.get(name)
    if held is not None:
        return Enforcement(name, How.APPROXIMATED, _limited_by(held))
    if tried.moves:
        why = (
            "the slot weight of a claim depends on it and on other dimensions: a quota limits it "
            "for the current mix of jobs"
        )
        return Enforcement(name, How.APPROXIMATED, why)
    bound = [
        target.group for target in inputs.targets.values() if target.leaf and target.binding == name
    ]
    if bound:
        why = (
            "slot weight does not depend on it, but it determines the quota of "
            f"{', '.join(bound)}: correct for the current mix of jobs"
        )
        return Enforcement(name, How.APPROXIMATED, why)
    return Enforcement(
        name, How.REPORTED, "slot weight does not depend on it, and it determines no quota"
    )


def _tried(name: str, inputs: _Inputs) -> _Tried:
    """Try claims with different amounts of ``name``, with little and with much of the rest."""
    ratios: list[float] = []
    moves = False
    asset = name.partition(MARK)[0]
    for kind in inputs.kinds_for(name):
        total = kind.total.get(asset) or 0
        if not total or not inputs.charging.has(kind, name):
            # Claims without any of it take quota, and none of the dimension.
            ratios.append(0.0)
        elif kind.type != PARTITIONABLE:
            weight = float(inputs.charging.weight(kind, kind.total)) * PARTS
            ratios.append(float(total) / (weight or math.inf))
        else:
            for others in _others(kind, asset):
                asked = [{**others, asset: amount} for amount in _amounts(asset, total)]
                of_claims, weight_moves = _ratios(kind, asset, asked, inputs.charging)
                ratios += of_claims
                moves = moves or weight_moves
    return _Tried(max(ratios, default=0.0), min(ratios, default=0.0), moves)


def _ratios(
    kind: SlotClass, asset: str, asked: Iterable[Mapping[str, Number]], charging: Charging
) -> tuple[list[float], bool]:
    """Return the ratio of amount and weight of each claim, and whether the weights differ."""
    ratios = []
    weights = set()
    for amounts in asked:
        claim = _claim(kind, amounts, charging.startds)
        weight = float(charging.weight(kind, claim)) * PARTS
        held = float(whole(claim).get(asset, 0))
        weights.add(weight)
        if weight > 0:
            ratios.append(held / weight)
        elif held or weight:
            ratios.append(math.inf)
    return ratios, len(weights) > 1


def _amounts(asset: str, total: Number) -> tuple[Number, ...]:
    """Return small, medium and large amounts; jobs always ask for some of a built-in asset."""
    least: tuple[Number, ...] = (0, 1)
    if asset in BUILT_IN_ASSETS:
        least = (1,)
    return (*least, max(1, int(total) // 2), int(total))


def _others(kind: SlotClass, asset: str) -> Iterator[dict[str, Number]]:
    rest = [each for each in kind.total if each != asset]
    yield {each: int(each in BUILT_IN_ASSETS) for each in rest}
    yield {each: kind.total[each] for each in rest}


def _claim(
    kind: SlotClass, amounts: Mapping[str, Number], startds: StartdTable
) -> dict[str, Number]:
    """Return the amounts of a claim that asks for ``amounts`` on a slot of ``kind``."""
    job = made_up("tried", amounts)
    return dict(carve(kind, job, startds.of(kind.first)).got) or dict(amounts)
