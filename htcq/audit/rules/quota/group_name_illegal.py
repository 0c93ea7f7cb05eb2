"""A group's name has a character that no knob's name may have."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import knob_fact
from htcq.audit.rule import Found, Input, Rule, Severity

#: What somebody may take for a separator of a list; HTCondor's are commas and spaces.
_SEPARATORS = ";:|"


def _find(evidence: Evidence) -> Iterator[Found]:
    for problem in evidence.quotas.problems:
        if problem.kind == "illegal-name":
            odd = ""
            for character in problem.group:
                if not (character.isalnum() or character in "_./" or character in odd):
                    odd += character
            hint = ""
            if problem.group[-1] in _SEPARATORS:
                hint = "; separate the groups with commas"
            yield Found(
                cause="illegal name",
                subject=f"group {problem.group}",
                message=(
                    f"group {problem.group} cannot have a quota: knob names must not contain "
                    f"{odd or problem.group!r}{hint}"
                ),
                facts=(knob_fact(evidence, "GROUP_NAMES"),),
                examples=(problem.group,),
            )


RULE = Rule(
    id="group-name-illegal",
    severity=Severity.ERROR,
    needs=(Input.CENTRAL,),
    summary="A group's name has characters that are not allowed in knobs",
    consequence=(
        "A line such as GROUP_QUOTA_nice-user = 10 is an illegal identifier: every daemon and "
        "tool that reads it exits. Without such a line the group's quota is 0."
    ),
    advice=(
        "Rename the group in GROUP_NAMES: letters, digits, '_' and '/' are allowed, and '.' "
        "between a group and its child. Then set the quota of the new name, and inform its "
        "users: the accounting_group of a job determines its group."
    ),
    source=(
        "src/condor_utils/config.cpp:is_valid_param_name, 25.14; condor_config_val 25.14.1 "
        "refuses such a line"
    ),
    find=_find,
)
