"""A group is its own descendant."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.elastic_quotas import DeclaredElasticQuotas
from htcq.audit.rule import Found, Input, Rule, Severity


def _find(quotas: DeclaredElasticQuotas) -> Iterator[Found]:
    for cycle in quotas.tree.cycles:
        way = " below ".join((*cycle, cycle[0]))
        yield quotas.found(cycle[0], f"group {way}: the parents form a circle")


RULE = Rule(
    id="elastic-cycle",
    severity=Severity.ERROR,
    needs=(Input.ELASTIC,),
    summary="A group is below itself",
    consequence="It is not connected to the root, so that it gets nothing.",
    advice="Change the parent of one of the groups.",
    source="Koordinator accepts it (pkg/webhook/elasticquota, commit a7a1b76)",
    find=_find,
)
