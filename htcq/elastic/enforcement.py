"""Whether HTCondor holds groups to what they may use of a dimension, comes near to it, or knows nothing of it.

HTCondor's quotas have one dimension, slot weight (src/condor_negotiator.V6/matchmaker.cpp and
Accountant.cpp, 25.14). What that says of another follows from the weights of all claims that the
pool's slots could make: they are tried out, with the slots' own expressions.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from htcq.elastic.charging import Charging, whole
from htcq.elastic.concurrency_limits import limits_on
from htcq.elastic.group_membership import GroupMembership
from htcq.elastic.models import Models
from htcq.elastic.quota_target import QuotaTarget
from htcq.elastic.records import PARTS, WEIGHT, ElasticObservation
from htcq.pool.autocluster import made_up
from htcq.pool.pool import Pool
from htcq.pool.slot import DYNAMIC, PARTITIONABLE, Number
from htcq.pool.slot_class import SlotClass, slot_classes
from htcq.pool.startds import StartdTable, carve
from htcq.pool.weights import Weights
from htcq.poolquota.pool_quotas import PoolQuotas
from htcq.quota.elastic.declaration import ElasticQuotas
from htcq.quota.elastic.group_runtime import GroupRuntime, Outcome
from htcq.quota.elastic.kinds import MARK
from htcq.units import BUILT_IN_ASSETS

#: Ratios that differ by less than this part are equal.
_CLOSE = 1e-9


class How(enum.Enum):
    """How far HTCondor goes."""

    ENFORCED = "enforced"
    APPROXIMATED = "approximated"
    REPORTED = "reported"


@dataclass(frozen=True)
class Enforcement:
    """How HTCondor deals with one dimension, and why, in one sentence."""

    dimension: str
    how: How
    why: str


@dataclass(frozen=True)
class _Tried:
    """What claims of the pool hold of a dimension: the most and the least for a weight of 1 part.

    ``moves`` tells whether the weight of any of them depends on it.
    """

    most: float
    least: float
    moves: bool


def enforcement(
    pool: Pool,
    quotas: ElasticQuotas,
    observation: ElasticObservation,
    outcome: Outcome,
    targets: Iterable[QuotaTarget],
) -> tuple[Enforcement, ...]:
    """Return how HTCondor would deal with every dimension that ``quotas`` name, were ``targets`` its quotas."""
    condor = PoolQuotas(pool, Weights(), observation.negotiator)
    ordered = sorted(condor.supply.slots, key=lambda slot: str(slot.name))
    names = sorted({name for group in quotas.groups for name in group.max})
    kinds = slot_classes(slot for slot in ordered if slot.type != DYNAMIC)
    charging = Charging(kinds, Models(names, ordered), condor.supply, StartdTable(pool.execute))
    limits = limits_on(pool, condor.knobs, GroupMembership(quotas.groups), names)
    planned = {target.group: target for target in targets}
    return tuple(
        _of(name, _Look(charging, kinds, observation, outcome, planned, limits)) for name in names
    )


@dataclass(frozen=True)
class _Look:
    charging: Charging
    kinds: Sequence[SlotClass]
    observation: ElasticObservation
    outcome: Outcome
    targets: Mapping[str, QuotaTarget]
    limits: Mapping[str, tuple[str, ...]]

    def kinds_for(self, name: str) -> Iterator[SlotClass]:
        """Yield the kinds of slots; where models of GPUs matter, those of one kind that differ by themselves."""
        if MARK not in name:
            yield from self.kinds
        else:
            yield from (SlotClass((slot,)) for kind in self.kinds for slot in kind.variants)

    def held(self, name: str) -> Iterator[tuple[GroupRuntime, QuotaTarget]]:
        """Yield the leaves that are held to their quotas, and may use some of ``name``."""
        for group in self.outcome.groups:
            target = self.targets.get(group.name)
            if (
                target is not None
                and target.leaf
                and not target.accept_surplus
                and name in group.max
            ):
                yield group, target


def _of(name: str, look: _Look) -> Enforcement:
    if name == WEIGHT:
        return Enforcement(name, How.ENFORCED, "HTCondor's quotas count it")
    if not look.observation.capacity.get(name):
        return Enforcement(name, How.REPORTED, "no slot of this negotiator has it")
    tried = _tried(name, look)
    if tried.most and math.isclose(tried.most, tried.least, rel_tol=_CLOSE):
        units = f"{PARTS * tried.most:g}".rstrip()
        return Enforcement(
            name, How.ENFORCED, f"every claim has {units} of it per slot weight of 1"
        )
    held = [(group, target) for group, target in look.held(name) if group.runtime[name] > 0]
    if held and all(_most(target, tried) <= group.runtime[name] for group, target in held):
        return Enforcement(
            name, How.ENFORCED, "no claims within the planned quotas could hold more of it"
        )
    return _nearly(name, tried, look)


def _most(target: QuotaTarget, tried: _Tried) -> float:
    return 0.0 if target.quota == 0 else target.quota * PARTS * tried.most * (1 - _CLOSE)


def _nearly(name: str, tried: _Tried, look: _Look) -> Enforcement:
    if look.limits.get(name):
        limits = ", ".join(look.limits[name])
        why = (
            "every job that requests it also takes as much of a concurrency limit of its group: "
            f"{limits}"
        )
        return Enforcement(name, How.APPROXIMATED, why)
    if tried.moves:
        why = (
            "the slot weight of a claim depends on it and on other dimensions: a quota limits it "
            "for the current mix "
            "of jobs"
        )
        return Enforcement(name, How.APPROXIMATED, why)
    bound = [
        target.group for target in look.targets.values() if target.leaf and target.binding == name
    ]
    if bound:
        why = (
            "slot weight does not depend on it, but it determines the quota of "
            f"{', '.join(bound)}: correct for the "
            "current mix of jobs"
        )
        return Enforcement(name, How.APPROXIMATED, why)
    return Enforcement(
        name, How.REPORTED, "slot weight does not depend on it, and it determines no quota"
    )


def _tried(name: str, look: _Look) -> _Tried:
    """Try claims that differ in how much they have of ``name``, with little and with much of everything else."""
    ratios: list[float] = []
    moves = False
    asset = name.partition(MARK)[0]
    for kind in look.kinds_for(name):
        total = (kind.total.get(asset) or 0) if look.charging.has(kind, name) else 0
        if not total:
            # Claims without any of it take quota, and none of the dimension.
            ratios.append(0.0)
            continue
        if kind.type != PARTITIONABLE:
            ratios.append(
                float(total) / (float(look.charging.weight(kind, kind.total)) * PARTS or math.inf)
            )
            continue
        for others in _others(kind, asset):
            asked = ({**others, asset: amount} for amount in _amounts(asset, total))
            claims = [_claim(kind, each, look.charging.startds) for each in asked]
            weights = [float(look.charging.weight(kind, claim)) * PARTS for claim in claims]
            moves = moves or len(set(weights)) > 1
            held = (float(whole(claim).get(asset, 0)) for claim in claims)
            ratios += [
                amount / weight if weight > 0 else math.inf
                for amount, weight in zip(held, weights)
                if amount or weight
            ]
    return _Tried(max(ratios, default=0.0), min(ratios, default=0.0), moves)


def _amounts(asset: str, total: Number) -> tuple[Number, ...]:
    """Return least, middling and most; jobs need not ask for what is no built-in asset."""
    least = (1,) if asset in BUILT_IN_ASSETS else (0, 1)
    return (*least, max(1, int(total) // 2), int(total))


def _others(kind: SlotClass, asset: str) -> Iterator[dict[str, Number]]:
    rest = [each for each in kind.total if each != asset]
    yield {each: 1 if each in BUILT_IN_ASSETS else 0 for each in rest}
    yield {each: kind.total[each] for each in rest}


def _claim(
    kind: SlotClass, amounts: Mapping[str, Number], startds: StartdTable
) -> dict[str, Number]:
    """Return what the claim of a job that asks for ``amounts`` gets of a slot of ``kind``."""
    job = made_up("tried", amounts)
    return dict(carve(kind, job, startds.of(kind.first), judged=False).got) or dict(amounts)
