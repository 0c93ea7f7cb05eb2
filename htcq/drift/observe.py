"""The observation of a pool: declared, configured, published and computed quotas, and usage."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from htcq.claims.costs import weight_shares
from htcq.drift.observation import DriftObservation, GroupObservation, QuotaSetting, WeightUse
from htcq.pool.pool import Pool
from htcq.pool.record import Record
from htcq.pool.weights import Weights
from htcq.poolquota.pool_quotas import PoolQuotas
from htcq.poolquota.supply import OLD_POOLSIZE_CONSTRAINT, POOLSIZE_CONSTRAINT, SLOT_CONSTRAINT
from htcq.quota.condor import promised
from htcq.quota.cycle_quotas import GroupQuota
from htcq.quota.group_tree import Group, name_key
from htcq.quota.knobs import Knobs
from htcq.settings.groups import DeclaredGroup, GroupSettings

#: The knobs for all groups, as the negotiator reads them (GroupEntry.cpp and
#: matchmaker.cpp, 25.14).
SETTINGS = (
    "NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION",
    "NEGOTIATOR_STRICT_ENFORCE_QUOTA",
    "NEGOTIATOR_USE_SLOT_WEIGHTS",
    "NEGOTIATOR_CONSIDER_PREEMPTION",
    "GROUP_QUOTA_MAX_ALLOCATION_ROUNDS",
    "GROUP_QUOTA_ROUND_ROBIN_RATE",
    "GROUP_SORT_EXPR",
    "NEGOTIATOR_USE_WEIGHTED_DEMAND",
    "SLOT_WEIGHT",
    SLOT_CONSTRAINT,
    POOLSIZE_CONSTRAINT,
    OLD_POOLSIZE_CONSTRAINT,
)


def observe(quotas: PoolQuotas, pool: Pool, declared: GroupSettings, time: int) -> DriftObservation:
    """Return the observation at ``time`` (seconds since 1970) of the pool of ``quotas``."""
    pool_weight = quotas.published.pool_weight
    if pool_weight is None:
        pool_weight = float(quotas.supply.pool_weight)
    weights = [
        WeightUse(share.expression, share.slots, float(share.weight))
        for share in weight_shares(quotas.supply.slots, Weights())
    ]
    unit = "slots"
    if quotas.supply.weighted:
        unit = "slot weight"
    return DriftObservation(
        pool=pool.name,
        negotiator=quotas.published.negotiator or pool.negotiator,
        time=time,
        pool_weight=pool_weight,
        groups=tuple(_groups(quotas, declared)),
        weights=tuple(weights),
        settings=_settings(quotas.knobs),
        unit=unit,
        doubts=tuple(_warnings(quotas, pool)),
    )


def _groups(quotas: PoolQuotas, declared: GroupSettings) -> Iterator[GroupObservation]:
    computed: dict[str, GroupQuota] = {}
    if quotas.grouped:
        computed = {group.name: group for group in _computed(quotas)}
    wanted = {name_key(group.name): group for group in declared.groups}
    for group in quotas.tree.groups:
        own = _declared(wanted.pop(name_key(group.name), None), declared, quotas)
        yield _group(quotas, group, computed.get(group.name), own)
    for left in wanted.values():
        yield GroupObservation(left.name, declared=_declared(left, declared, quotas))


def _group(
    quotas: PoolQuotas, group: Group, computed: GroupQuota | None, declared: QuotaSetting | None
) -> GroupObservation:
    record = quotas.published.account(group.name)
    idle, running = quotas.demand(group.name)
    quota = subtree_quota = None
    if computed is not None:
        quota, subtree_quota = computed.quota, computed.subtree_quota
    return GroupObservation(
        name=group.name,
        declared=declared,
        configured=QuotaSetting(
            group.config_quota, group.static, group.accept_surplus, group.autoregroup
        ),
        effective=_number(record, "EffectiveQuota"),
        effective_subtree=_number(record, "SubtreeQuota"),
        computed=quota,
        computed_subtree=subtree_quota,
        usage=float(quotas.usage.get(group.name, 0.0)),
        idle=idle,
        running=running,
        requested=quotas.requested(group.name),
        allocated=quotas.allocated(group.name),
    )


def _number(record: Record | None, attribute: str) -> float | None:
    if record is None:
        return None
    number = record.number(attribute)
    if number is None:
        return None
    return float(number)


def _computed(quotas: PoolQuotas) -> tuple[GroupQuota, ...]:
    """Return the quotas over the weight that the negotiator counted, or else that of the slots."""
    inputs = quotas.inputs
    weight = quotas.published.pool_weight
    if weight is not None:
        inputs = replace(inputs, pool_weight=weight)
    return promised(inputs)


def _declared(
    group: DeclaredGroup | None, site: GroupSettings, quotas: PoolQuotas
) -> QuotaSetting | None:
    """Return the settings of a group in the site file.

    What it leaves to the configuration of all groups comes from there.
    """
    if group is None:
        return None
    surplus = group.accept_surplus
    if surplus is None:
        surplus = _of_all_groups("GROUP_ACCEPT_SURPLUS", site, quotas)
    regroups = group.autoregroup
    if regroups is None:
        regroups = _of_all_groups("GROUP_AUTOREGROUP", site, quotas)
    return QuotaSetting(group.config_quota, group.static, surplus, regroups)


def _of_all_groups(knob: str, site: GroupSettings, quotas: PoolQuotas) -> bool:
    return Knobs(site.knobs).boolean(knob, quotas.truth(knob, False))


def _settings(knobs: Mapping[str, str]) -> dict[str, str]:
    reader = Knobs(knobs)
    found = {name: reader.text(name) for name in SETTINGS}
    return {name: text for name, text in found.items() if text is not None}


def _warnings(quotas: PoolQuotas, pool: Pool) -> Iterator[str]:
    if not quotas.published.accounts:
        yield (
            "the negotiator publishes nothing of its groups: what their claimed slots weigh is "
            "their usage"
        )
    yield from quotas.published.doubts([group.name for group in quotas.tree.groups])
    yield from pool.incomplete
