"""The top-level groups are guaranteed more than there is."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.elastic_quotas import COMPUTED, DeclaredElasticQuotas
from htcq.audit.rule import Found, Input, Rule, Severity


def _find(quotas: DeclaredElasticQuotas) -> Iterator[Found]:
    if quotas.demand is None:
        return
    total = quotas.demand.effective_total
    for name in sorted({each for group in quotas.top_level for each in group.max}):
        mins = sum(group.min.get(name, 0) for group in quotas.top_level)
        if name in total and mins > total[name]:
            message = (
                f"the mins of the top-level groups add up to {mins} {name}, but the total is "
                f"{total[name]}"
            )
            yield quotas.found("", message, (quotas.fact(f"total.{name}", str(total[name])),))


RULE = Rule(
    id="elastic-mins-above-capacity",
    severity=Severity.WARNING,
    needs=(Input.ELASTIC,),
    summary="The mins of the top-level groups add up to more than the available amount",
    consequence=(
        "Not every group gets its min: those of a higher priority come first, and those of the "
        "same priority shrink in proportion; with scale_min off, the runtimes exceed the available "
        "amount."
    ),
    advice=(
        "Lower the mins, find out why capacity is missing, or say with 'priority' whose min comes "
        "first."
    ),
    source=COMPUTED,
    find=_find,
)
