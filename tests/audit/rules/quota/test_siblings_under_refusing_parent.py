"""Measured on 25.14.1, 60 idle jobs each, a pool of 30: hep runs 20 and lep 0; without oversubscription 15 and 5."""

from __future__ import annotations

from tests.audit.rules.quota.groups import PHYSICS, groups, wants
from tests.audit.sites import found, lines

RULE = "siblings-under-refusing-parent"
BOTH = (wants("physics.hep", 60), wants("physics.lep", 60))
NO_OVERSUBSCRIPTION = "NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION = False\n"


def test_the_first_sibling_can_take_everything() -> None:
    (finding,) = found(RULE, groups(PHYSICS, *BOTH, weight=30))
    assert finding.subject == "group physics"
    assert "physics.hep and physics.lep share 20 under physics" in finding.message
    assert "physics.hep can take 20 and physics.lep 0" in finding.message
    assert lines(finding) == [NO_OVERSUBSCRIPTION.strip()]


def test_without_oversubscription_each_gets_its_own() -> None:
    assert not found(RULE, groups(PHYSICS + NO_OVERSUBSCRIPTION, *BOTH, weight=30))


def test_a_sibling_that_wants_nothing_is_not_hurt() -> None:
    assert not found(RULE, groups(PHYSICS, wants("physics.hep", 60), weight=30))


def test_siblings_that_want_no_more_than_their_quotas_are_not_hurt() -> None:
    assert not found(
        RULE, groups(PHYSICS, wants("physics.hep", 15), wants("physics.lep", 5), weight=30)
    )


def test_without_surplus_each_gets_its_own() -> None:
    assert not found(RULE, groups(PHYSICS.replace("True", "False"), *BOTH, weight=30))
