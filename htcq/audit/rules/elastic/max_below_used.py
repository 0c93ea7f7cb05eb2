"""A group uses more than the max of its strict quota."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.elastic_quotas import UPSTREAM, DeclaredElasticQuotas
from htcq.audit.rule import Found, Input, Rule, Severity


def _find(quotas: DeclaredElasticQuotas) -> Iterator[Found]:
    if quotas.demand is None:
        return
    for group in quotas.sorted_groups:
        amounts = quotas.demand.used.get(group.name, {})
        for name in sorted(set(group.strict) & set(amounts)):
            cap = group.max.get(name)
            if cap is not None and cap < amounts[name]:
                message = (
                    f"group {group.name} uses {amounts[name]} {name}, more than its max of {cap}"
                )
                fact = quotas.fact(f"used.{group.name}.{name}", str(amounts[name]))
                facts = (fact, quotas.amount_fact(group, "max", name))
                yield quotas.found(group.name, message, facts)


RULE = Rule(
    id="elastic-max-below-used",
    severity=Severity.ERROR,
    needs=(Input.ELASTIC,),
    summary="The max of a dimension of strict is below the current usage",
    consequence="The group would exceed its max immediately.",
    advice="Wait until jobs end, or remove the dimension from strict.",
    source=UPSTREAM,
    find=_find,
)
