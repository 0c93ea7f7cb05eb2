"""Accounting groups that every user may name.

Nothing on the access point checks the group that a job asks for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import counted, listed
from htcq.audit.job_policies import JobPolicies
from htcq.audit.rule import Fact, Found, Input, Rule, Severity, Unchecked
from htcq.audit.users import users
from htcq.pool.configuration import Configuration

#: The attributes by which a job names its group and its user.
_OF_GROUPS = re.compile(r"\b(?:Acct|Accounting)Group\w*", re.IGNORECASE)
_ATTRIBUTES = ("AccountingGroup", "AcctGroup")
#: Lists of attributes that a user cannot set at all, and of those that only administrators can
#: change later.
_NEVER, _LATER = ("SECURE_JOB_ATTRS",), ("IMMUTABLE_JOB_ATTRS", "PROTECTED_JOB_ATTRS")


def _find(evidence: Evidence) -> Iterator[Found | Unchecked]:
    if not evidence.quotas.grouped:
        return
    if evidence.pool.anonymous:
        yield Unchecked("submit requirements and job transforms: an anonymous snapshot has none")
        return
    unknown = [
        record.name for record in evidence.pool.schedds if record.name not in evidence.access
    ]
    if unknown:
        yield Unchecked(f"the configuration of {listed(unknown)} (access/NAME.txt)")
    several = _users_of_several_groups(evidence)
    for name, configuration in evidence.access.items():
        if _lists(configuration, _NEVER):
            continue
        if not _looked_at(evidence, name, configuration):
            yield _found(name, several)
        elif not _lists(configuration, _LATER):
            yield _editable(name)


def _looked_at(evidence: Evidence, name: str, configuration: Configuration) -> bool:
    """Return whether a transform or a submit requirement names the attributes of groups."""
    policies = JobPolicies(configuration, evidence.pool.schedd_version(name))
    for policy in (*policies.transforms(), *policies.requirements()):
        effective = not (policy.ignored or policy.unparsable or policy.only_warns)
        if effective and _OF_GROUPS.search(policy.text):
            return True
    return False


def _lists(configuration: Configuration, knobs: tuple[str, ...]) -> bool:
    """Return whether one of the knobs lists the attribute that the negotiator goes by."""
    for knob in knobs:
        names = configuration.value(knob).replace(",", " ").lower().split()
        if _ATTRIBUTES[0].lower() in names:
            return True
    return False


def _users_of_several_groups(evidence: Evidence) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for user in users(evidence):
        if user.group:
            found.setdefault(user.name, set()).add(user.group)
    return {name: groups for name, groups in found.items() if len(groups) > 1}


def _found(name: str, several: dict[str, set[str]]) -> Found:
    example = ""
    if several:
        user, groups = next(iter(several.items()))
        example = (
            f"; {counted(len(several), 'user')} with jobs in several groups, such as {user} in "
            f"{listed(sorted(groups))}"
        )
    return Found(
        cause="any group",
        subject=f"access point {name}",
        message=(
            f"no submit requirement, transform or map of schedd {name} checks the group of a job: "
            f"every user may name any group{example}"
        ),
        facts=(
            Fact("SUBMIT_REQUIREMENT_NAMES", "none on AcctGroup"),
            Fact("JOB_TRANSFORM_NAMES", "none on AcctGroup"),
        ),
        examples=(name,),
    )


def _editable(name: str) -> Found:
    return Found(
        cause="edited later",
        subject=f"access point {name}",
        message=(
            f"schedd {name} checks the group of a job at submission, but condor_qedit can change "
            "AccountingGroup afterwards"
        ),
        facts=(Fact("IMMUTABLE_JOB_ATTRS", "without AccountingGroup"),),
        advice=(
            "IMMUTABLE_JOB_ATTRS, or PROTECTED_JOB_ATTRS, should list AccountingGroup, AcctGroup "
            "and AcctGroupUser."
        ),
        examples=(name,),
    )


RULE = Rule(
    id="groups-free-to-all",
    severity=Severity.INFO,
    needs=(Input.CENTRAL, Input.ACCESS),
    summary="Users can name any accounting group",
    consequence=(
        "The negotiator trusts the AccountingGroup of the job. A user whose group has reached "
        "its quota can name another group and use its share; a misspelt group is charged to the "
        "root. Sites whose users are trusted, or whose jobs all come through a gateway that sets "
        "the group, can ignore this."
    ),
    advice=(
        "'use FEATURE : AssignAccountingGroup(MAPFILE)' maps owners to groups, refuses other "
        "owners and makes the attributes immutable; or write a SUBMIT_REQUIREMENT that compares "
        "AcctGroup with the owner's groups."
    ),
    source=(
        "src/condor_utils/submit_utils.cpp:SetAccountingGroup, "
        "param_info.in:$FEATURE.AssignAccountingGroup, 25.14"
    ),
    find=_find,
)
