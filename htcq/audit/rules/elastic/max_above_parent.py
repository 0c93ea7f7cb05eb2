"""A max exceeds that of the parent group."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.elastic_quotas import OURS, DeclaredElasticQuotas
from htcq.audit.rule import Found, Input, Rule, Severity


def _find(quotas: DeclaredElasticQuotas) -> Iterator[Found]:
    for group, parent in quotas.pairs():
        for name, cap in sorted(group.max.items()):
            most = parent.max.get(name)
            if most is not None and (cap is None or cap > most):
                shown = "no max" if cap is None else f"a max of {cap}"
                message = (
                    f"group {group.name} has {shown} of {name}, but its parent {parent.name} has "
                    f"one of {most}"
                )
                yield quotas.found(group.name, message)


RULE = Rule(
    id="elastic-max-above-parent",
    severity=Severity.INFO,
    needs=(Input.ELASTIC,),
    summary="A max is above that of the group above",
    consequence="It has no effect: the parent's max applies.",
    advice=(
        "Lower it to what the group can really get, unless it should stay when the parent's max "
        "changes."
    ),
    source=OURS,
    find=_find,
)
