"""A small round-robin rate: many passes in each cycle, and first limits that are cut off to nothing."""

from __future__ import annotations

import math
from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import knob_fact
from htcq.audit.rule import Found, Need, Rule, Severity
from htcq.quota.limits import truncated

_KNOB = "GROUP_QUOTA_ROUND_ROBIN_RATE"
#: In each pass every group with idle jobs negotiates anew.
_MANY = 100


def _find(evidence: Evidence) -> Iterator[Found]:
    quotas = evidence.quotas
    if not quotas.computed.rounds:
        return
    first = quotas.computed.rounds[0]
    passes = math.ceil(first.max_delta / quotas.settings.round_robin_rate)
    idle = []
    for limit in first.limits if passes > 1 else ():
        used = quotas.quota(limit.group).usage
        if quotas.waiting(limit.group) and truncated(limit.limit) <= used < truncated(quotas.limits[limit.group]):
            idle.append((limit.group, limit.limit, used))
    if not idle and passes <= _MANY:
        return
    nothing = ""
    if idle:
        name, limit_, used = idle[0]
        nothing = f", and in the first {name}, which uses {used:g}, may go to {limit_:g}: nothing is matched"
    yield Found(
        cause=_KNOB,
        subject=f"knob {_KNOB}",
        message=f"a rate of {quotas.settings.round_robin_rate:g} makes {passes} passes in a round{nothing}",
        facts=(knob_fact(evidence, _KNOB),),
        examples=tuple(name for name, _, _ in idle),
    )


RULE = Rule(
    id="small-round-robin-rate",
    severity=Severity.WARNING,
    needs=(Need.CENTRAL, Need.SLOTS, Need.SUBMITTERS),
    summary="GROUP_QUOTA_ROUND_ROBIN_RATE is small for this pool",
    consequence=(
        "A round is cut into passes in each of which every group negotiates anew, up to a part of its way. Limits "
        "are cut off to whole numbers, so that groups with little to gain wait for a late pass, when others have "
        "taken the slots."
    ),
    fix="Raise GROUP_QUOTA_ROUND_ROBIN_RATE to the weight of a large slot, or leave it at its default.",
    source="src/condor_negotiator.V6/GroupEntry.cpp:hgq_negotiate_with_all_groups, 25.14",
    find=_find,
)
