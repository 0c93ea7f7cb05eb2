"""One asset divided into levels."""

from __future__ import annotations

import pytest

from htcq.capacity.marks import Marks

DIVISIONS = [(10, 4, 0), (7, 7, 0), (100, 1, 0), (16384, 300, 0), (5, 3, 0), (100_000, 7, 1025)]


@pytest.mark.parametrize(("total", "levels", "spare"), DIVISIONS)
def test_the_quanta_of_an_asset_add_up_to_all_of_it_and_differ_by_one_unit_at_most(
    total: int, levels: int, spare: int
) -> None:
    """All but what is set aside for a startd that adds to every claim."""
    marks = Marks(levels, spare)
    worth = [marks.worth(quanta, total) for quanta in range(levels + 1)]
    quanta = [above - below for below, above in zip(worth, worth[1:])]

    assert (worth[0], worth[-1]) == (0, total - levels * spare)
    assert max(quanta) - min(quanta) <= 1
    assert quanta == sorted(quanta), (
        "larger quanta are taken first, so the last ones are the smaller"
    )


@pytest.mark.parametrize(("total", "levels", "spare"), DIVISIONS)
def test_a_quantum_counts_once_it_is_whole(total: int, levels: int, spare: int) -> None:
    marks = Marks(levels, spare)
    for quanta in range(1, levels + 1):
        at = marks.worth(quanta, total)
        assert (quanta - 1, quanta) == (marks.left(at - 1, total), marks.left(at, total))


@pytest.mark.parametrize(("total", "levels", "spare"), DIVISIONS)
def test_one_quantum_after_the_other_leaves_nothing(total: int, levels: int, spare: int) -> None:
    marks = Marks(levels, spare)
    left = marks.divided(total)
    for _ in range(levels):
        left -= marks.given(1, left, total)

    assert left == 0


@pytest.mark.parametrize(("total", "levels", "spare"), DIVISIONS)
def test_an_asset_never_holds_more_quanta_than_levels(total: int, levels: int, spare: int) -> None:
    assert levels == Marks(levels, spare).left(total, total)


def test_what_cannot_be_given_is_more_than_there_is() -> None:
    assert Marks(4).given(2, 3, 10) > 3
    assert Marks(4).given(1, 0, 10) > 0


def test_an_overdrawn_asset_has_no_quanta() -> None:
    assert Marks(4).left(-5, 10) == 0


@pytest.mark.parametrize(
    ("request_", "expected"), [(0, 0), (1, 1), (2, 1), (3, 2), (10, 4), (11, 5)]
)
def test_a_request_needs_the_ceiling_of_its_part(request_: int, expected: int) -> None:
    """n = ceil(r Q / V), the published formula, here with V = 10 and Q = 4."""
    assert expected == Marks(4).asked(request_, 10)
