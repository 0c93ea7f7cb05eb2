"""Amounts take all that a group has, so that shares of the rest count for nothing."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.declared_groups import DUST, DeclaredGroups, fact_of, those_below
from htcq.audit.facts import counted
from htcq.audit.rule import Found, Input, Rule, Severity


def _find(declared: DeclaredGroups) -> Iterator[Found]:
    for parent in declared.groups:
        below = declared.below(parent.name)
        shared = [group for group in below if not group.static and group.config_quota]
        amount, total = declared.amounts[parent.name], declared.static_sum(parent.name)
        if shared and amount and amount * (1 - DUST) <= total <= amount * (1 + DUST):
            yield Found(
                cause=parent.name,
                subject=f"group {parent.name}",
                message=(
                    f"the quotas of {those_below(parent.name)} take all of its {amount:g}: "
                    f"{counted(len(shared), 'share')} there, such as that of {shared[0].name}, "
                    "count for nothing"
                ),
                facts=tuple(fact_of(group) for group in (parent, *below)),
                examples=tuple(group.name for group in shared),
            )


RULE = Rule(
    id="nothing-left-to-share",
    severity=Severity.WARNING,
    needs=(Input.DECLARED,),
    summary=(
        "Quotas use up all of a group's quota, and nothing is left for the shares of their siblings"
    ),
    consequence="Shares are fractions of what the sibling quotas leave, which is nothing.",
    advice="Lower the quotas, or give the groups with shares quotas of their own.",
    source="src/condor_negotiator.V6/GroupEntry.cpp:hgq_assign_quotas, 25.14",
    find=_find,
)
