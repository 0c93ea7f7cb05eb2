"""With guarantee_usage: no group above has enough kept for the min of a group."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.elastic_quotas import UPSTREAM, DeclaredElasticQuotas
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.quota.elastic.declaration import ElasticDemand, ElasticGroup


def _find(quotas: DeclaredElasticQuotas) -> Iterator[Found]:
    demand = quotas.demand
    if demand is None or not quotas.quotas.options.guarantee_usage:
        return
    for group in quotas.tree.groups:
        for name in sorted(group.min):
            if not _is_covered(quotas, demand, group, name):
                message = (
                    f"no group above {group.name} has enough in reserve for its min of "
                    f"{group.min[name]} {name}"
                )
                yield quotas.found(group.name, message, (quotas.amount_fact(group, "min", name),))


def _is_covered(
    quotas: DeclaredElasticQuotas, demand: ElasticDemand, group: ElasticGroup, name: str
) -> bool:
    """Return whether a group above has enough kept now for ``group`` and all beside it.

    It must cover their mins. The answer is also yes where no group above has any kept.
    """
    child, needed = group, _kept(demand, group, name)
    while child.parent and child.parent in demand.guarantee:
        parent = quotas.by_name[child.parent]
        siblings = [each for each in quotas.children(parent.name) if each.name != child.name]
        needed += sum(_kept(demand, each, name) for each in siblings)
        if needed <= demand.guarantee[parent.name].get(name, 0):
            return True
        child = parent
    return child is group or bool(child.parent)


def _kept(demand: ElasticDemand, group: ElasticGroup, name: str) -> int:
    return max(group.min.get(name, 0), demand.guarantee.get(group.name, {}).get(name, 0))


RULE = Rule(
    id="elastic-guarantee-not-covered",
    severity=Severity.ERROR,
    needs=(Input.ELASTIC,),
    summary="A min exceeds what the groups above it have in reserve",
    consequence=(
        "With guarantee_usage it could be satisfied only by taking away amounts that others use."
    ),
    advice="Lower the min, or raise the min of a group above it first.",
    source=UPSTREAM,
    find=_find,
)
