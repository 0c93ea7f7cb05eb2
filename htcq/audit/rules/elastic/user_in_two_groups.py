"""Two groups name one user."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.elastic_quotas import UPSTREAM, DeclaredElasticQuotas
from htcq.audit.rule import Found, Input, Rule, Severity


def _find(quotas: DeclaredElasticQuotas) -> Iterator[Found]:
    groups: dict[str, str] = {}
    for group in quotas.sorted_groups:
        for user in group.users:
            other = groups.setdefault(user, group.name)
            if other != group.name:
                yield quotas.found(
                    group.name, f"user {user} belongs to both {other} and {group.name}"
                )


RULE = Rule(
    id="elastic-user-in-two-groups",
    severity=Severity.ERROR,
    needs=(Input.ELASTIC,),
    summary="A user without a group of its own belongs to two groups",
    consequence="It is not defined which group's quota applies to the user's jobs.",
    advice="List the user in one group only.",
    source=UPSTREAM,
    find=_find,
)
