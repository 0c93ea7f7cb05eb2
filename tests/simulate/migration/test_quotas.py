"""Quotas in another unit: whole numbers, of which siblings together have what they had."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from htcq.quota.group_tree import GroupTree, build_tree
from htcq.simulate.migration.quotas import scaled_limit, scaled_quotas


def tree(**amounts: float) -> GroupTree:
    knobs = {
        f"GROUP_QUOTA_{name.replace('_of_', '.')}": f"{amount}" for name, amount in amounts.items()
    }
    names = ", ".join(name.replace("_of_", ".") for name in amounts)
    return build_tree({"GROUP_NAMES": names, **knobs})[0]


def test_what_rounding_takes_goes_to_those_that_lose_most() -> None:
    """10, 10 and 12 of 32 are 22.5, 22.5 and 27 of 72."""
    assert scaled_quotas(tree(a=10, b=10, c=12), 2.25) == {"a": 23, "b": 22, "c": 27}


def test_children_never_get_more_than_what_is_above_them() -> None:
    found = scaled_quotas(tree(a=10, b=10, a_of_x=5, a_of_y=5), 2.25)

    assert found["a.x"] + found["a.y"] <= found["a"]


def test_a_quota_that_allowed_jobs_allows_some() -> None:
    assert scaled_quotas(tree(a=1, b=99), 0.3) == {"a": 1, "b": 30}
    assert scaled_quotas(tree(a=0), 0.3) == {"a": 0}


@given(st.lists(st.integers(1, 5000), min_size=1, max_size=8), st.floats(0.01, 100))
def test_no_share_moves_by_more_than_one(amounts: list[int], factor: float) -> None:
    found = scaled_quotas(
        tree(**{f"g{number}": amount for number, amount in enumerate(amounts)}), factor
    )

    for number, amount in enumerate(amounts):
        assert abs(found[f"g{number}"] - amount * factor) <= 1 + 1e-6
    if all(quota > 1 for quota in found.values()):
        assert sum(found.values()) <= sum(amounts) * factor + 1e-6


def test_ceilings_are_whole_and_stay_above_nothing() -> None:
    assert [scaled_limit(amount, 0.3) for amount in (0, 1, 10, 11)] == [0, 1, 3, 3]
