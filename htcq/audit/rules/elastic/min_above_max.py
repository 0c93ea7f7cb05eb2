"""A group is guaranteed more than it may use."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.elastic_quotas import UPSTREAM, DeclaredElasticQuotas
from htcq.audit.rule import Found, Input, Rule, Severity


def _find(quotas: DeclaredElasticQuotas) -> Iterator[Found]:
    for group in quotas.sorted_groups:
        for name, amount in sorted(group.min.items()):
            cap = group.max.get(name)
            if cap is not None and amount > cap >= 0:
                message = f"group {group.name} has a min of {amount} {name} and a max of {cap}"
                facts = (
                    quotas.amount_fact(group, "min", name),
                    quotas.amount_fact(group, "max", name),
                )
                yield quotas.found(group.name, message, facts)


RULE = Rule(
    id="elastic-min-above-max",
    severity=Severity.ERROR,
    needs=(Input.ELASTIC,),
    summary="A min is above the max of the same group",
    consequence="The group is guaranteed an amount that it must not use.",
    advice="Lower the min or raise the max.",
    source=UPSTREAM,
    find=_find,
)
