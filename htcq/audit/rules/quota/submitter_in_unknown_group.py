"""Submitters name a group that does not exist, and are charged to one above it."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import knob_fact
from htcq.audit.rule import Fact, Found, Input, Rule, Severity, Unchecked
from htcq.audit.users import users
from htcq.quota.group_tree import ROOT, name_key
from htcq.spelling import near_names

_MAPS = "NEGOTIATOR_CLASSAD_USER_MAP_NAMES"


def _find(evidence: Evidence) -> Iterator[Found | Unchecked]:
    quotas = evidence.quotas
    if not quotas.grouped:
        return
    if "GROUP_PREFIX" in evidence.setting(_MAPS).replace(",", " ").split():
        yield Unchecked("the map GROUP_PREFIX of the negotiator, which changes submitters' names")
        return
    dropped = {name_key(problem.group) for problem in quotas.problems}
    # The rule on users with a dot in their name reports these users.
    dotted = {user.submitter for user in users(evidence) if "." in user.name}
    for submitter in quotas.submitters:
        path = submitter.name.rpartition("@")[0].rpartition(".")[0]
        if not submitter.defaulted or submitter.name in dotted or name_key(path) in dropped:
            continue
        hint = ""
        near = near_names(path, [group.name for group in quotas.groups])
        if near:
            hint = f"; did you mean {near[0]}?"
        where = "to no group" if submitter.group == ROOT else f"to {submitter.group}"
        yield Found(
            cause=path.lower(),
            subject=f"submitter {submitter.name}",
            message=f"{submitter.name} is charged {where}: there is no group {path}{hint}",
            facts=(Fact("Name", submitter.name), knob_fact(evidence, "GROUP_NAMES")),
            examples=(submitter.name,),
        )


RULE = Rule(
    id="submitter-in-unknown-group",
    severity=Severity.WARNING,
    needs=(Input.CENTRAL, Input.SUBMITTERS),
    summary="Submitters name a group that is not in GROUP_NAMES",
    consequence=(
        "The negotiator charges them to the deepest existing group in the name, or to the root, "
        "which is negotiated last. Their jobs use the quota of another group, and their own "
        "quota is unused."
    ),
    advice=(
        "Add the group to GROUP_NAMES with a quota, or change the jobs to name an existing group."
    ),
    source="src/condor_negotiator.V6/GroupEntry.cpp:GetAssignedGroup, 25.14",
    find=_find,
)
