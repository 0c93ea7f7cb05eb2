"""Groups that do not lend keep much of what there is."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.elastic_quotas import OURS, DeclaredElasticQuotas
from htcq.audit.rule import Found, Input, Rule, Severity

#: From which part of what there is mins that nobody may borrow are worth a warning.
_IDLE_PART = 2


def _find(quotas: DeclaredElasticQuotas) -> Iterator[Found]:
    if quotas.demand is None:
        return
    total = quotas.demand.effective_total
    for name in sorted({each for group in quotas.top_level for each in group.max}):
        kept = sum(group.min.get(name, 0) for group in quotas.top_level if not group.lend)
        if total.get(name, 0) > 0 and kept * _IDLE_PART > total[name]:
            message = (
                f"top-level groups that do not lend are guaranteed {kept} of {total[name]} "
                f"{name}, used or not"
            )
            yield quotas.found("", message)


RULE = Rule(
    id="elastic-idle-min-kept",
    severity=Severity.WARNING,
    needs=(Input.ELASTIC,),
    summary="Top-level groups that do not lend are guaranteed more than half of the total",
    consequence="What they do not use is idle while others wait.",
    advice="Let them lend, or lower their mins.",
    source=OURS,
    find=_find,
)
