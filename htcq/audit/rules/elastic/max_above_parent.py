"""A max is above that of the group above."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.elastic_quotas import OURS, ElasticQuotas
from htcq.audit.rule import Found, Input, Rule, Severity


def _find(quotas: ElasticQuotas) -> Iterator[Found]:
    for group, parent in quotas.pairs():
        for name, cap in sorted(group.max.items()):
            most = parent.max.get(name)
            if most is not None and (cap is None or cap > most):
                shown = "no max" if cap is None else f"a max of {cap}"
                message = f"group {group.name} has {shown} of {name}, and {parent.name} above it has one of {most}"
                yield quotas.found(group.name, message)


RULE = Rule(
    id="elastic-max-above-parent",
    severity=Severity.INFO,
    needs=(Input.ELASTIC,),
    summary="A max is above that of the group above",
    consequence="It does no harm and holds nobody back: the max above is what counts.",
    advice="Lower it to what the group can really have, unless it is meant to stay when the one above changes.",
    source=OURS,
    find=_find,
)
