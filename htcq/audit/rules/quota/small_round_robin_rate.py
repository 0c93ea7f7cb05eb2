"""A small round-robin rate.

Each cycle has many passes, first limits are cut off to nothing, and groups are left half way.

With strict enforcement what a group that accepts no surplus is given in one pass counts twice in
the next: on 25.14.1 and 23.9.6 a group with a quota of 6 was let go to 1, 2, 3, 3, 3, 3 in a
round and to 5 of 6 in a cycle.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import knob_fact
from htcq.audit.fix_settings import central
from htcq.audit.group_knobs import default_of
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.poolquota.pool_quotas import PoolQuotas
from htcq.quota.cycle_quotas import GroupLimit
from htcq.quota.group_limits import truncated

_KNOB = "GROUP_QUOTA_ROUND_ROBIN_RATE"
#: In each pass every group with idle jobs negotiates anew.
_MANY = 100


def _find(evidence: Evidence) -> Iterator[Found]:
    quotas = evidence.quotas
    if not quotas.computed.rounds:
        return
    first = quotas.computed.rounds[0]
    passes = math.ceil(first.max_delta / quotas.settings.round_robin_rate)
    idle: list[tuple[str, float, float]] = []
    short = ""
    if passes > 1:
        idle = list(_without_match(quotas, first.limits))
        short = _left_short(quotas)
    if not idle and not short and passes <= _MANY:
        return
    nothing = ""
    if idle:
        name, limit, used = idle[0]
        nothing = (
            f", and in the first one the limit of {name}, which uses {used:g}, is {limit:g}: "
            "nothing is matched"
        )
    yield Found(
        cause=_KNOB,
        subject=f"knob {_KNOB}",
        message=(
            f"a rate of {quotas.settings.round_robin_rate:g} makes {passes} passes in a "
            f"round{nothing}{short}"
        ),
        facts=(knob_fact(evidence, _KNOB),),
        settings=(central(evidence, _KNOB, default_of(evidence, _KNOB)),),
        examples=tuple(name for name, _, _ in idle),
    )


def _without_match(
    quotas: PoolQuotas, first_limits: Iterable[GroupLimit]
) -> Iterator[tuple[str, float, float]]:
    """Yield the groups that match nothing in the first pass, with their limit and usage there."""
    for each in first_limits:
        if not quotas.waiting(each.group):
            continue
        used = quotas.quota(each.group).usage
        if truncated(each.limit) <= used < truncated(quotas.limits[each.group]):
            yield each.group, each.limit, used


def _left_short(quotas: PoolQuotas) -> str:
    """Return how much less than in one pass a cycle would fill an empty pool.

    Empty where it fills as much.
    """
    filled, at_once = sum(quotas.filled.values()), sum(quotas.filled_at_once.values())
    if filled >= at_once or not quotas.settings.strict_enforce:
        return ""
    return (
        f", and a cycle fills {filled:g} of the {at_once:g} that it could: groups get half of the "
        "way in each round"
    )


RULE = Rule(
    id="small-round-robin-rate",
    severity=Severity.WARNING,
    needs=(Input.CENTRAL, Input.SLOTS, Input.SUBMITTERS),
    summary="GROUP_QUOTA_ROUND_ROBIN_RATE is small for this pool",
    consequence=(
        "A round is split into passes in which every group negotiates again, up to a part of its "
        "limit. Limits are truncated to whole numbers, so that groups with small limits wait for "
        "a late pass, when others have taken the slots. What a group that accepts no surplus "
        "gets in one pass counts twice in the next."
    ),
    advice=(
        "Raise GROUP_QUOTA_ROUND_ROBIN_RATE to the weight of a large slot, or leave it at its "
        "default."
    ),
    source="src/condor_negotiator.V6/GroupEntry.cpp:hgq_negotiate_with_all_groups, 25.14",
    find=_find,
)
