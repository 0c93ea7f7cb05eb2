"""GetAssignedGroup drops what stands after the last dot and walks down the rest as far as groups of that name exist."""

from __future__ import annotations

from htcq.audit.rule import Severity
from tests.audit.rules.quota.groups import groups
from tests.audit.sites import found, job

RULE = "dotted-user-name"
TREE = "GROUP_NAMES = phys, phys.hep\nGROUP_QUOTA_phys = 20\nGROUP_QUOTA_phys.hep = 5\n"


def owned(owner: str, **changes: str) -> str:
    return job(User=f'"{owner}@site"', Owner=f'"{owner}"', **changes)


def grouped(group: str, user: str) -> str:
    return owned("ada", AccountingGroup=f'"{group}.{user}"', AcctGroup=f'"{group}"')


def test_a_user_whose_name_begins_like_a_group_is_charged_to_it() -> None:
    (finding,) = found(RULE, groups(TREE, jobs=[owned("phys.smith")]))
    assert finding.severity is Severity.WARNING
    assert "user phys.smith is charged to phys instead of <none>" in finding.message


def test_so_is_one_whose_name_begins_like_a_subgroup_of_its_group() -> None:
    (finding,) = found(RULE, groups(TREE, jobs=[grouped("phys", "hep.smith")]))
    assert "user hep.smith is charged to phys.hep instead of phys" in finding.message


def test_other_dots_do_no_harm_yet() -> None:
    (finding,) = found(RULE, groups(TREE, jobs=[owned("ada.byron"), grouped("phys", "ada.byron")]))
    assert finding.severity is Severity.INFO
    assert finding.count == 2


def test_names_without_dots_are_not_found() -> None:
    assert not found(RULE, groups(TREE, jobs=[owned("ada"), grouped("phys.hep", "ada")]))


def test_without_groups_dots_mean_nothing() -> None:
    assert not found(RULE, groups("", jobs=[owned("phys.smith")]))
