"""A weight of 0 keeps a group from borrowing."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.elastic_quotas import COMPUTED, DeclaredElasticQuotas
from htcq.audit.rule import Found, Input, Rule, Severity


def _find(quotas: DeclaredElasticQuotas) -> Iterator[Found]:
    for group in quotas.tree.groups:
        if not group.max:
            continue
        for name, weight in sorted(group.weight.items()):
            cap = group.max.get(name, 0)
            if weight == 0 and (cap is None or cap > group.min.get(name, 0)):
                message = (
                    f"group {group.name} has a weight of 0 {name}: its runtime is never above its "
                    "min"
                )
                yield quotas.found(group.name, message)


RULE = Rule(
    id="elastic-weight-zero",
    severity=Severity.WARNING,
    needs=(Input.ELASTIC,),
    summary="A weight is 0 and the max exceeds the min",
    consequence=(
        "The runtime of the group is never above its min, whatever its max and however much is "
        "free. HTCondor has no weights, and lends it surplus nevertheless."
    ),
    advice="Set a weight, or a max equal to the min.",
    source=COMPUTED,
    find=_find,
)
