"""Many groups, and several that wait have equal sort keys."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import knob_fact, listed
from htcq.audit.rule import Found, Input, Rule, Severity

#: Up to so many groups, the root included, the C++ library's sort keeps equals in their order.
_KEPT = 16


def _find(evidence: Evidence) -> Iterator[Found]:
    quotas = evidence.quotas
    if len(quotas.tree.groups) <= _KEPT:
        return
    same: dict[float, list[str]] = {}
    for group in quotas.computed.rounds[0].groups:
        if quotas.waiting(group.name) and group.allocated > 0:
            same.setdefault(group.sort_key, []).append(group.name)
    most = max(same.values(), key=len, default=[])
    if len(most) > 1:
        yield Found(
            cause="order",
            subject="the groups",
            message=(
                f"{listed(most)} have the same sort key: with {len(quotas.tree.groups)} groups, "
                "the order of negotiation is arbitrary"
            ),
            facts=(knob_fact(evidence, "GROUP_SORT_EXPR"),),
            count=len(most),
            examples=tuple(most),
        )


RULE = Rule(
    id="group-order-unspecified",
    severity=Severity.INFO,
    needs=(Input.CENTRAL, Input.SLOTS, Input.SUBMITTERS),
    summary="Several groups have equal sort keys, and their order is arbitrary",
    consequence=(
        "The negotiator's sort is not stable for more than 16 groups. The order of groups with "
        "equal keys follows from the steps of the sort: another group or another key changes it."
    ),
    advice="Write a GROUP_SORT_EXPR that gives different values, for example with GroupQuota.",
    source=(
        "src/condor_negotiator.V6/GroupEntry.cpp:hgq_negotiate_with_all_groups, 25.14; libstdc++ "
        "std::sort"
    ),
    find=_find,
)
