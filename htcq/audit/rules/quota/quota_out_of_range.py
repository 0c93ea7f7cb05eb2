"""A knob of group quotas has a value on which the negotiator exits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from htcq.audit.evidence import Evidence
from htcq.audit.facts import knob_fact
from htcq.audit.group_knobs import in_range
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.quota.knobs import TreeProblem

#: What a knob must be, by how its name begins; the longest beginning counts.
_ALLOWED = {
    "GROUP_QUOTA_": "a number from 0 to 2147483647",
    "GROUP_QUOTA_DYNAMIC_": "a number from 0 to 1",
    "GROUP_QUOTA_MAX_ALLOCATION_ROUNDS": "a whole number of at least 1",
    "GROUP_QUOTA_ROUND_ROBIN_RATE": "a number of at least 1",
}


def _allowed(problem: TreeProblem) -> str:
    if problem.kind == "not-a-boolean":
        return "true or false"
    fitting = [beginning for beginning in _ALLOWED if problem.knob.upper().startswith(beginning)]
    if not fitting:
        return "a number"
    return _ALLOWED[max(fitting, key=len)]


def _find(evidence: Evidence) -> Iterator[Found]:
    for problem in evidence.quotas.group_problems:
        if problem.fatal and problem.kind != "not-an-expression":
            yield Found(
                cause=problem.knob.upper(),
                subject=f"knob {problem.knob}",
                message=(
                    f"{problem.knob} = {problem.value} makes the negotiator crash: it must be "
                    f"{_allowed(problem)}"
                ),
                facts=(replace(knob_fact(evidence, problem.knob), value=problem.value),),
                settings=in_range(evidence, problem),
                is_root=True,
            )


RULE = Rule(
    id="quota-out-of-range",
    severity=Severity.ERROR,
    needs=(Input.CENTRAL,),
    summary="A knob of group quotas has a value on which the negotiator exits",
    consequence=(
        "The negotiator exits at its start and at each reconfiguration; the master restarts it, "
        "and it exits again: nothing in the pool is matched."
    ),
    advice=(
        "Correct the value: static quotas are numbers from 0 to 2147483647, dynamic ones from 0 "
        "to 1."
    ),
    source="src/condor_utils/condor_config.cpp:param_double, param_boolean, 25.14",
    find=_find,
)
