"""A max is unlimited, so that no weight follows from it."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.elastic_quotas import OURS, DeclaredElasticQuotas
from htcq.audit.rule import Found, Input, Rule, Severity


def _find(quotas: DeclaredElasticQuotas) -> Iterator[Found]:
    for group in quotas.sorted_groups:
        for name, cap in sorted(group.max.items()):
            if cap is None and name not in group.weight:
                message = (
                    f"group {group.name} has an unlimited max of {name} and no weight (the "
                    "default of weight is max)"
                )
                yield quotas.found(group.name, message, (quotas.amount_fact(group, "max", name),))


RULE = Rule(
    id="elastic-unlimited-without-weight",
    severity=Severity.ERROR,
    needs=(Input.ELASTIC,),
    summary="A max is unlimited and no weight is set",
    consequence="The default of weight is max, which is unlimited here.",
    advice="Set a weight in that dimension.",
    source=OURS,
    find=_find,
)
