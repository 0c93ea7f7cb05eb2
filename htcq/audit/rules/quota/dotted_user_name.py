"""A user's name has a dot: the negotiator takes what stands before it for a group."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.rule import Fact, Found, Input, Rule, Severity
from htcq.audit.users import users
from htcq.quota.group_tree import ROOT, assigned_group


def _find(evidence: Evidence) -> Iterator[Found]:
    quotas = evidence.quotas
    if not quotas.grouped:
        return
    known: set[str] = set()
    for user in users(evidence):
        if "." not in user.name or user.submitter in known:
            continue
        known.add(user.submitter)
        meant = ROOT
        if user.group:
            meant = assigned_group(quotas.tree, f"{user.group}.user@site").group
        charged = assigned_group(quotas.tree, user.submitter).group
        before = user.name.rpartition(".")[0]
        severity: Severity | None
        if charged == meant:
            cause, severity = "no harm", Severity.INFO
            effect = f"is still charged to {meant}"
        else:
            cause, severity = f"charged to {charged}", None
            effect = f"is charged to {charged} instead of {meant}"
        yield Found(
            cause=cause,
            subject=f"submitter {user.submitter}",
            message=f"user {user.name} {effect}: the negotiator looks for a group {before}",
            facts=(Fact("Name", user.submitter),),
            examples=(user.submitter,),
            severity=severity,
        )


RULE = Rule(
    id="dotted-user-name",
    severity=Severity.WARNING,
    needs=(Input.CENTRAL, Input.JOBS),
    summary="A user's name has a dot, and the negotiator takes the part before it as a group",
    consequence=(
        "The group of a submitter is everything before the last dot of its name. If a group of "
        "that name exists, the user is charged to it; otherwise the negotiator logs a warning in "
        "each cycle and uses the parent group."
    ),
    advice="Set accounting_group_user to a name without dots.",
    source="src/condor_negotiator.V6/GroupEntry.cpp:GetAssignedGroup, 25.14",
    find=_find,
)
