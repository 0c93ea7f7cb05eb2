"""A group's name makes the knob of its quota one that means something else."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import knob_fact
from htcq.audit.rule import Found, Input, Rule, Severity

_SETTINGS = ("MAX_ALLOCATION_ROUNDS", "ROUND_ROBIN_RATE")
_DYNAMIC = "DYNAMIC_"


def _find(evidence: Evidence) -> Iterator[Found]:
    for group in evidence.quotas.groups:
        name, knob = group.name.upper(), f"GROUP_QUOTA_{group.name}"
        if name in _SETTINGS:
            meaning = f"the setting {knob.upper()}"
        elif name.startswith(_DYNAMIC):
            meaning = f"the dynamic quota of a group {group.name[len(_DYNAMIC) :]}"
        else:
            continue
        yield Found(
            cause=name,
            subject=f"group {group.name}",
            message=(
                f"{knob}, the quota of {group.name}, is also {meaning}: both have the value "
                f"{group.config_quota:g}"
            ),
            facts=(knob_fact(evidence, knob),),
            examples=(group.name,),
        )


RULE = Rule(
    id="group-collides-with-knob",
    severity=Severity.WARNING,
    needs=(Input.CENTRAL,),
    summary="The knob of a group's quota is also another knob",
    consequence=(
        "GROUP_QUOTA_DYNAMIC_x is the dynamic quota of x and the static quota of a group "
        "DYNAMIC_x; a group called MAX_ALLOCATION_ROUNDS or ROUND_ROBIN_RATE has that setting as "
        "its quota. Changing one changes the other."
    ),
    advice="Rename the group.",
    source="src/condor_negotiator.V6/GroupEntry.cpp:hgq_construct_tree, 25.14",
    find=_find,
)
