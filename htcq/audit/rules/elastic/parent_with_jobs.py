"""A group has jobs of its own and groups below it."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.elastic_quotas import OURS, ElasticQuotas
from htcq.audit.rule import Found, Input, Rule, Severity


def _find(quotas: ElasticQuotas) -> Iterator[Found]:
    if quotas.demand is None:
        return
    for group in quotas.tree.groups:
        if quotas.tree.children.get(group.name) and quotas.is_active(group.name):
            message = f"group {group.name} has jobs of its own and groups below it: they share with those"
            yield quotas.found(group.name, message)


RULE = Rule(
    id="elastic-parent-with-jobs",
    severity=Severity.INFO,
    needs=(Input.ELASTIC,),
    summary="A group has jobs of its own and groups below it",
    consequence="Its jobs share with those as a group <self>, guaranteed what they leave of its min.",
    advice="Nothing need be done; a group for these jobs says it more clearly.",
    source=OURS,
    find=_find,
)
