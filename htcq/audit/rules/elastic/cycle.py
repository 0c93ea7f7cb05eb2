"""A group is below itself."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.elastic_quotas import ElasticQuotas
from htcq.audit.rule import Found, Input, Rule, Severity


def _find(quotas: ElasticQuotas) -> Iterator[Found]:
    for cycle in quotas.tree.cycles:
        way = " below ".join((*cycle, cycle[0]))
        yield quotas.found(cycle[0], f"group {way}: they are above themselves")


RULE = Rule(
    id="elastic-cycle",
    severity=Severity.ERROR,
    needs=(Input.ELASTIC,),
    summary="A group is below itself",
    consequence="It is below no root, so that nothing is shared with it; a way up would never end.",
    advice="Put one of the groups elsewhere.",
    source="Koordinator lets it pass (pkg/webhook/elasticquota, commit a7a1b76)",
    find=_find,
)
