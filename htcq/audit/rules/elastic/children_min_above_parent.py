"""The groups below a group are guaranteed more than it is."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.elastic_quotas import UPSTREAM, DeclaredElasticQuotas, base_of
from htcq.audit.rule import Found, Input, Rule, Severity


def _find(quotas: DeclaredElasticQuotas) -> Iterator[Found]:
    for group in quotas.tree.groups:
        children = quotas.children(group.name)
        for name in sorted({each for child in children for each in child.min}):
            together = sum(child.min.get(name, 0) for child in children)
            own = group.min.get(name, group.min.get(base_of(name), 0))
            if together > own:
                having = [child for child in children if name in child.min]
                what = f"mins that add up to {together} {name}, more than its {own}"
                message = f"the children of group {group.name} have {what}"
                facts = tuple(quotas.amount_fact(each, "min", name) for each in (group, *having))
                yield quotas.found(group.name, message, facts)


RULE = Rule(
    id="elastic-children-min-above-parent",
    severity=Severity.ERROR,
    needs=(Input.ELASTIC,),
    summary="The mins of child groups add up to more than the min of their parent",
    consequence=(
        "Their guarantees are not covered by the parent's guarantee, and shrink when other "
        "groups are busy."
    ),
    advice="Raise the min of the parent group, or lower those of its children.",
    source=UPSTREAM,
    find=_find,
)
