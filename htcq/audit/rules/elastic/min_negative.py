"""An amount of a group is below 0: its min."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.elastic_quotas import UPSTREAM, DeclaredElasticQuotas
from htcq.audit.rule import Found, Input, Rule, Severity


def _find(quotas: DeclaredElasticQuotas) -> Iterator[Found]:
    for group in quotas.sorted_groups:
        for name, amount in sorted(group.min.items()):
            if amount < 0:
                message = f"group {group.name} has a min of {amount} {name}"
                yield quotas.found(group.name, message, (quotas.amount_fact(group, "min", name),))


RULE = Rule(
    id="elastic-min-negative",
    severity=Severity.ERROR,
    needs=(Input.ELASTIC,),
    summary="A min is below 0",
    consequence="The group would have a negative guarantee.",
    advice="Set a min of 0 or more, or leave the dimension out.",
    source=UPSTREAM,
    find=_find,
)
