"""One group's static quota is more than the whole pool weighs."""

from __future__ import annotations

import math
from collections.abc import Iterator

from htcq.audit.charges import CLOSE
from htcq.audit.evidence import Evidence
from htcq.audit.facts import knob_fact
from htcq.audit.fix import Role, Setting
from htcq.audit.fix_settings import central
from htcq.audit.rule import Fact, Found, Input, Rule, Severity
from htcq.audit.sound_weights import sound_weights
from htcq.poolquota.pool_quotas import PoolQuotas
from htcq.quota.group_tree import ROOT, Group


def _left(quotas: PoolQuotas, group: Group, pool: float) -> float:
    """Return what the other groups beside ``group`` leave of the pool."""
    beside = quotas.tree.children(group.parent or ROOT)
    others = [each for each in beside if each.static and each.name != group.name]
    return max(0.0, pool - sum(each.config_quota for each in others))


def _find(evidence: Evidence) -> Iterator[Found]:
    quotas = evidence.quotas
    pool = quotas.inputs.pool_weight
    # A pool whose slots are all away weighs nothing, and no quota fits it.
    if pool <= 0:
        return
    for group in quotas.groups:
        if group.static and group.config_quota > pool + CLOSE:
            knob = f"GROUP_QUOTA_{group.name}"
            left = f"{_left(quotas, group, pool):.0f}"
            yield Found(
                cause=group.name,
                subject=f"group {group.name}",
                message=(
                    f"the quota of group {group.name} is {group.config_quota:g}, and the whole "
                    f"pool weighs {pool:g}: it can never be reached"
                ),
                facts=(
                    knob_fact(evidence, knob),
                    Fact("pool weight", f"{pool:g}"),
                ),
                examples=(group.name,),
                settings=_largest(evidence, group.name, pool),
                trial=(Setting(Role.CENTRAL, knob, left),),
            )


def _largest(evidence: Evidence, group: str, pool: float) -> tuple[Setting, ...]:
    """Return a quota of the whole pool.

    Nothing where the weights of slots are wrong, since the pool's weight is then wrong too.
    """
    if any(setting.role is Role.EXECUTE for setting in sound_weights(evidence)):
        return ()
    return (central(evidence, f"GROUP_QUOTA_{group}", str(math.floor(pool))),)


RULE = Rule(
    id="quota-exceeds-pool",
    severity=Severity.WARNING,
    needs=(Input.CENTRAL, Input.SLOTS, Input.POOL),
    summary="The static quota of one group is more than the weight of the whole pool",
    consequence=(
        "Such a quota is no limit: the group may use every slot, and other groups get only what "
        "it leaves. Often a digit is wrong, or the quota is in another unit than the slot "
        "weights: in cores, or in a former unit of the pool."
    ),
    advice=(
        "Write the quota in the unit of SLOT_WEIGHT ('htcq quota' prints the pool's weight), at "
        "most the weight of the pool, or as a share (GROUP_QUOTA_DYNAMIC_<group>)."
    ),
    source="src/condor_negotiator.V6/GroupEntry.cpp:hgq_assign_quotas, 25.14",
    find=_find,
)
