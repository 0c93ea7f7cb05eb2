"""AccountingGroup is what the job says (submit_utils.cpp:SetAccountingGroup, 25.14), unless something looks at it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from htcq.audit.rule import Severity
from tests.audit.sites import collector, found, job, look, pool, schedd

RULE = "groups-free-to-all"
GROUPS = "GROUP_NAMES = hep, bio\nGROUP_QUOTA_hep = 4\nGROUP_QUOTA_bio = 4\n"
KEPT = "IMMUTABLE_JOB_ATTRS = AcctGroup AcctGroupUser AccountingGroup\n"
REQUIREMENT = (
    "SUBMIT_REQUIREMENT_NAMES = Group\n"
    "SUBMIT_REQUIREMENT_Group = AcctGroup is undefined || Owner == AcctGroupUser\n"
)
TRANSFORM = """JOB_TRANSFORM_NAMES = Map
JOB_TRANSFORM_Map @=end
EVALSET AcctGroup usermap("groups", Owner)
@end
"""


def of(access: str, groups: str = GROUPS, jobs: list[str] | None = None) -> list[str]:
    given = pool(schedd(), jobs=jobs, config=groups, access={"access1": access})
    return [finding.message for finding in found(RULE, given)]


def test_a_schedd_that_looks_at_no_group_is_found() -> None:
    (finding,) = found(
        RULE, pool(schedd(), config=GROUPS, access={"access1": "UID_DOMAIN = site\n"})
    )
    assert (
        "no submit requirement, transform or map of schedd access1 checks the group of a job"
        in finding.message
    )
    assert finding.severity is Severity.INFO


def test_a_user_of_several_groups_is_named() -> None:
    jobs = [
        job(f"{number}.0", AccountingGroup=f'"{group}.ada"', AcctGroup=f'"{group}"')
        for number, group in enumerate(("hep", "bio"), 1)
    ]
    (message,) = of("UID_DOMAIN = site\n", jobs=jobs)
    assert "1 user with jobs in several groups, such as ada in bio and hep" in message


@pytest.mark.parametrize(
    "access",
    [
        REQUIREMENT + KEPT,
        TRANSFORM + KEPT,
        "SECURE_JOB_ATTRS = AccountingGroup\n",
        REQUIREMENT + "PROTECTED_JOB_ATTRS = accountinggroup\n",
    ],
)
def test_a_schedd_that_looks_at_it_is_not(access: str) -> None:
    assert of(access) == []


@pytest.mark.parametrize("access", [REQUIREMENT, TRANSFORM])
def test_what_can_be_edited_afterwards_is_found(access: str) -> None:
    (message,) = of(access)
    assert "condor_qedit can change AccountingGroup afterwards" in message


@pytest.mark.parametrize(
    "access",
    [
        REQUIREMENT + "SUBMIT_REQUIREMENT_Group_IS_WARNING = True\n",
        "SUBMIT_REQUIREMENT_Group = AcctGroup is undefined\n",
        "SUBMIT_REQUIREMENT_NAMES = Memory\nSUBMIT_REQUIREMENT_Memory = RequestMemory < 100000\n",
        "JOB_TRANSFORM_NAMES = Map\nJOB_TRANSFORM_Map = [ set_AcctGroup = Owner; ]\n",
        "SUBMIT_REQUIREMENT_NAMES = Group\nSUBMIT_REQUIREMENT_Group = AcctGroup ==\n",
        KEPT,
    ],
    ids=["warns", "not listed", "of other things", "ignored syntax", "no expression", "kept only"],
)
def test_what_restrains_nobody_does_not_count(access: str) -> None:
    (message,) = of(access)
    assert "every user may name any group" in message


def test_without_groups_there_is_nothing_to_name() -> None:
    assert of("UID_DOMAIN = site\n", groups="UID_DOMAIN = site\n") == []


def test_what_is_not_known_is_not_checked() -> None:
    two = pool(
        collector(),
        schedd(),
        schedd("access2"),
        config=GROUPS,
        access={"access1": KEPT + REQUIREMENT},
    )
    assert "access2" in look(RULE, two).not_checked[0].missing
    anonymous = replace(
        pool(schedd(), config=GROUPS, access={"access1": "UID_DOMAIN = site\n"}), anonymous=True
    )
    outcome = look(RULE, anonymous)
    assert not outcome.findings
    assert "anonymous" in outcome.not_checked[0].missing
