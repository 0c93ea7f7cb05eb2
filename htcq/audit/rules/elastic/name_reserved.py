"""A group has a name that stands for something else already."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.elastic_quotas import UPSTREAM, DeclaredElasticQuotas
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.quota.elastic.declaration import RESERVED


def _find(quotas: DeclaredElasticQuotas) -> Iterator[Found]:
    for group in quotas.sorted_groups:
        if any(part in RESERVED for part in group.name.lower().split(".")):
            yield quotas.found(group.name, f"group {group.name} has a reserved name")


RULE = Rule(
    id="elastic-name-reserved",
    severity=Severity.ERROR,
    needs=(Input.ELASTIC,),
    summary=(
        "A group has the reserved name of the root, the system group, the default group or a "
        "group's own jobs"
    ),
    consequence="These groups exist already, and no quota applies to them.",
    advice="Choose another name.",
    source=UPSTREAM,
    find=_find,
)
