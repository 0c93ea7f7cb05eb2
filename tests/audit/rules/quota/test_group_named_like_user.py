"""GetAssignedGroup: what stands after the last dot is the user, so that phys@d is user phys of no group."""

from __future__ import annotations

from tests.audit.rules.quota.groups import groups
from tests.audit.sites import found, submitter

RULE = "group-named-like-user"
TREE = "GROUP_NAMES = phys, phys.hep\nGROUP_QUOTA_phys = 20\nGROUP_QUOTA_phys.hep = 5\n"


def test_a_top_level_group_as_a_whole_name_is_a_user_without_a_group() -> None:
    (finding,) = found(RULE, groups(TREE, submitter("phys@site")))
    assert (
        "the negotiator reads phys@site as user phys of no group, not as group phys"
        in finding.message
    )


def test_a_subgroup_as_a_whole_name_is_a_user_of_the_group_above() -> None:
    (finding,) = found(RULE, groups(TREE, submitter("phys.HEP@site")))
    assert "as user HEP of group phys, not as group phys.hep" in finding.message


def test_users_of_groups_are_not_found() -> None:
    assert not found(
        RULE,
        groups(
            TREE, submitter("phys.hep.ada@site"), submitter("hep@site"), submitter("phys.phys@site")
        ),
    )
