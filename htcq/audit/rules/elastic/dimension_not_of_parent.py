"""A group manages something that the group above it does not."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.elastic_quotas import UPSTREAM, DeclaredElasticQuotas, is_managed
from htcq.audit.rule import Found, Input, Rule, Severity


def _find(quotas: DeclaredElasticQuotas) -> Iterator[Found]:
    for group, parent in quotas.pairs():
        for name in sorted(group.max):
            if not is_managed(parent, name):
                message = (
                    f"group {group.name} has a max of {name}, but its parent {parent.name} has none"
                )
                yield quotas.found(group.name, message, (quotas.amount_fact(group, "max", name),))
        if not quotas.quotas.options.same_dimensions:
            continue
        for name in sorted(set(parent.max) - set(group.max)):
            message = (
                f"group {group.name} has no max of {name}, but its parent {parent.name} has one"
            )
            yield quotas.found(group.name, message, (quotas.amount_fact(parent, "max", name),))


RULE = Rule(
    id="elastic-dimension-not-of-parent",
    severity=Severity.ERROR,
    needs=(Input.ELASTIC,),
    summary="A group manages a dimension that its parent group does not",
    consequence="It would get nothing in dimensions for which the parent has no runtime.",
    advice="Set a max for the parent group; with same_dimensions, use the same dimensions in both.",
    source=UPSTREAM,
    find=_find,
)
