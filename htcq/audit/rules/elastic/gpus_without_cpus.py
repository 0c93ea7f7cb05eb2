"""A group is guaranteed GPUs, and not what jobs need to use them."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.elastic_quotas import COMPUTED, DeclaredElasticQuotas
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.units import CPUS, GPUS, MEMORY


def _find(quotas: DeclaredElasticQuotas) -> Iterator[Found]:
    for group in quotas.tree.groups:
        if group.min.get(GPUS, 0) <= 0:
            continue
        for name in (CPUS, MEMORY):
            if name in group.max and not group.min.get(name, 0):
                message = f"group {group.name} is guaranteed {group.min[GPUS]} GPUs but no {name}"
                yield quotas.found(group.name, message)


RULE = Rule(
    id="elastic-gpus-without-cpus",
    severity=Severity.WARNING,
    needs=(Input.ELASTIC,),
    summary="A group is guaranteed GPUs, but no cpus or no memory",
    consequence=(
        "Every dimension is shared independently: the GPUs may be available, but no job can "
        "start on them."
    ),
    advice="Set mins of cpus and memory that are sufficient for the GPUs.",
    source=COMPUTED,
    find=_find,
)
