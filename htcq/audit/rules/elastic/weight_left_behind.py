"""A weight was the max of its group, and the max has changed."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.elastic_quotas import DeclaredElasticQuotas
from htcq.audit.rule import Found, Input, Rule, Severity


def _find(quotas: DeclaredElasticQuotas) -> Iterator[Found]:
    if quotas.before is None:
        return
    before = {group.name: group for group in quotas.before.groups}
    for group in quotas.tree.groups:
        old = before.get(group.name)
        for name, weight in sorted(group.weight.items()):
            if old is not None and old.max.get(name) == weight == old.weight.get(
                name
            ) != group.max.get(name):
                yield quotas.found(
                    group.name,
                    (
                        f"group {group.name} has a weight of {weight} {name}, which was its max "
                        "before the change"
                    ),
                )


RULE = Rule(
    id="elastic-weight-left-behind",
    severity=Severity.WARNING,
    needs=(Input.ELASTIC,),
    summary="A weight equals the max before its change",
    consequence="The group borrows as if its max had not changed.",
    advice="Remove the weight: the default is max.",
    source="koordinator-sh/koordinator pkg/webhook/elasticquota/quota_topology.go, commit a7a1b76",
    find=_find,
)
