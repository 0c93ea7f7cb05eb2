"""A transform or submit requirement that the schedd is told to use, and ignores."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import listed
from htcq.audit.job_policies import JobPolicies, JobPolicy
from htcq.audit.rule import Fact, Found, Input, Rule, Severity, Unchecked


def _find(evidence: Evidence) -> Iterator[Found | Unchecked]:
    if evidence.pool.anonymous:
        yield Unchecked("submit requirements and job transforms: an anonymous snapshot has none")
        return
    undecided = []
    for name, configuration in evidence.access.items():
        policies = JobPolicies(configuration, evidence.pool.schedd_version(name))
        for policy in (*policies.transforms(), *policies.requirements()):
            if policy.ignored:
                yield _found(name, policy, None)
            elif policy.ignored_later:
                yield _found(name, policy, Severity.INFO)
            elif policy.depends_on_version:
                undecided.append(name)
    if undecided:
        yield Unchecked(
            f"the version of {listed(undecided)}: whether it still supports transforms in ClassAd "
            "syntax"
        )


def _found(name: str, policy: JobPolicy, severity: Severity | None) -> Found:
    why = policy.ignored or policy.ignored_later
    ignores = "will ignore" if severity else "ignores"
    return Found(
        cause=f"{policy.knob}: {why}",
        subject=f"knob {policy.knob}",
        message=f"schedd {name} {ignores} {policy.knob}: {why}",
        facts=(Fact(policy.knob, policy.text or "(not set)", policy.place),),
        examples=(name,),
        severity=severity,
    )


RULE = Rule(
    id="job-policy-ignored",
    severity=Severity.WARNING,
    needs=(Input.ACCESS,),
    summary="A transform or submit requirement is listed, and the schedd ignores it",
    consequence=(
        "JOB_TRANSFORM_NAMES and SUBMIT_REQUIREMENT_NAMES may list names that are not defined, "
        "or have an obsolete syntax: the only sign is a line in SchedLog. Jobs are queued as if "
        "there were no such policy: in the wrong group, without limits, or on the wrong machines."
    ),
    advice=(
        "Define the listed name, or remove it from the list. Rewrite a transform in ClassAd "
        "syntax (it begins with '[') as lines of SET, DEFAULT, COPY and REQUIREMENTS: "
        "'condor_transform_ads -help convert'."
    ),
    source=(
        "src/condor_schedd.V6/job_transforms.cpp:initAndReconfig, schedd.cpp:Init, 25.14; 25.8.2 "
        "(syntax)"
    ),
    find=_find,
)
