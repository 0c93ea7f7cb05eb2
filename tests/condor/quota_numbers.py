"""htcq's group quotas in the words and with the digits of a negotiator's log and accounting ads, to compare the two."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from negotiator_log import Logged, LoggedCycle, LoggedRound

from htcq.poolquota.pool_quotas import PoolQuotas
from htcq.quota.cycle_quotas import CycleQuotas, Round

#: std::sort leaves the order of equals open where there are more, and all order where a key is no
#: number.
_MAX_ORDERED = 16


def digits(amount: float) -> Logged:
    """Return ``amount`` as the log has it: six significant digits."""
    return "nan" if amount != amount else float(f"{amount:.6g}")


def told(quotas: PoolQuotas, theirs: LoggedCycle) -> LoggedCycle:
    """Return what htcq says; where the negotiator only let equals change places, in its order."""
    found = quotas.computed
    handing_on = {group.name for group in found.groups if group.subtree_quota > 0}
    orders = [one.order for one in theirs.rounds] + [[]] * len(found.rounds)
    return LoggedCycle(
        slots=len(quotas.supply.slots),
        pool_weight=digits(found.pool_weight),
        subtree_quotas={
            group.name: digits(group.subtree_quota)
            for group in found.groups
            if group.group.parent is None or group.group.parent in handing_on
        },
        quotas={
            group.name: digits(group.quota) for group in found.groups if group.name in handing_on
        },
        rounds=[_round(one, order) for one, order in zip(found.rounds, orders)],
    )


def _round(one: Round, their_order: Sequence[str]) -> LoggedRound:
    return LoggedRound(
        digits(one.surplus),
        digits(one.max_delta),
        {
            group.name: tuple(
                map(digits, (group.quota, group.requested, group.allocated, group.unallocated))
            )
            for group in one.groups
        },
        _ordered(one, their_order),
        {group.name: digits(group.sort_key) for group in one.groups},
        {limit.group: digits(limit.limit) for limit in one.limits},
    )


def _ordered(one: Round, theirs: Sequence[str]) -> list[str]:
    keys = {group.name: group.sort_key for group in one.groups}
    ours, their = ([keys.get(name) for name in order] for order in (one.order, theirs))
    nan = any(key != key for key in ours)
    open_ = (
        len(one.order) > _MAX_ORDERED
        and sorted(theirs) == sorted(one.order)
        and (nan or ours == their)
    )
    return list(theirs if open_ else one.order)


def published(quotas: CycleQuotas, usage: Mapping[str, float]) -> dict[str, dict[str, Any]]:
    """Return what the negotiator should publish of each group."""
    last = {group.name: group for group in quotas.rounds[-1].groups}
    return {
        group.name: {
            "SurplusPolicy": "regroup"
            if group.group.autoregroup
            else "byquota"
            if group.group.accept_surplus
            else "no",
            "ConfigQuota": group.group.config_quota,
            "EffectiveQuota": last[group.name].quota,
            "SubtreeQuota": group.subtree_quota,
            "Requested": group.requested,
            "WeightedResourcesUsed": usage.get(group.name, 0.0),
            "GroupSortKey": last[group.name].sort_key,
        }
        for group in quotas.groups
    }


def differences(theirs: object, ours: object, where: str = "") -> Iterator[str]:
    """Yield every place in two nested collections where they differ; fourteen digits of a number survive in ads."""
    if isinstance(theirs, Mapping) and isinstance(ours, Mapping):
        for key in {**theirs, **ours}:
            yield from differences(
                theirs.get(key, "nothing"), ours.get(key, "nothing"), f"{where}/{key}"
            )
    elif isinstance(theirs, list) and isinstance(ours, list) and len(theirs) == len(ours):
        for number, pair in enumerate(zip(theirs, ours)):
            yield from differences(*pair, f"{where}/{number}")
    elif theirs != ours and not _close(theirs, ours):
        yield f"{where}: the negotiator says {theirs}, htcq {ours}"


def _close(one: object, other: object) -> bool:
    if not isinstance(one, float) or not isinstance(other, float):
        return False
    return math.isclose(one, other, rel_tol=1e-14) or (math.isnan(one) and math.isnan(other))
