"""A group is guaranteed nothing and weighs next to nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from htcq.audit.elastic_quotas import OURS, DeclaredElasticQuotas, is_fixed, weight_of
from htcq.audit.rule import Found, Input, Rule, Severity

#: A weight below this part of its siblings' is small.
_SMALL_PART = 100


def _find(quotas: DeclaredElasticQuotas) -> Iterator[Found]:
    together: Counter[tuple[str, str]] = Counter()
    for group in quotas.tree.groups:
        for name in group.max:
            together[group.parent, name] += weight_of(group, name)

    for group in quotas.tree.groups:
        if is_fixed(group) or any(group.min.values()):
            continue
        for name in sorted(group.max):
            weight, of_all = weight_of(group, name), together[group.parent, name]
            if 0 < weight * _SMALL_PART < of_all:
                message = (
                    f"group {group.name} has no guarantee, and its weight is {weight} of {of_all} "
                    f"{name}"
                )
                yield quotas.found(group.name, message)


RULE = Rule(
    id="elastic-may-starve",
    severity=Severity.INFO,
    needs=(Input.ELASTIC,),
    summary=(
        "A group has no guarantee, and its weight is less than a hundredth of its siblings' weight"
    ),
    consequence="While the siblings are busy it gets almost nothing.",
    advice="Set a min or a larger weight.",
    source=OURS,
    find=_find,
)
