"""Mins of the kinds of a dimension that add up to more than the min of the dimension."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.elastic_quotas import OURS, DeclaredElasticQuotas, base_of
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.quota.elastic.kinds import MARK


def _find(quotas: DeclaredElasticQuotas) -> Iterator[Found]:
    for group in quotas.sorted_groups:
        wholes = {base_of(name) for name in group.min if MARK in name}
        for whole in sorted(wholes & set(group.max)):
            kinds = [name for name in group.min if name.startswith(f"{whole}{MARK}")]
            together = sum(group.min[name] for name in kinds)
            least = group.min.get(whole, 0)
            if together > least:
                message = (
                    f"group {group.name} has mins of {whole} models that add up to {together}, "
                    f"but its own is {least}"
                )
                facts = tuple(
                    quotas.amount_fact(group, "min", name) for name in (whole, *sorted(kinds))
                )
                yield quotas.found(group.name, message, facts)


RULE = Rule(
    id="elastic-kinds-above-whole",
    severity=Severity.ERROR,
    needs=(Input.ELASTIC,),
    summary="The mins of GPU models, such as gpus:a100, add up to more than the min of gpus",
    consequence=(
        "GPUs of each model are guaranteed, but not as many GPUs in total: both cannot be "
        "satisfied."
    ),
    advice="Raise the min of gpus, or lower those of the models.",
    source=OURS,
    find=_find,
)
