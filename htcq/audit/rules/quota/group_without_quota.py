"""A group has no quota: its own and those of all groups below it are 0."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.declared_groups import DeclaredGroups, fact_of, on_declared
from htcq.audit.evidence import Evidence
from htcq.audit.facts import counted, knob_fact
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.why.match_failure import GROUP_QUOTA


def _find(evidence: Evidence) -> Iterator[Found]:
    quotas = evidence.quotas
    # The rule on names reports a group for which no knob can be set.
    illegal = {problem.group for problem in quotas.problems if problem.kind == "illegal-name"}
    for problem in quotas.problems:
        if problem.kind == "no-quota" and problem.group not in illegal:
            below = len(list(quotas.subtree(problem.group))) - 1
            others = ""
            if below:
                others = f", and so are the quotas of {counted(below, 'group')} below it"
            yield Found(
                cause="no quota",
                subject=f"group {problem.group}",
                message=(
                    f"group {problem.group} has neither {problem.knob} nor a dynamic one: its "
                    f"quota is 0{others}"
                ),
                facts=(knob_fact(evidence, "GROUP_NAMES"), knob_fact(evidence, problem.knob)),
                advice=(
                    f"Set {problem.knob} (an amount) or GROUP_QUOTA_DYNAMIC_{problem.group} (a "
                    "share from 0 to 1)."
                ),
                examples=(problem.group,),
                implies=(GROUP_QUOTA,),
            )


def _find_declared(declared: DeclaredGroups) -> Iterator[Found]:
    for group in declared.groups:
        if not group.configured:
            severity: Severity | None
            if declared.below(group.name):
                cause, severity = "a parent without a quota", Severity.ERROR
                many = "and those of all groups below it are"
            else:
                cause, many, severity = "no quota", "is", None
            yield Found(
                cause=cause,
                subject=f"group {group.name}",
                message=f"group {group.name} has neither quota nor share: its quota {many} 0",
                facts=(fact_of(group),),
                advice=(
                    f"Give [groups.{group.name}] a quota (an amount of slot weight) or a share "
                    "(from 0 to 1)."
                ),
                examples=(group.name,),
                severity=severity,
            )


RULE = Rule(
    id="group-without-quota",
    severity=Severity.WARNING,
    needs=(Input.CENTRAL,),
    summary="A group of GROUP_NAMES has no quota",
    consequence=(
        "The negotiator gives it a dynamic quota of 0, and nothing to its child groups. It gets "
        "slots only if it accepts surplus and there is some."
    ),
    advice=(
        "Set GROUP_QUOTA_<group> (an amount) or GROUP_QUOTA_DYNAMIC_<group> (a share from 0 to 1)."
    ),
    source="src/condor_negotiator.V6/GroupEntry.cpp:hgq_construct_tree, hgq_assign_quotas, 25.14",
    find=_find,
)
DECLARED = on_declared(RULE, _find_declared)
