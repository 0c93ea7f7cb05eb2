"""The min of a group is its max."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.elastic_quotas import OURS, DeclaredElasticQuotas, is_fixed
from htcq.audit.rule import Found, Input, Rule, Severity


def _find(quotas: DeclaredElasticQuotas) -> Iterator[Found]:
    for group in quotas.tree.groups:
        if is_fixed(group):
            yield quotas.found(
                group.name, f"group {group.name} has equal min and max in all dimensions"
            )


RULE = Rule(
    id="elastic-nothing-elastic",
    severity=Severity.INFO,
    needs=(Input.ELASTIC,),
    summary="The min of a group equals its max in all dimensions",
    consequence="It can lend but never borrow.",
    advice="Raise the max if the group should borrow.",
    source=OURS,
    find=_find,
)
