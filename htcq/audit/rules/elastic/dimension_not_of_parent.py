"""A group manages something that the group above it does not."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.elastic_quotas import UPSTREAM, ElasticQuotas, is_managed
from htcq.audit.rule import Found, Input, Rule, Severity


def _find(quotas: ElasticQuotas) -> Iterator[Found]:
    for group, parent in quotas.pairs():
        for name in sorted(group.max):
            if not is_managed(parent, name):
                message = f"group {group.name} has a max of {name}, of which {parent.name} has none"
                yield quotas.found(group.name, message, (quotas.amount_fact(group, "max", name),))
        missing = set(parent.max) - set(group.max) if quotas.quotas.options.same_dimensions else set()
        for name in sorted(missing):
            message = f"group {group.name} has no max of {name}, of which {parent.name} has one"
            yield quotas.found(group.name, message, (quotas.amount_fact(parent, "max", name),))


RULE = Rule(
    id="elastic-dimension-not-of-parent",
    severity=Severity.ERROR,
    needs=(Input.ELASTIC,),
    summary="A group manages other dimensions than the group above it",
    consequence="It would get nothing of what the group above has no runtime of.",
    advice="Give the group above a max of it; with same_dimensions, give both the same.",
    source=UPSTREAM,
    find=_find,
)
