"""A quota is no whole number: the negotiator works with what stands before the point."""

from __future__ import annotations

import math
from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import knob_fact
from htcq.audit.group_knobs import whole_quota
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.quota.group_tree import Group

#: A quota that loses less than this part of it is not worth a word.
_SMALL_LOSS = 0.05
#: So close below a whole number, binary arithmetic alone took the last unit.
_DUST = 1e-6


def _knob(group: Group) -> str:
    if group.static:
        return f"GROUP_QUOTA_{group.name}"
    return f"GROUP_QUOTA_DYNAMIC_{group.name}"


def _find(evidence: Evidence) -> Iterator[Found]:
    quotas = evidence.quotas
    for group in quotas.groups:
        quota = quotas.quota(group.name).quota
        lost = quota - math.floor(quota)
        if quota <= 0 or lost == 0 or (group.children and not quotas.of(group.name)):
            continue
        dust = math.ceil(quota) - quota < _DUST
        severe = lost >= _SMALL_LOSS * quota
        if dust or severe:
            severity = None if severe else Severity.INFO
            if quota < 1:
                cause = "less than 1"
            elif severe:
                cause = "fraction"
            else:
                cause = "arithmetic"
            yield Found(
                cause=cause,
                subject=f"group {group.name}",
                message=f"the quota of {group.name} is {quota!r} and counts as {math.floor(quota)}",
                facts=(knob_fact(evidence, _knob(group)),),
                examples=(group.name,),
                severity=severity,
                settings=whole_quota(evidence, group.name),
                is_root=group.static,
            )


RULE = Rule(
    id="quota-truncated",
    severity=Severity.WARNING,
    needs=(Input.CENTRAL, Input.SLOTS, Input.POOL),
    summary="The fraction of a quota is lost: the negotiator uses whole numbers",
    consequence=(
        "The limit of a group is a whole number, truncated and not rounded. A quota below 1 "
        "becomes 0, and 0.29 of a pool of 100 becomes 28, because the product is slightly below "
        "29 in binary arithmetic."
    ),
    advice="Use static quotas that are whole numbers, or raise the share a little.",
    source=(
        "src/condor_negotiator.V6/GroupEntry.cpp:hgq_negotiate_with_all_groups, 25.14; limits in "
        "its log, 25.14.1"
    ),
    find=_find,
)
