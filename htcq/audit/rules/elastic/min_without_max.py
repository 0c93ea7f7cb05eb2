"""A group has a min of a dimension that it does not manage."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.elastic_quotas import UPSTREAM, DeclaredElasticQuotas
from htcq.audit.rule import Found, Input, Rule, Severity


def _find(quotas: DeclaredElasticQuotas) -> Iterator[Found]:
    for group in quotas.sorted_groups:
        for name in sorted(group.min):
            if name not in group.max:
                message = f"group {group.name} has a min of {name} but no max"
                facts = (
                    quotas.amount_fact(group, "min", name),
                    quotas.amount_fact(group, "max", name),
                )
                yield quotas.found(group.name, message, facts)


RULE = Rule(
    id="elastic-min-without-max",
    severity=Severity.ERROR,
    needs=(Input.ELASTIC,),
    summary="A group has a min in a dimension but no max",
    consequence=(
        "A dimension without a max is not managed in that group, so that the guarantee has no "
        "effect."
    ),
    advice='Set the max too; max = { cpus = "unlimited" } means that there is no limit.',
    source=UPSTREAM,
    find=_find,
)
