"""A group has no max in any dimension."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.elastic_quotas import OURS, DeclaredElasticQuotas
from htcq.audit.rule import Found, Input, Rule, Severity


def _find(quotas: DeclaredElasticQuotas) -> Iterator[Found]:
    for group in quotas.tree.groups:
        if not group.max:
            yield quotas.found(group.name, f"group {group.name} has no max in any dimension")


RULE = Rule(
    id="elastic-nothing-managed",
    severity=Severity.WARNING,
    needs=(Input.ELASTIC,),
    summary="A group has no max of anything",
    consequence="No quota applies to it, and it gets no runtime.",
    advice='Set a max; max = { cpus = "unlimited" } means that there is no limit.',
    source=OURS,
    find=_find,
)
