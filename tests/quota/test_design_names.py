"""HTCondor's group quota design, how groups are named and which one a job falls into, and what the negotiator does.

A test whose name or docstring says that the design differs shows what HTCondor 25.14 does
instead. A job's accounting group reaches the negotiator as the name of a submitter: that of the
group, a dot, the user, an @ and a domain."""

from __future__ import annotations

import pytest

from htcq.audit.evidence import Evidence
from htcq.poolquota.pool_quotas import PoolQuotas
from htcq.quota.group_tree import assigned_group, build_tree
from tests.audit.rules.quota.groups import groups, wants
from tests.quota.cycles import knobs_of

CONFIG = """
GROUP_NAMES = phys, phys.hep, bio
GROUP_QUOTA_phys = 20
GROUP_QUOTA_phys.hep = 8
GROUP_QUOTA_bio = 10
"""
TREE = build_tree(knobs_of(CONFIG))[0]


def group_of(submitter: str) -> str:
    return assigned_group(TREE, submitter).group


def pool_of(*submitters: str) -> PoolQuotas:
    return Evidence(groups(CONFIG, *submitters)).quotas


@pytest.mark.parametrize(
    ("submitter", "group"),
    [("bio.ann@site", "bio"), ("phys.ann@site", "phys"), ("phys.hep.ann@site", "phys.hep")],
)
def test_a_job_says_its_group_and_after_the_last_dot_its_user(submitter: str, group: str) -> None:
    """Specifying quotas: a leaf, an interior group and a group below it."""
    assert group_of(submitter) == group


@pytest.mark.parametrize(
    ("submitter", "group"),
    [
        ("nosuch.ann@site", "<none>"),
        ("phys.nosuch.ann@site", "phys"),
        ("phys.hep.nosuch.ann@site", "phys.hep"),
        ("nosuch.hep.ann@site", "<none>"),
    ],
)
def test_a_group_that_nobody_declared_counts_for_the_one_above_that_somebody_did(
    submitter: str, group: str
) -> None:
    """Definitions, declaring groups: by the design all must be; HTCondor turns no job away for it."""
    assigned = assigned_group(TREE, submitter)
    assert (assigned.group, assigned.defaulted) == (group, True)


def test_jobs_of_an_undeclared_group_use_the_quota_of_the_one_above() -> None:
    """Definitions, declaring groups: 30 of phys.nosuch and 5 of phys itself ask for 35 of phys' 20."""
    quotas = pool_of(wants("phys.nosuch", 30), wants("phys", 5))
    assert (quotas.requested("phys"), quotas.limits["phys"]) == (35, 20)


def test_a_group_whose_parent_nobody_declared_does_not_exist() -> None:
    """Definitions, declaring groups: chem.lab is declared and has a quota, but chem is not."""
    tree, problems = build_tree(knobs_of("GROUP_NAMES = chem.lab\nGROUP_QUOTA_chem.lab = 5"))
    assert [problem.kind for problem in problems] == ["missing-parent"]
    assert assigned_group(tree, "chem.lab.ann@site").group == "<none>"


def test_a_user_with_a_dot_is_taken_for_one_of_a_group_below() -> None:
    """Specifying quotas: ann.lee of phys would be lee of phys.ann, and stays in phys because that is undeclared."""
    assert group_of("phys.ann.lee@site") == "phys"


def test_a_user_with_a_dot_may_use_another_group_s_quota() -> None:
    """Specifying quotas: hep.lee of phys has the name that lee of phys.hep has; bio.lee without a group is in bio."""
    assert group_of("phys.hep.lee@site") == "phys.hep"
    assert group_of("bio.lee@site") == "bio"


def test_a_user_with_a_dot_and_no_group_falls_to_the_root() -> None:
    """Specifying quotas."""
    assert group_of("ann.lee@site") == "<none>"


@pytest.mark.parametrize("submitter", ["phys@site", "ann@site"])
def test_a_group_alone_is_taken_for_a_user(submitter: str) -> None:
    """Specifying quotas: the design wants group and user; a job that says only phys is that of a user called phys."""
    assert group_of(submitter) == "<none>"


def test_a_group_s_name_is_the_same_in_any_case() -> None:
    """Specifying quotas: the design does not say so."""
    assert group_of("PHYS.Hep.ann@site") == "phys.hep"


@pytest.mark.parametrize("domain", ["site", "other.site", "phys.hep"])
def test_the_domain_of_a_user_says_nothing_of_the_group(domain: str) -> None:
    """Specifying quotas: the design knows no domains."""
    assert group_of(f"bio.ann@{domain}") == "bio"


def test_only_the_last_at_sign_begins_the_domain() -> None:
    """Specifying quotas: a user may have one of his own."""
    assert group_of("bio.ann@home@site") == "bio"
