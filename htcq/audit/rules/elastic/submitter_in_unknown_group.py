"""A submitter names a group that does not exist."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.elastic_quotas import DeclaredElasticQuotas
from htcq.audit.rule import Found, Input, Rule, Severity


def _find(quotas: DeclaredElasticQuotas) -> Iterator[Found]:
    for name in quotas.lost:
        message = f"{name} names a group that does not exist"
        yield quotas.found(name, message)


RULE = Rule(
    id="elastic-submitter-in-unknown-group",
    severity=Severity.WARNING,
    needs=(Input.ELASTIC,),
    summary="A submitter names a group that does not exist",
    consequence=(
        "Its jobs belong to the nearest group above that exists. If there is none, no quota limits "
        "them, and their usage reduces the amount for all groups."
    ),
    advice="Declare the group, or let the users name an existing one.",
    source="src/condor_negotiator.V6/GroupEntry.cpp:GetAssignedGroup, HTCondor 25.14",
    find=_find,
)
