"""A pool whose slots weigh otherwise, and whose groups have quotas of the same share.

What follows from that.

Follows the negotiator of HTCondor 25.14 as htcq.poolquota.pool_quotas does. That schedds go on
reporting what runs in the unit in which it was claimed was measured on 25.14.1 (schedd.cpp keeps
the ad of a claim's slot until the claim ends).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from htcq.claims.costs import weight_shares
from htcq.errors import InputError
from htcq.htcondor.releases import USAGE_OF_ADS
from htcq.pool.configuration import Configuration, Knob
from htcq.pool.daemons import SCHEDD
from htcq.pool.demand import OWN_KNOB, ScheddWeight
from htcq.pool.pool import Pool
from htcq.pool.record import ACCOUNTING, SUBMITTER
from htcq.pool.slot import DYNAMIC, PARTITIONABLE, Slot
from htcq.pool.slot_class import SlotClass
from htcq.pool.versions import version, version_text
from htcq.pool.weights import Weights
from htcq.poolquota.pool_quotas import PoolQuotas
from htcq.quota.settings import GREATEST_RATE
from htcq.simulate.captured_nodes import divisible
from htcq.simulate.migration.groups import Moment, group_moves
from htcq.simulate.migration.quotas import scaled_quotas
from htcq.simulate.migration.records import Amount, Migration
from htcq.simulate.migration.submitters import submitter_moves
from htcq.simulate.models import MachineModel, with_models
from htcq.simulate.slots import Slots

_RATE = "GROUP_QUOTA_ROUND_ROBIN_RATE"


def migration_of(pool: Pool, model: MachineModel) -> Migration:
    """Return what becomes of ``pool`` when all its machines that can have ``model``.

    Raises:
        InputError: the model fits none of them, or the pool weighs nothing.
    """
    before = PoolQuotas(pool, Weights(), pool.negotiator)
    changed = with_models(pool, [model])
    weights, empty = _expressions(changed), _empty_weights(pool, changed)
    factor = empty.after / empty.before
    after_pool = with_scaled_quotas(pool, changed)
    after = PoolQuotas(after_pool, Weights(), pool.negotiator)
    reweighs = _reweighs(pool)
    at_switch = PoolQuotas(_right_after(after_pool, pool, reweighs), Weights(), pool.negotiator)
    return Migration(
        source=pool.source,
        taken=pool.taken_at,
        version=_version(pool),
        pool_weight=Amount(float(before.supply.pool_weight), float(after.supply.pool_weight)),
        empty_weight=empty,
        weights=before.supply.expressions,
        new_weights=weights,
        schedd_weights=tuple(dict.fromkeys(_schedd_weights(pool))),
        new_schedd_weight=next(iter(_schedd_weights(changed)), "") if changed.access else "",
        nodes=_nodes(pool, changed),
        plain_nodes=_plain(pool, changed),
        slot_types=_slot_types(model),
        reweighs=reweighs,
        preemption=before.settings.consider_preemption,
        groups=group_moves(
            Moment(before, _without_claims(pool)),
            Moment(after, _without_claims(after_pool)),
            at_switch,
        ),
        submitters=submitter_moves(before, after, factor),
        round_robin_rate=_rate(before, factor),
        halflife_seconds=before.halflife,
        stay=(*changed.damage[len(pool.damage) :], *_indivisible(pool)),
        missing=tuple(_missing(pool, before)),
    )


def with_scaled_quotas(pool: Pool, changed: Pool) -> Pool:
    """Return ``changed`` (``pool`` with other weights) with quotas of the same share.

    Raises:
        InputError: one of the two weighs nothing.
    """
    empty = _empty_weights(pool, changed)
    before = PoolQuotas(pool, Weights(), pool.negotiator)
    return _central(changed, _new_knobs(before, empty.after / empty.before))


def _expressions(pool: Pool) -> tuple[str, ...]:
    """Return the SlotWeight expressions of the slots themselves, that of most weight first."""
    return tuple(share.expression for share in weight_shares(pool.slots or (), Weights()))


def _empty_weights(pool: Pool, changed: Pool) -> Amount:
    """Return what the pool weighs without claims, before and after."""
    quotas = _without_claims(pool), _without_claims(_central(changed, {}))
    empty = Amount(*(float(each.supply.pool_weight) for each in quotas))
    if min(empty.before, empty.after) <= 0:
        raise InputError(
            f"{pool.source} weighs nothing: no quota is a share of it",
            "htcq cost shows what its slots weigh",
        )
    return empty


def emptied(slots: Iterable[Slot]) -> tuple[Slot, ...]:
    """Return the slots as they are when nothing is claimed.

    Partitionable ones with all that they had at birth.
    """
    make, found = Slots(), []
    for slot in slots:
        if slot.type == DYNAMIC:
            continue
        if slot.type == PARTITIONABLE:
            slot = make.left(slot, slot.whole())._replace(dynamic_slots=0)
        found.append(make.unclaimed(slot))
    return tuple(found)


def _without_claims(pool: Pool) -> PoolQuotas:
    """Return what the negotiator would make of the groups if nothing were claimed."""
    empty = replace(pool, slots=emptied(pool.slots or ()))
    return PoolQuotas(empty, Weights(), pool.negotiator)


def _new_knobs(before: PoolQuotas, factor: float) -> dict[str, str]:
    """Return the knobs of the central manager that are amounts of slot weight, in the new unit."""
    knobs = {
        f"GROUP_QUOTA_{name}": f"{quota:.0f}"
        for name, quota in scaled_quotas(before.tree, factor).items()
    }
    rate = _rate(before, factor)
    if rate is not None:
        knobs[_RATE] = f"{rate.after:g}"
    return knobs


def _rate(before: PoolQuotas, factor: float) -> Amount | None:
    """Return the round-robin rate, with three digits in the new unit.

    It is None where it is without bounds.
    """
    rate = before.settings.round_robin_rate
    return None if rate >= GREATEST_RATE else Amount(rate, max(1.0, float(f"{rate * factor:.3g}")))


def _central(pool: Pool, knobs: Mapping[str, str]) -> Pool:
    """Return ``pool`` with ``knobs`` in its central manager and the weight of its slots.

    A weight that the central manager forces on all slots is a part of what changes.
    """
    own, weights = pool.central, _expressions(pool)
    if own is None:
        return pool
    weight = {"SLOT_WEIGHT": weights[0]} if len(weights) == 1 else {}
    return replace(pool, central=_with_knobs(own, {**knobs, **weight}))


def _with_knobs(own: Configuration, knobs: Mapping[str, str]) -> Configuration:
    return own.with_knobs({name: Knob(name, text, text) for name, text in knobs.items()})


def _reweighs(pool: Pool) -> bool:
    """Return whether the negotiator weighs running claims anew in each cycle; the newest does."""
    found = [version(record.value("CondorVersion")) for record in pool.negotiators]
    return all(map(USAGE_OF_ADS.holds, found))


def _right_after(pool: Pool, before: Pool, reweighs: bool) -> Pool:
    """Return ``pool`` with running jobs as schedds report them and claims as first charged."""
    if not reweighs and before.accounting:
        pool = replace(pool, records={**(pool.records or {}), ACCOUNTING: before.accounting})
        pool = replace(pool, priorities=before.priorities)
    running = [record.value("WeightedRunningJobs") for record in before.submitters]
    records = tuple(
        replace(record, values={**record.values, "weightedrunningjobs": value})
        for record, value in zip(pool.submitters, running)
    )
    return (
        replace(pool, records={**(pool.records or {}), SUBMITTER: records})
        if pool.records is not None
        else pool
    )


def _schedd_weights(pool: Pool) -> Iterable[str]:
    """Yield by which expressions access points weigh idle jobs.

    The pool's own where they are not known.
    """
    configurations = list(pool.access.values()) or (
        [pool.central.of(SCHEDD)] if pool.central is not None else []
    )
    for configuration in configurations:
        weight = ScheddWeight(configuration)
        yield weight.text(OWN_KNOB) or weight.expression


def _nodes(before: Pool, after: Pool) -> tuple[str, ...]:
    """Return the machines of which a slot has another ad in ``after``."""
    pairs = zip(before.slots or (), after.slots or ())
    return tuple(sorted({str(one.machine) for one, other in pairs if one.frame is not other.frame}))


def _slot_types(model: MachineModel) -> tuple[int, ...]:
    """Return the numbers of the slot types whose weights are set one by one.

    There is none where a node is one slot.
    """
    layouts = [model.types, *(kind.types for kind in model.kinds)]
    numbers = {slot_type.number for types in layouts if len(types) > 1 for slot_type in types}
    return tuple(sorted(numbers))


def _plain(before: Pool, after: Pool) -> tuple[str, ...]:
    """Return those of them that have a partitionable slot without a consumption policy."""
    pairs = zip(before.slots or (), after.slots or ())
    changed = [
        one for one, other in pairs if one.frame is not other.frame and one.type == PARTITIONABLE
    ]
    return tuple(
        sorted({str(slot.machine) for slot in changed if not SlotClass((slot,)).supports_policy})
    )


def _version(pool: Pool) -> str:
    """Return the version of the negotiator; empty where it is not known."""
    found = [version_text(record.value("CondorVersion")) for record in pool.negotiators]
    return next((text for text in found if text), "")


def _indivisible(pool: Pool) -> Iterable[str]:
    """Say which machines no model is for."""
    all_of = dict.fromkeys(str(slot.machine) for slot in pool.slots or ())
    divided = {str(slot.machine) for slot in pool.slots or () if divisible(slot)}
    left = sorted(name for name in all_of if name not in divided)
    if left:
        others = f" and {len(left) - 1} more machines" if len(left) > 1 else ""
        yield f"{left[0]}{others}: no partitionable slot, so that a model changes nothing there"


def _missing(pool: Pool, before: PoolQuotas) -> Iterable[str]:
    if not before.settings.use_slot_weights:
        yield "slot weights are off (NEGOTIATOR_USE_SLOT_WEIGHTS = False): nothing weighs anew"
    if pool.central is None:
        yield (
            "no configuration of the central manager: groups, quotas and the round-robin rate "
            "are not known"
        )
    if pool.jobs is None:
        yield "no jobs: idle jobs are not weighed anew, and nobody's cheapest match is known"
    if not pool.accounting and not pool.priorities:
        yield (
            "no accounting ads: ceilings, floors and priorities are not known, and usage is that "
            "of the claimed slots"
        )
    if pool.records is None or not pool.submitters:
        yield "no submitter ads: what groups want, and whether one starves, is not known"
