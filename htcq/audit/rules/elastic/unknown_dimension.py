"""There is a quota of something of which there is nothing to share."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from htcq.audit.elastic_quotas import COMPUTED, DeclaredElasticQuotas
from htcq.audit.rule import Found, Input, Rule, Severity


def _find(quotas: DeclaredElasticQuotas) -> Iterator[Found]:
    if quotas.demand is None:
        return
    total = quotas.demand.effective_total
    for name, holder in sorted(_holders(quotas).items()):
        if name not in total:
            advice = ""
            near = difflib.get_close_matches(name, sorted(total), 1)
            if near:
                advice = f"Did you mean {near[0]}?"
            message = (
                f"{name}, for which {holder} has a quota, is missing from the total: nothing of "
                "it can be shared"
            )
            yield quotas.found(holder, message, advice=advice)


def _holders(quotas: DeclaredElasticQuotas) -> dict[str, str]:
    """Return the dimensions of quotas, each with the first group that has a quota of it."""
    found: dict[str, str] = {}
    for group in quotas.tree.groups:
        for name in (*group.max, *group.weight):
            found.setdefault(name, group.name)
    return found


RULE = Rule(
    id="elastic-unknown-dimension",
    severity=Severity.WARNING,
    needs=(Input.ELASTIC,),
    summary="There is a quota for a dimension that is missing from the total",
    consequence="The available amount is 0: all requests for it wait.",
    advice="Correct the name, or add it to the total.",
    source=COMPUTED,
    find=_find,
)
