"""A submitter names a group that is not there."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.elastic_quotas import ElasticQuotas
from htcq.audit.rule import Found, Input, Rule, Severity


def _find(quotas: ElasticQuotas) -> Iterator[Found]:
    for name in quotas.lost:
        message = f"{name} names a group that is not there: no quota binds its jobs"
        yield quotas.found(name, message)


RULE = Rule(
    id="elastic-submitter-in-unknown-group",
    severity=Severity.WARNING,
    needs=(Input.ELASTIC,),
    summary="A submitter names a group that is not there",
    consequence="Its jobs fall to the default group: no quota binds them, and what they use is taken from all.",
    advice="Declare the group, or have the users name one that there is.",
    source="koordinator-sh/koordinator pkg/scheduler/plugins/elasticquota/pod_handler.go, commit a7a1b76",
    find=_find,
)
