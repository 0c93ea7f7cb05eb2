"""negotiateWithGroup looks ceilings up by the submitter's whole name, so that one on a group is never found."""

from __future__ import annotations

import pytest

from tests.audit.sites import accounting, found, look, pool

RULE = "ceiling-on-group"
TREE = "GROUP_NAMES = a\nGROUP_QUOTA_a = 5\n"


@pytest.mark.parametrize(
    ("set_at", "told"),
    [({"Ceiling": 10, "Floor": 0}, "ceiling of 10"), ({"Floor": 5}, "floor of 5")],
)
def test_a_ceiling_or_floor_on_a_group_is_found(set_at: dict[str, int], told: str) -> None:
    (finding,) = found(RULE, pool(accounting("a", IsAccountingGroup="true", **set_at), config=TREE))
    assert finding.subject == "group a"
    assert told in finding.message


def test_on_a_submitter_it_is_not() -> None:
    group = accounting("a", IsAccountingGroup="true", Ceiling=-1, Floor=0)
    assert not found(RULE, pool(group, accounting("a.ada@site", Ceiling=10, Floor=5), config=TREE))


def test_what_the_collector_does_not_know_is_not_checked() -> None:
    """The negotiator's ads of groups have neither attribute; only its answer to condor_userprio has."""
    outcome = look(RULE, pool(accounting("a", IsAccountingGroup="true"), config=TREE))
    assert len(outcome.not_checked) == 1
