"""One dimension of one level by hand, where the stated cases say nothing."""

from __future__ import annotations

from htcq.quota.elastic.declaration import Rounding
from htcq.quota.elastic.share import ShareClaim, share


def test_a_unit_goes_to_the_largest_remainder_then_by_name() -> None:
    # Of 10 by 3, 3 and 1: 4.29, 4.29 and 1.43: the last has the largest remainder.
    runtime, sharing = share(
        10, [ShareClaim("b", 0, 99, 3), ShareClaim("a", 0, 99, 3), ShareClaim("c", 0, 99, 1)]
    )

    assert runtime == {"a": 4, "b": 4, "c": 2}
    assert [grant.name for grant in sharing.passes[0].grants if grant.remainder] == ["c"]
    assert share(1, [ShareClaim("b", 0, 9, 1), ShareClaim("a", 0, 9, 1)])[0] == {"a": 1, "b": 0}


def test_what_rounding_by_itself_loses_is_nobodys() -> None:
    runtime, sharing = share(1, [ShareClaim(name, 0, 9, 1) for name in "abc"], Rounding.LEGACY)

    assert (runtime, sharing.left) == ({"a": 0, "b": 0, "c": 0}, 1)


def test_floors_beyond_the_total_are_kept_and_told() -> None:
    runtime, sharing = share(5, [ShareClaim("a", 4, 9, 1), ShareClaim("b", 4, 9, 1)])

    assert (runtime, sharing.left, sharing.passes) == ({"a": 4, "b": 4}, -3, ())


def test_a_level_without_groups_shares_nothing() -> None:
    assert share(5, [])[1].left == 5
