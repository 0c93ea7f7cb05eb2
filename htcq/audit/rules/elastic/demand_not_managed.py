"""A group asks for something that no quota of it binds."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.elastic_quotas import COMPUTED, DeclaredElasticQuotas, is_managed
from htcq.audit.rule import Found, Input, Rule, Severity


def _find(quotas: DeclaredElasticQuotas) -> Iterator[Found]:
    if quotas.demand is None:
        return
    for group in quotas.tree.groups:
        request = quotas.demand.request.get(group.name, {})
        for name in sorted(request):
            if request[name] > 0 and not is_managed(group, name):
                message = (
                    f"group {group.name} requests {request[name]} {name} but has no max: no quota "
                    "applies"
                )
                yield quotas.found(group.name, message)


RULE = Rule(
    id="elastic-demand-not-managed",
    severity=Severity.WARNING,
    needs=(Input.ELASTIC,),
    summary="A group requests a dimension for which it has no max",
    consequence="No quota limits that demand, and the runtime does not include it.",
    advice="Set a max for it, or correct the name.",
    source=COMPUTED,
    find=_find,
)
