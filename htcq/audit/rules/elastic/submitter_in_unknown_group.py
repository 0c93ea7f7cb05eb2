"""A submitter names a group that does not exist."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.elastic_quotas import DeclaredElasticQuotas
from htcq.audit.rule import Found, Input, Rule, Severity


def _find(quotas: DeclaredElasticQuotas) -> Iterator[Found]:
    for name in quotas.lost:
        message = f"{name} names a group that does not exist: no quota applies to its jobs"
        yield quotas.found(name, message)


RULE = Rule(
    id="elastic-submitter-in-unknown-group",
    severity=Severity.WARNING,
    needs=(Input.ELASTIC,),
    summary="A submitter names a group that does not exist",
    consequence=(
        "Its jobs belong to the default group: no quota limits them, and their usage reduces the "
        "amount for all groups."
    ),
    advice="Declare the group, or let the users name an existing one.",
    source=(
        "koordinator-sh/koordinator pkg/scheduler/plugins/elasticquota/pod_handler.go, commit "
        "a7a1b76"
    ),
    find=_find,
)
