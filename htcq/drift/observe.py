"""The observation of a pool: declared, configured, published and computed quotas, and usage."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from htcq.drift.observation import DriftObservation, GroupObservation, QuotaSetting, WeightUse
from htcq.pool.costs import weight_shares
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

#: The knobs that decide about all groups, as the negotiator reads them (GroupEntry.cpp and
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
    weight = quotas.published.pool_weight
    return DriftObservation(
        pool=pool.name,
        negotiator=quotas.published.negotiator or pool.negotiator,
        time=time,
        pool_weight=float(quotas.supply.pool_weight) if weight is None else weight,
        groups=tuple(_groups(quotas, declared)),
        weights=tuple(
            WeightUse(share.expression, share.slots, float(share.weight))
            for share in weight_shares(quotas.supply.slots, Weights())
        ),
        settings=_settings(quotas.knobs),
        unit="slot weight" if quotas.supply.weighted else "slots",
        doubts=tuple(_doubts(quotas, pool)),
    )


def _groups(quotas: PoolQuotas, declared: GroupSettings) -> Iterator[GroupObservation]:
    reckoned = {group.name: group for group in _promised(quotas)} if quotas.grouped else {}
    wanted = {name_key(group.name): group for group in declared.groups}
    for group in quotas.tree.groups:
        own = _declared(wanted.pop(name_key(group.name), None), declared, quotas)
        yield _group(quotas, group, reckoned.get(group.name), own)
    for left in wanted.values():
        yield GroupObservation(left.name, declared=_declared(left, declared, quotas))


def _group(
    quotas: PoolQuotas, group: Group, computed: GroupQuota | None, declared: QuotaSetting | None
) -> GroupObservation:
    record = quotas.published.account(group.name)
    idle, running = quotas.demand(group.name)
    return GroupObservation(
        name=group.name,
        declared=declared,
        configured=QuotaSetting(
            group.config_quota, group.static, group.accept_surplus, group.autoregroup
        ),
        effective=_number(record, "EffectiveQuota"),
        effective_subtree=_number(record, "SubtreeQuota"),
        computed=None if computed is None else computed.quota,
        computed_subtree=None if computed is None else computed.subtree_quota,
        usage=float(quotas.usage.get(group.name, 0.0)),
        idle=idle,
        running=running,
        requested=quotas.requested(group.name),
        allocated=quotas.allocated(group.name),
    )


def _number(record: Record | None, attribute: str) -> float | None:
    number = None if record is None else record.number(attribute)
    return None if number is None else float(number)


def _promised(quotas: PoolQuotas) -> tuple[GroupQuota, ...]:
    """Return the quotas over the weight that the negotiator counted, or else that of the slots."""
    weight = quotas.published.pool_weight
    return promised(quotas.inputs if weight is None else replace(quotas.inputs, pool_weight=weight))


def _declared(
    group: DeclaredGroup | None, site: GroupSettings, quotas: PoolQuotas
) -> QuotaSetting | None:
    """Return the settings of a group in the site file.

    What it leaves to the configuration of all groups comes from there.
    """
    if group is None:
        return None
    surplus, regroups = (
        _truth(own, knob, site, quotas)
        for own, knob in (
            (group.accept_surplus, "GROUP_ACCEPT_SURPLUS"),
            (group.autoregroup, "GROUP_AUTOREGROUP"),
        )
    )
    return QuotaSetting(group.config_quota, group.static, surplus, regroups)


def _truth(own: bool | None, knob: str, site: GroupSettings, quotas: PoolQuotas) -> bool:
    return Knobs(site.knobs).boolean(knob, quotas.truth(knob, False)) if own is None else own


def _settings(knobs: Mapping[str, str]) -> dict[str, str]:
    reader = Knobs(knobs)
    found = {name: reader.text(name) for name in SETTINGS}
    return {name: text for name, text in found.items() if text is not None}


def _doubts(quotas: PoolQuotas, pool: Pool) -> Iterator[str]:
    if not quotas.published.accounts:
        yield (
            "the negotiator publishes nothing of its groups: what their claimed slots weigh is "
            "their usage"
        )
    yield from quotas.published.doubts([group.name for group in quotas.tree.groups])
    yield from pool.incomplete
