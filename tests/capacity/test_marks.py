"""One asset divided into levels."""

from __future__ import annotations

import pytest

from htcq.capacity.marks import Marks

DIVISIONS = [
    (10, 3, 0),
    (7, 7, 0),
    (100, 1, 0),
    (16384, 100, 0),
    (385_117, 96, 0),
    (100_000, 7, 1025),
]


@pytest.mark.parametrize(("total", "levels", "spare"), DIVISIONS)
def test_all_quanta_are_worth_all_of_the_asset(total: int, levels: int, spare: int) -> None:
    """All but what is set aside for a startd that adds to every claim."""
    assert Marks(levels, spare).worth(levels, total) == total - levels * spare


@pytest.mark.parametrize(("total", "levels", "spare"), DIVISIONS)
def test_one_quantum_after_the_other_leaves_less_than_a_quantum(
    total: int, levels: int, spare: int
) -> None:
    marks = Marks(levels, spare)
    assert marks.are_exact(total)
    left = marks.divided(total)
    for taken in range(levels):
        assert marks.left(left, total) == levels - taken
        left -= marks.worth(1, total)

    assert marks.left(left, total) == 0


@pytest.mark.parametrize(("total", "levels"), [(5, 3), (96, 64), (11, 4)])
def test_where_roundings_add_up_to_a_quantum_is_known(total: int, levels: int) -> None:
    """11 units for 4: the claims take 2 each, and 3 are left, where a fifth fits."""
    assert not Marks(levels).are_exact(total)


@pytest.mark.parametrize(("total", "levels", "spare"), DIVISIONS)
def test_an_asset_never_holds_more_quanta_than_levels(total: int, levels: int, spare: int) -> None:
    assert levels == Marks(levels, spare).left(total, total)


def test_an_overdrawn_asset_has_no_quanta() -> None:
    assert Marks(4).left(-5, 10) == 0


@pytest.mark.parametrize(
    ("request_", "expected"), [(0, 0), (1, 1), (2, 1), (3, 2), (10, 4), (11, 5)]
)
def test_a_request_needs_the_ceiling_of_its_part(request_: int, expected: int) -> None:
    """n = ceil(r Q / V), the published formula, here with V = 10 and Q = 4."""
    assert expected == Marks(4).asked(request_, 10)
