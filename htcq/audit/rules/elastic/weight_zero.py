"""A weight of 0 keeps a group from borrowing."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.elastic_quotas import COMPUTED, ElasticQuotas
from htcq.audit.rule import Found, Input, Rule, Severity


def _find(quotas: ElasticQuotas) -> Iterator[Found]:
    for group in quotas.tree.groups:
        for name, weight in sorted(group.weight.items() if group.max else ()):
            cap = group.max.get(name, 0)
            if weight == 0 and (cap is None or cap > group.min.get(name, 0)):
                message = f"group {group.name} has a weight of 0 {name}: it never borrows any, whatever its max"
                yield quotas.found(group.name, message)


RULE = Rule(
    id="elastic-weight-zero",
    severity=Severity.WARNING,
    needs=(Input.ELASTIC,),
    summary="A weight is 0 and the max is above the min",
    consequence="The group never comes to more than its min, whatever its max and whoever else is idle.",
    advice="Give it a weight, or a max that is its min.",
    source=COMPUTED,
    find=_find,
)
