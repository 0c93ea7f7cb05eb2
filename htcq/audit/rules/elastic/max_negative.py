"""An amount of a group is below 0: its max."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.elastic_quotas import UPSTREAM, DeclaredElasticQuotas
from htcq.audit.rule import Found, Input, Rule, Severity


def _find(quotas: DeclaredElasticQuotas) -> Iterator[Found]:
    for group in quotas.sorted_groups:
        for name, amount in sorted(group.max.items()):
            if amount is not None and amount < 0:
                message = f"group {group.name} has a max of {amount} {name}"
                yield quotas.found(group.name, message, (quotas.amount_fact(group, "max", name),))


RULE = Rule(
    id="elastic-max-negative",
    severity=Severity.ERROR,
    needs=(Input.ELASTIC,),
    summary="A max is below 0",
    consequence="A negative limit cannot be enforced.",
    advice="Set a max of 0 or more; leave the dimension out if no quota should apply to it.",
    source=UPSTREAM,
    find=_find,
)
