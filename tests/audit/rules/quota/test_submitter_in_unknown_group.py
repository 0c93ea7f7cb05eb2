"""GetAssignedGroup: nosuch.group.u@d counts for the root, phys.nosuch.u@d for phys; the log says "defaulting"."""

from __future__ import annotations

from tests.audit.rules.quota.groups import groups, wants
from tests.audit.sites import found, job, look

RULE = "submitter-in-unknown-group"
TREE = "GROUP_NAMES = phys, phys.hep\nGROUP_QUOTA_phys = 20\nGROUP_QUOTA_phys.hep = 5\n"


def test_a_group_that_does_not_exist_is_found_with_where_its_jobs_count() -> None:
    (finding,) = found(RULE, groups(TREE, wants("nosuch.group")))
    assert (
        "nosuch.group.ada@site is charged to no group: there is no group nosuch.group"
        in finding.message
    )


def test_a_subgroup_that_does_not_exist_counts_for_its_parent() -> None:
    (finding,) = found(RULE, groups(TREE, wants("phys.hepp"), wants("phys.hepp", user="bob")))
    assert finding.count == 2
    assert (
        "is charged to phys: there is no group phys.hepp; did you mean phys.hep?" in finding.message
    )


def test_members_of_groups_and_people_without_one_are_not() -> None:
    assert not found(RULE, groups(TREE, wants("phys.hep"), wants("PHYS"), wants("")))


def test_without_groups_names_mean_nothing() -> None:
    assert not found(RULE, groups("", wants("nosuch.group")))


def test_a_dot_in_a_user_s_name_is_another_rule_s() -> None:
    queue = [job(User='"ada.byron@site"', Owner='"ada.byron"')]
    assert not found(RULE, groups(TREE, wants("ada", user="byron"), jobs=queue))


def test_a_name_that_makes_no_group_is_another_rule_s() -> None:
    assert not found(RULE, groups(f"{TREE}GROUP_NAMES = phys, chem.x\n", wants("chem.x")))


def test_where_the_negotiator_maps_names_it_is_not_checked() -> None:
    config = f"{TREE}NEGOTIATOR_CLASSAD_USER_MAP_NAMES = GROUP_PREFIX\n"
    outcome = look(RULE, groups(config, wants("nosuch.group")))
    assert not outcome.findings
    assert [each.missing for each in outcome.not_checked] == [
        "the map GROUP_PREFIX of the negotiator, which changes submitters' names"
    ]
