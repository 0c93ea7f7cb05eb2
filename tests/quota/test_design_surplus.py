"""HTCondor's group quota design, how surplus is shared, and what the negotiator does.

A test whose name or docstring says that the design differs shows what HTCondor 25.14 does
instead. SCALED is NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION = False; the design knows nothing
else, but the default is True."""

from __future__ import annotations

import pytest

from htcq.quota.settings import Settings
from tests.quota.cycles import allocated, cycle, everything_matches, limits, quotas_of

SCALED = Settings(oversubscription=False)
PAIR = """
GROUP_NAMES = a b
GROUP_QUOTA_a = 20
GROUP_QUOTA_b = 10
GROUP_ACCEPT_SURPLUS = True
"""
#: The design's own example: B and C accept surplus and A, which they are in, does not.
FLOATING = """
GROUP_NAMES = A A.B A.C
GROUP_QUOTA_A = 20
GROUP_QUOTA_A.B = 12
GROUP_QUOTA_A.C = 8
GROUP_ACCEPT_SURPLUS_A.B = True
GROUP_ACCEPT_SURPLUS_A.C = True
"""


def test_groups_that_do_not_accept_surplus_stay_at_their_quotas_while_slots_are_free() -> None:
    """Surplus sharing, who takes part: 30 of 60 nobody may use."""
    one = cycle(PAIR.replace("True", "False"), 60, {"a": 99, "b": 99}).rounds[0]
    assert (allocated(one), one.surplus) == ({"<none>": 0, "a": 20, "b": 10}, 30)


def test_users_without_a_group_always_take_surplus() -> None:
    """Surplus sharing, who takes part: the root is not asked."""
    one = cycle(PAIR.replace("True", "False"), 60, {"<none>": 99}).rounds[0]
    assert allocated(one) == {"<none>": 60, "a": 0, "b": 0}


@pytest.mark.parametrize("settings", [Settings(), SCALED])
def test_surplus_goes_to_siblings_in_proportion_to_their_quotas(settings: Settings) -> None:
    """Surplus sharing, the principle: of 30, 20 to a and 10 to b."""
    one = cycle(PAIR, 60, {"a": 99, "b": 99}, settings=settings).rounds[0]
    assert allocated(one) == {"<none>": 0, "a": 20 + 20, "b": 10 + 10}


def test_what_one_sibling_does_not_need_of_its_share_goes_to_the_others() -> None:
    """Surplus sharing, the principle: of 30, a takes 5 of the 20 that it may have."""
    one = cycle(PAIR, 60, {"a": 25, "b": 99}).rounds[0]
    assert allocated(one) == {"<none>": 0, "a": 25, "b": 35}


def test_a_group_shares_with_those_below_it_as_one_of_them() -> None:
    """Surplus sharing, the principle: p has 20 beside x's 10, and q leaves 30: 20 of it to p and 10 to x."""
    knobs = """
    GROUP_NAMES = p p.x q
    GROUP_QUOTA_p = 30
    GROUP_QUOTA_p.x = 10
    GROUP_QUOTA_q = 30
    GROUP_ACCEPT_SURPLUS = True
    """
    one = cycle(knobs, 60, {"p": 99, "p.x": 99}, settings=SCALED).rounds[0]
    assert allocated(one) == {"<none>": 0, "p": 40, "p.x": 20, "q": 0}


def test_groups_float_within_a_parent_that_accepts_nothing() -> None:
    """Surplus sharing, the example: B may have the 6 that C leaves, and not the 10 outside of A."""
    one = cycle(
        FLOATING, 30, {"A.B": 60, "A.C": 2}, settings=SCALED, take_turn=everything_matches
    ).rounds[0]
    assert allocated(one) == {"<none>": 0, "A": 0, "A.B": 18, "A.C": 2}
    assert limits(one)["A.B"] == 18


def test_together_they_are_allocated_more_than_their_parent_has() -> None:
    """Surplus sharing, the example: by the design 20 at most. A keeps its 20 beside, of which B gets 12 and C 8."""
    one = cycle(FLOATING, 30, {"A.B": 60, "A.C": 60}).rounds[0]
    assert allocated(one) == {"<none>": 0, "A": 0, "A.B": 24, "A.C": 16}


@pytest.mark.parametrize(
    ("settings", "used"),
    [
        (SCALED, {"A.B": 12, "A.C": 8}),
        (Settings(), {"A.B": 20, "A.C": 0}),
        (Settings(strict_enforce=False), {"A.B": 24, "A.C": 16}),
    ],
    ids=("as designed", "default", "not strict"),
)
def test_only_strict_limits_hold_them_to_it_and_then_the_first_takes_all(
    settings: Settings, used: dict[str, float]
) -> None:
    """Surplus sharing, the example: nothing of A's 20 is left when C has its turn; without strictness they use 40."""
    one = cycle(
        FLOATING, 30, {"A.B": 60, "A.C": 60}, settings=settings, take_turn=everything_matches
    ).rounds[0]
    assert limits(one) == used


def test_a_group_that_accepts_no_surplus_gives_its_own_away() -> None:
    """Surplus sharing, the example: the design's word for A is that it does not share; D gets all that A leaves."""
    knobs = (
        f"{FLOATING}GROUP_NAMES = A A.B A.C D\nGROUP_QUOTA_D = 10\nGROUP_ACCEPT_SURPLUS_D = True"
    )
    one = cycle(knobs, 30, {"D": 60, "A.B": 4}, settings=SCALED).rounds[0]
    assert allocated(one) == {"<none>": 0, "A": 0, "D": 10 + 16, "A.B": 4, "A.C": 0}


LEVELS = """
GROUP_NAMES = p p.x p.y q
GROUP_QUOTA_p = 10
GROUP_QUOTA_p.x = 5
GROUP_QUOTA_p.y = 5
GROUP_QUOTA_q = 10
GROUP_ACCEPT_SURPLUS = True
"""


def test_surplus_stays_at_the_lowest_level_where_somebody_wants_it() -> None:
    """Surplus sharing, levels: y gets the 5 of its sibling x, and q, which wants as much, nothing of it."""
    one = cycle(LEVELS, 20, {"p.y": 50, "q": 50}, settings=SCALED).rounds[0]
    assert allocated(one) == {"<none>": 0, "p": 0, "q": 10, "p.x": 0, "p.y": 10}


def test_what_a_level_does_not_want_is_passed_up() -> None:
    """Surplus sharing, levels: y wants 7, so that 3 of x's 5 are left for q."""
    one = cycle(LEVELS, 20, {"p.y": 7, "q": 50}, settings=SCALED).rounds[0]
    assert allocated(one) == {"<none>": 0, "p": 0, "q": 13, "p.x": 0, "p.y": 7}


def test_the_lowest_level_may_hand_out_more_than_there_is() -> None:
    """Surplus sharing, levels: by default y gets x's 5 and the 10 that p kept as well; with q's 10 that is 30 of 20."""
    one = cycle(LEVELS, 20, {"p.y": 50, "q": 50}).rounds[0]
    assert allocated(one) == {"<none>": 0, "p": 0, "q": 10, "p.x": 0, "p.y": 20}


def test_a_pool_of_a_hundred_allocates_a_hundred_and_twelve() -> None:
    """Surplus sharing: logged by 25.14.1. y gets 5 and, in b, the 30 that b kept and x's other 5; the root's 54 are
    enough for the 40 of a, the other 10 of y and the 1 of c that are still wanted, and 3 are left.
    """
    knobs = """
    GROUP_NAMES = a b b.x b.y c
    GROUP_QUOTA_a = 10
    GROUP_QUOTA_b = 30
    GROUP_QUOTA_b.x = 10
    GROUP_QUOTA_DYNAMIC_b.y = 0.25
    GROUP_QUOTA_DYNAMIC_c = 0.1
    GROUP_ACCEPT_SURPLUS = True
    """
    quotas = cycle(knobs, 100, {"a": 50, "b.x": 5, "b.y": 50, "c": 7})
    one = quotas.rounds[0]
    assert quotas_of(quotas) == pytest.approx(
        {"<none>": 54, "a": 10, "b": 30, "c": 6, "b.x": 10, "b.y": 5}
    )
    assert allocated(one) == {"<none>": 0, "a": 50, "b": 0, "c": 7, "b.x": 5, "b.y": 50}
    assert one.surplus == pytest.approx(3)
    assert limits(one) == {"a": 50, "c": 7, "b.x": 10, "b.y": 50}


def test_a_tiny_pool_with_four_levels_goes_to_the_only_one_with_a_quota() -> None:
    """Surplus sharing: recorded from 25.14.1. phys has 2.432 of 8, all of it for g2, whose quota then takes the rest:
    the others that want have none. In the second round g2 asks only for the 2 it uses, and what
    is left is 1."""
    knobs = """
    GROUP_NAMES = phys, phys.g2, phys.g3, phys.g3.Chem, phys.g3.Chem.Chem, phys.g3.dev, phys.g4
    GROUP_QUOTA_DYNAMIC_phys = .304
    GROUP_QUOTA_DYNAMIC_phys.g3 = .549
    GROUP_QUOTA_phys.g3.Chem = 0
    GROUP_QUOTA_DYNAMIC_phys.g3.dev = .024
    GROUP_ACCEPT_SURPLUS_phys.g3.dev = False
    GROUP_QUOTA_phys.g3.Chem.Chem = 0
    GROUP_QUOTA_phys.g2 = 3
    GROUP_QUOTA_DYNAMIC_phys.g4 = .14
    GROUP_ACCEPT_SURPLUS = True
    """
    chem = "phys.g3.Chem.Chem"
    usage = {"phys.g2": 2.0, "phys.g3.dev": 1.0, chem: 5.0}
    quotas = cycle(knobs, 8, {"phys.g2": 498, "phys.g3.dev": 185, chem: 5}, usage, SCALED)
    first, second = quotas.rounds
    assert {name: quota for name, quota in quotas_of(quotas).items() if quota} == {
        "<none>": 5.568,
        "phys.g2": 2.432,
    }
    assert {name: got for name, got in allocated(first).items() if got} == {"phys.g2": 8}
    assert (first.surplus, first.max_delta, limits(first)) == (0, 6, {"phys.g2": 8})
    assert {name: got for name, got in allocated(second).items() if got} == {"phys.g2": 2, chem: 5}
    assert (second.surplus, second.max_delta, limits(second)) == (pytest.approx(1), 0, {chem: 5})
