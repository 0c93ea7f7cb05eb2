"""A name in GROUP_NAMES that makes no group.

Its parent is missing, it is listed twice, or it is the root's.
"""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import counted, knob_fact
from htcq.audit.group_knobs import sound_groups
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.quota.group_tree import name_key
from htcq.quota.knobs import TreeProblem


def _reason(problem: TreeProblem) -> str:
    if problem.kind == "missing-parent":
        return f"there is no group {problem.value} above it"
    if problem.kind == "duplicate":
        return f"it is the same as {problem.value}, because names are not case-sensitive"
    return "the name is that of the root group"


def _find(evidence: Evidence) -> Iterator[Found]:
    quotas = evidence.quotas
    for problem in quotas.problems:
        if problem.kind not in ("missing-parent", "duplicate", "reserved-name"):
            continue
        why = _reason(problem)
        path = name_key(problem.group) + b"."
        defaulted = [each for each in quotas.submitters if each.defaulted]
        lost = [each for each in defaulted if name_key(each.name).startswith(path)]
        hurt = ""
        if lost:
            hurt = f"; {counted(len(lost), 'submitter')} of it are charged to {lost[0].group}"
        yield Found(
            cause=f"{problem.kind} {problem.value}".strip(),
            subject=f"group {problem.group}",
            message=f"the negotiator ignores group {problem.group}: {why}{hurt}",
            facts=(knob_fact(evidence, "GROUP_NAMES"),),
            settings=sound_groups(evidence),
            examples=(problem.group,),
        )


RULE = Rule(
    id="group-dropped",
    severity=Severity.WARNING,
    needs=(Input.CENTRAL,),
    summary="A name in GROUP_NAMES does not define a group",
    consequence=(
        "The negotiator logs a warning and continues without the group. Its jobs are charged to "
        "the nearest existing parent group, or to the root, and its quota has no effect."
    ),
    advice=(
        "List every group once, in one spelling, together with all its parent groups, and set "
        "their quotas."
    ),
    source="src/condor_negotiator.V6/GroupEntry.cpp:hgq_construct_tree, 25.14",
    find=_find,
)
