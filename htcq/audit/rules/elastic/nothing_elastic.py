"""The min of a group is its max."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.elastic_quotas import OURS, ElasticQuotas, is_fixed
from htcq.audit.rule import Found, Input, Rule, Severity


def _find(quotas: ElasticQuotas) -> Iterator[Found]:
    for group in quotas.tree.groups:
        if is_fixed(group):
            yield quotas.found(group.name, f"group {group.name} has its max for min of everything")


RULE = Rule(
    id="elastic-nothing-elastic",
    severity=Severity.INFO,
    needs=(Input.ELASTIC,),
    summary="The min of a group is its max, of everything",
    consequence="It can lend and never borrow.",
    advice="Raise the max if it is to have what others leave.",
    source=OURS,
    find=_find,
)
