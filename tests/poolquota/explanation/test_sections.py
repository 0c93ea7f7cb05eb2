"""What stories are made of, on cycles of a real negotiator: the parts of every division add up."""

from __future__ import annotations

from pathlib import Path

import pytest

from htcq.poolquota.explanation.group import stories
from htcq.poolquota.explanation.sections import ExplainedQuotas, few, listed, ranked, unused
from htcq.poolquota.report import PoolQuotaReport
from tests.audit.rules.quota.groups import wants
from tests.audit.sites import pool
from tests.poolquota.looks import busy, look, looked, standing
from tests.quota.recorded import FILES, ads_of, read

recorded = pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)


def look_at_cycle(path: Path) -> PoolQuotaReport:
    case = read(path)
    return looked(pool(*ads_of(case), config="\n".join(case["config"]) + "\n"))


@recorded
def test_who_left_something_left_what_was_divided(path: Path) -> None:
    given = look_at_cycle(path)
    scene = ExplainedQuotas(given)
    for group in given.standings:
        division = scene.division(group)
        left = sum(amount for _, amount in scene.leavers(group))
        assert left == pytest.approx(
            division.here.surplus if division else scene.left_over(group), abs=1e-6
        )


@recorded
def test_what_is_borrowed_came_of_the_divisions_that_are_told(path: Path) -> None:
    given = look_at_cycle(path)
    scene = ExplainedQuotas(given)
    for group in given.standings:
        own = scene.division(group)
        sharings = [own.here] if own else []
        for above in scene.upwards(group):
            division = scene.division(above)
            sharings += (
                [division.below[group.name]] if division and group.name in division.below else []
            )
        got = sum(dict(sharing.shares).get(group.name, 0.0) for sharing in sharings)
        whole = 1.0 if not given.settings.use_slot_weights else 0.0
        assert got == pytest.approx(
            group.own_allocated - min(group.requested, group.quota), abs=1e-6 + whole
        )


@recorded
def test_every_group_of_a_real_cycle_has_a_story(path: Path) -> None:
    given = look_at_cycle(path)
    told = stories(given)

    assert list(told) == [each.name for each in given.standings]
    assert all(
        sentence.text and sentence.text.isprintable() for each in told.values() for sentence in each
    )


def test_what_is_left_over_goes_up() -> None:
    """physics and lep leave 23, which hep takes whole; the root's 77 less the 5 that it requests are left."""
    given = busy()
    scene = ExplainedQuotas(given)

    assert [scene.left_over(each) for each in given.standings] == [72, 0, 0, 0, 3]
    assert dict(scene.leavers(standing(given, "physics"))) == {
        "physics": 20,
        "physics.hep": 0,
        "physics.lep": 3,
    }
    assert scene.division(standing(given, "physics.lep")) is None


def test_a_group_whose_demand_is_below_nothing_leaves_more_than_its_quota() -> None:
    """A weight may be negative on some job; the negotiator takes the sum as it is."""
    given = look("GROUP_NAMES = a\nGROUP_QUOTA_a = 10\n", wants("a", 5, WeightedIdleJobs=-4))
    a = standing(given, "a")

    assert (a.requested, a.allocated, unused(a)) == (-4, -4, 14)


def test_lists_are_short() -> None:
    amounts = [("a", 1.0), ("b", 3.0), ("c", 0.0), ("d", 2.0), ("e", 2.5), ("f", 0.5)]

    assert ranked(amounts) == ["b 3", "e 2.5", "d 2", "a 1", "1 more"]
    assert few(["a", "b"]) == ["a", "b"]
    assert [listed(each) for each in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == [
        "",
        "a",
        "a and b",
        "a, b and c",
    ]
