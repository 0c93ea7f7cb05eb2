"""Two groups have names that HTCondor takes for one."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.elastic_quotas import UPSTREAM, DeclaredElasticQuotas
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.quota.group_tree import name_key


def _find(quotas: DeclaredElasticQuotas) -> Iterator[Found]:
    seen: dict[bytes, str] = {}
    for group in quotas.sorted_groups:
        key = name_key(group.name)
        if key in seen:
            message = f"group {group.name} is declared twice: {seen[key]} is the same name"
            yield quotas.found(group.name, message)
        seen[key] = group.name


RULE = Rule(
    id="elastic-group-twice",
    severity=Severity.ERROR,
    needs=(Input.ELASTIC,),
    summary="Two groups have the same name, apart from upper and lower case",
    consequence="HTCondor treats them as one group.",
    advice="Use one name and one spelling for every group.",
    source=UPSTREAM,
    find=_find,
)
