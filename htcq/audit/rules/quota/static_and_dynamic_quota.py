"""A group has a static and a dynamic quota."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import knob_fact
from htcq.audit.fix_settings import central
from htcq.audit.rule import Found, Input, Rule, Severity


def _find(evidence: Evidence) -> Iterator[Found]:
    for problem in evidence.quotas.problems:
        if problem.kind == "both-kinds":
            static = knob_fact(evidence, f"GROUP_QUOTA_{problem.group}")
            yield Found(
                cause="both kinds",
                subject=f"group {problem.group}",
                message=(
                    f"{problem.knob} = {problem.value} is ignored: GROUP_QUOTA_{problem.group} = "
                    f"{static.value} applies"
                ),
                facts=(static, knob_fact(evidence, problem.knob)),
                examples=(problem.group,),
                settings=(central(evidence, problem.knob, ""),),
            )


RULE = Rule(
    id="static-and-dynamic-quota",
    severity=Severity.INFO,
    needs=(Input.CENTRAL,),
    summary="A group has both a static and a dynamic quota",
    consequence="The negotiator uses the static quota and ignores the dynamic one.",
    advice="Delete one of the two; deleting the dynamic one changes nothing.",
    source="src/condor_negotiator.V6/GroupEntry.cpp:hgq_construct_tree, 25.14",
    find=_find,
)
