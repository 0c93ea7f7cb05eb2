"""A group uses something of which its strict quota says nothing."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.elastic_quotas import UPSTREAM, DeclaredElasticQuotas
from htcq.audit.rule import Found, Input, Rule, Severity


def _find(quotas: DeclaredElasticQuotas) -> Iterator[Found]:
    if quotas.demand is None:
        return
    for group in quotas.sorted_groups:
        amounts = quotas.demand.used.get(group.name, {})
        for name in sorted(set(group.strict) & set(amounts) - set(group.max)):
            message = f"group {group.name} uses {amounts[name]} {name} but has no max"
            fact = quotas.fact(f"used.{group.name}.{name}", str(amounts[name]))
            yield quotas.found(group.name, message, (fact,))


RULE = Rule(
    id="elastic-used-without-max",
    severity=Severity.ERROR,
    needs=(Input.ELASTIC,),
    summary="A dimension of strict is in use and has no max",
    consequence="The usage would no longer be limited.",
    advice="Keep the max while the group uses the dimension, or remove the dimension from strict.",
    source=UPSTREAM,
    find=_find,
)
