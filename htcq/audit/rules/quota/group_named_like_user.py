"""A submitter's whole name is that of a group, but the group is not what it is charged to."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import knob_fact
from htcq.audit.rule import Fact, Found, Input, Rule, Severity
from htcq.quota.group_tree import ROOT


def _find(evidence: Evidence) -> Iterator[Found]:
    quotas = evidence.quotas
    if not quotas.grouped:
        return
    for submitter in quotas.submitters:
        name = submitter.name.rpartition("@")[0]
        group = quotas.tree.find(name)
        if group is None or group.name == ROOT:
            continue
        user = name.rpartition(".")[2]
        where = "no group" if submitter.group == ROOT else f"group {submitter.group}"
        yield Found(
            cause=group.name,
            subject=f"submitter {submitter.name}",
            message=(
                f"the negotiator reads {submitter.name} as user {user} of {where}, not as group "
                f"{group.name}"
            ),
            facts=(Fact("Name", submitter.name), knob_fact(evidence, "GROUP_NAMES")),
            examples=(submitter.name,),
        )


RULE = Rule(
    id="group-named-like-user",
    severity=Severity.WARNING,
    needs=(Input.CENTRAL, Input.SUBMITTERS),
    summary="A submitter has the name of a group and is not charged to it",
    consequence=(
        "The part after the last dot is always the user. Jobs whose AccountingGroup is only the "
        "group's name, without a user, are charged to the parent group or to no group, and the "
        "group's quota does not apply to them."
    ),
    advice=(
        "Submit with accounting_group = <group>, which adds the user, and do not give groups the "
        "names of users."
    ),
    source=(
        "src/condor_negotiator.V6/GroupEntry.cpp:GetAssignedGroup, "
        "src/condor_utils/submit_utils.cpp, 25.14"
    ),
    find=_find,
)
