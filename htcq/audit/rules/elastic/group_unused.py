"""A group without groups below it asks for nothing and uses nothing."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.elastic_quotas import OURS, DeclaredElasticQuotas
from htcq.audit.rule import Found, Input, Rule, Severity


def _find(quotas: DeclaredElasticQuotas) -> Iterator[Found]:
    if quotas.demand is None:
        return
    for group in quotas.tree.groups:
        if not quotas.tree.children.get(group.name) and not quotas.is_active(group.name):
            yield quotas.found(group.name, f"group {group.name} requests nothing and uses nothing")


RULE = Rule(
    id="elastic-group-unused",
    severity=Severity.INFO,
    needs=(Input.ELASTIC,),
    summary="A group requests nothing and uses nothing",
    consequence="Its min is lent, or unused if the group does not lend.",
    advice="Find out whether the group is still needed.",
    source=OURS,
    find=_find,
)
