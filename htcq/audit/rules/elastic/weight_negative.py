"""An amount of a group is below 0: its weight."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.elastic_quotas import UPSTREAM, DeclaredElasticQuotas
from htcq.audit.rule import Found, Input, Rule, Severity


def _find(quotas: DeclaredElasticQuotas) -> Iterator[Found]:
    for group in quotas.sorted_groups:
        for name, amount in sorted(group.weight.items()):
            if amount < 0:
                message = f"group {group.name} has a weight of {amount} {name}"
                yield quotas.found(
                    group.name, message, (quotas.amount_fact(group, "weight", name),)
                )


RULE = Rule(
    id="elastic-weight-negative",
    severity=Severity.ERROR,
    needs=(Input.ELASTIC,),
    summary="A weight is below 0",
    consequence="The shares of all other groups would exceed the available amount.",
    advice="Set a weight of 0 or more, or leave it out: the default is max.",
    source=UPSTREAM,
    find=_find,
)
