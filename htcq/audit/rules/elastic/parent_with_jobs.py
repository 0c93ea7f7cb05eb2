"""A group has jobs of its own and child groups."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.elastic_quotas import OURS, DeclaredElasticQuotas
from htcq.audit.rule import Found, Input, Rule, Severity


def _find(quotas: DeclaredElasticQuotas) -> Iterator[Found]:
    if quotas.demand is None:
        return
    for group in quotas.tree.groups:
        if quotas.tree.children.get(group.name) and quotas.is_active(group.name):
            message = (
                f"group {group.name} has jobs of its own and child groups: its jobs count as one "
                "more child"
            )
            yield quotas.found(group.name, message)


RULE = Rule(
    id="elastic-parent-with-jobs",
    severity=Severity.INFO,
    needs=(Input.ELASTIC,),
    summary="A group has jobs of its own and groups below it",
    consequence=(
        "Its jobs are treated as a child group <self>, with the part of its min that the other "
        "children leave."
    ),
    advice="Nothing needs to be done; a separate group for these jobs is clearer.",
    source=OURS,
    find=_find,
)
