"""Slots have weight left that no job can use: one of their assets is used up."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from htcq.audit.evidence import Evidence
from htcq.audit.facts import counted
from htcq.audit.linear import prices
from htcq.audit.policies import number, weight_fact
from htcq.audit.rule import Fact, Found, Input, Rule, Severity
from htcq.classads import Value, as_number
from htcq.policy.claim import accounted
from htcq.pool.slot import Number, Slot
from htcq.pool.slot_class import EXAMPLES, SlotClass
from htcq.units import BUILT_IN_ASSETS, CPUS, DISK, MEMORY

#: Less than this part of the pool's weight is left of any pool that is full.
_NOTEWORTHY = 0.05
#: What every claim takes, even one that asks for nothing (Resource.cpp:create_dslot, 25.14): a cpu
#: and a MB.
_MIN_REQUEST: Mapping[str, Number] = {CPUS: 1, MEMORY: 1}


@dataclass
class _Stranded:
    """The slots on which one asset is used up, and what they still weigh."""

    kind: SlotClass
    weight: Number = 0
    names: list[str] = field(default_factory=list)


def _find(evidence: Evidence) -> Iterator[Found]:
    supply = evidence.quotas.supply
    pool = supply.pool_weight
    # Without slot weights nothing is counted in them; a pool of no weight is another fault.
    if not supply.weighted or pool <= 0:
        return
    found: dict[str, _Stranded] = {}
    every = 0
    asked = _asked(evidence)
    for kind in evidence.partitionable:
        if prices(kind) is None:
            continue
        every += kind.count
        least = _least(evidence, kind, asked)
        for slot in kind.slots:
            asset = _used_up(slot, least)
            weight = accounted(evidence.weights.of(slot))
            if asset and weight > 0:
                one = found.setdefault(asset, _Stranded(kind))
                one.weight += weight
                one.names.append(str(slot.name))
    if sum(one.weight for one in found.values()) >= _NOTEWORTHY * pool:
        for asset, one in found.items():
            yield _found(asset, one, every, pool)


def _least(
    evidence: Evidence, kind: SlotClass, asked: Mapping[str, Number]
) -> Mapping[str, Number]:
    """Return the least that an idle job takes of cpus, memory and disk on a slot of ``kind``.

    ``asked`` is the least that any asks for: where there is no policy, jobs take no less.
    """
    if not kind.supports_policy:
        return asked
    own = [trial for trial in evidence.trials.own(kind) if trial.amounts]
    waiting = [trial for trial in own if any(jobs.idle for jobs in trial.alike)]
    return _lowest([trial.amounts for trial in waiting])


def _asked(evidence: Evidence) -> Mapping[str, Number]:
    return _lowest([jobs.request for jobs in evidence.autoclusters if jobs.idle])


def _lowest(claims: Sequence[Mapping[str, Number | None]]) -> dict[str, Number]:
    """Return the lowest amount that any of ``claims`` has of each built-in asset."""
    found: dict[str, Number] = {}
    for asset in BUILT_IN_ASSETS:
        lowest = min((claim.get(asset) or 0 for claim in claims), default=0)
        found[asset] = max(_MIN_REQUEST.get(asset, 0), lowest)
    return found


def _used_up(slot: Slot, least: Mapping[str, Number]) -> str:
    """Return the asset of which the slot has less left than any job takes.

    Empty where there is none.
    """
    left: Mapping[str, Value] = {CPUS: slot.cpus, MEMORY: slot.memory_mb, DISK: slot.disk_kb}
    for asset, amount in left.items():
        there = as_number(amount)
        if there is not None and there < least[asset]:
            return asset
    return ""


def _found(asset: str, one: _Stranded, every: int, pool: Number) -> Found:
    lacking = "too few free cores" if asset == CPUS else f"too little free {asset}"
    part, has = 100 * one.weight / pool, "has" if len(one.names) == 1 else "have"
    return Found(
        cause=asset,
        subject=f"slot {one.names[0]}",
        message=(
            f"{len(one.names)} of {counted(every, 'slot')} {has} {lacking} for any "
            f"idle job: weight {one.weight:.6g} ({part:.0f} % of the pool's {pool:.6g}) stays "
            "unused"
        ),
        facts=(
            weight_fact(one.kind),
            Fact("weight left", number(one.weight)),
            Fact("pool weight", number(pool)),
        ),
        count=len(one.names),
        examples=tuple(one.names[:EXAMPLES]),
    )


RULE = Rule(
    id="stranded-weight",
    severity=Severity.INFO,
    needs=(Input.SLOTS, Input.POOL),
    summary=(
        "Slots with a linear weight have weight left that no job can use, because an asset is "
        "used up"
    ),
    consequence=(
        "A linear weight counts every unit of every asset. If one asset is used up, the others "
        "stay free, and their weight is charged to nobody: no group uses more than its quota, "
        "but the sum of all usage stays below the pool's weight, and quotas that add up to the "
        "pool's weight cannot all be reached."
    ),
    advice=(
        "Nothing has to be fixed. If the same asset always runs out, increase its weight and "
        "lower the others ('htcq plan' shows what is left when the nodes are full), or choose "
        "quotas that add up to less than the pool."
    ),
    source=(
        "measured on 25.14.1: 103 of 368 left when all cpus were used, and 368 in sum as on the "
        "empty pool"
    ),
    find=_find,
)
