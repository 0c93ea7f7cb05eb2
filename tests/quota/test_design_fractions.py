"""HTCondor's group quota design, whole slots where slot weights are off, and what the negotiator does.

A test whose name or docstring says that the design differs shows what HTCondor 25.14 does instead.
"""

from __future__ import annotations

from htcq.quota.group_limits import truncated
from htcq.quota.settings import Settings
from tests.quota.cycles import allocated, cycle, limits, quotas_of

UNWEIGHTED = Settings(use_slot_weights=False)


def shares(**quotas: float) -> str:
    lines = (f"GROUP_QUOTA_DYNAMIC_{name} = {share}" for name, share in quotas.items())
    return "\n".join([f"GROUP_NAMES = {' '.join(quotas)}", "GROUP_ACCEPT_SURPLUS = True", *lines])


def test_fractions_are_collected_and_handed_out_as_whole_slots() -> None:
    """Fractional quotas: 3, 1.5 and 1.5 of 6; the two halves make one slot."""
    one = cycle(
        shares(a=0.5, b=0.25, c=0.25), 6, {"a": 9, "b": 9, "c": 9}, settings=UNWEIGHTED
    ).rounds[0]
    assert (sum(allocated(one).values()), one.surplus) == (6, 0)
    assert all(got == int(got) for got in allocated(one).values())


def test_with_weights_a_group_is_allocated_fractions() -> None:
    """Fractional quotas: they are left alone where slots have weights, which are no whole numbers either."""
    one = cycle(shares(a=0.5, b=0.25, c=0.25), 6, {"a": 9, "b": 9, "c": 9}).rounds[0]
    assert allocated(one) == {"<none>": 0, "a": 3, "b": 1.5, "c": 1.5}


def test_the_slot_goes_to_the_greatest_quota_even_if_that_lost_nothing() -> None:
    """Fractional quotas: the design says in turn and not in what order. The halves of b and c make a slot for a."""
    one = cycle(
        shares(a=0.5, b=0.25, c=0.25), 6, {"a": 9, "b": 9, "c": 9}, settings=UNWEIGHTED
    ).rounds[0]
    assert allocated(one) == {"<none>": 0, "a": 4, "b": 1, "c": 1}


def test_slots_are_handed_out_one_by_one_where_there_are_fewer_than_groups() -> None:
    """Fractional quotas: 2.75 four times is 2 four times, and three slots for the first three."""
    knobs = shares(a=0.25, b=0.25, c=0.25, d=0.25)
    one = cycle(knobs, 11, dict.fromkeys("abcd", 9.0), settings=UNWEIGHTED).rounds[0]
    assert allocated(one) == {"<none>": 0, "a": 3, "b": 3, "c": 3, "d": 2}


def test_a_group_that_wants_no_more_is_passed_over() -> None:
    """Fractional quotas: a asks for the 2 that it has anyway."""
    one = cycle(shares(a=0.5, b=0.5), 5, {"a": 2, "b": 9}, settings=UNWEIGHTED).rounds[0]
    assert allocated(one) == {"<none>": 0, "a": 2, "b": 3}


def test_quotas_themselves_stay_fractions() -> None:
    """Fractional quotas: by the design they become integers. Only what is allocated does, and the limit is cut."""
    quotas = cycle(shares(a=0.5, b=0.5), 5, {"a": 4, "b": 9}, settings=UNWEIGHTED)
    one = quotas.rounds[0]
    assert quotas_of(quotas) == {"<none>": 0, "a": 2.5, "b": 2.5}
    assert allocated(one) == {"<none>": 0, "a": 2, "b": 3}
    assert limits(one) == {"a": 2, "b": 3}


def test_a_slot_of_fractions_is_lost_where_no_group_accepts_surplus() -> None:
    """Fractional quotas: by the design all are handed out; two halves of groups that accept nothing stay free."""
    knobs = shares(a=0.5, b=0.5).replace("True", "False")
    one = cycle(knobs, 5, {"a": 9, "b": 9}, settings=UNWEIGHTED).rounds[0]
    assert (allocated(one), one.surplus) == ({"<none>": 0, "a": 2, "b": 2}, 1)


def test_with_weights_the_slot_is_lost_always_because_limits_are_cut() -> None:
    """Fractional quotas: 2.5 each of 5 slots of weight 1 lets either group use 2."""
    one = cycle(shares(a=0.5, b=0.5), 5, {"a": 9, "b": 9}).rounds[0]
    assert {name: truncated(limit) for name, limit in limits(one).items()} == {"a": 2, "b": 2}
