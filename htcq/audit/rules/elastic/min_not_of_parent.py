"""A group is guaranteed something of which the group above it is guaranteed nothing."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.elastic_quotas import UPSTREAM, DeclaredElasticQuotas, base_of
from htcq.audit.rule import Found, Input, Rule, Severity


def _find(quotas: DeclaredElasticQuotas) -> Iterator[Found]:
    for group, parent in quotas.pairs():
        for name, amount in sorted(group.min.items()):
            if amount > 0 and name not in parent.min and base_of(name) not in parent.min:
                message = (
                    f"group {group.name} has a min of {name}, but its parent {parent.name} has none"
                )
                yield quotas.found(group.name, message, (quotas.amount_fact(group, "min", name),))


RULE = Rule(
    id="elastic-min-not-of-parent",
    severity=Severity.ERROR,
    needs=(Input.ELASTIC,),
    summary="A group has a min in a dimension in which its parent group has none",
    consequence="The guarantee holds only while no other group requests the dimension.",
    advice="Set a min for the parent group.",
    source=UPSTREAM,
    find=_find,
)
