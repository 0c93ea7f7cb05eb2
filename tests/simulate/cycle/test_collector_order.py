"""The order of the collector's hash table; the first three were seen on 25.14.1 and 23.9.6."""

from __future__ import annotations

import pytest

from htcq.simulate.cycle.collector_order import CollectorOrder


def ordered(names: list[str], in_order: bool = False) -> list[str]:
    places = CollectorOrder(names, in_order).places(names)
    return [name for _, name in sorted(zip(places, names))]


@pytest.mark.parametrize(
    ("count", "order"),
    [(4, (1, 2, 3, 4)), (6, (2, 4, 6, 1, 3, 5)), (7, (7, 2, 4, 6, 1, 3, 5)), (1, (1,))],
)
def test_slots_that_were_sorted_are_in_the_order_of_their_hashes(
    count: int, order: tuple[int, ...]
) -> None:
    names = [f"slot{number}@node.test" for number in range(1, count + 1)]

    assert ordered(names) == [f"slot{number}@node.test" for number in order]


def test_slots_that_were_not_sorted_stand_as_they_are() -> None:
    names = ["slot2@b", "slot9@a", "slot1@c", "slot7@a", "slot3@b", "slot1@a"]

    assert ordered(names) == names


def test_numbers_may_be_sorted_as_such_or_as_letters() -> None:
    by_numbers = [f"slot{number}@node.test" for number in range(1, 13)]

    assert ordered(by_numbers) != by_numbers
    assert set(ordered(sorted(by_numbers))) == set(by_numbers)
    assert ordered(sorted(by_numbers)) != sorted(by_numbers)


def test_slots_that_come_and_go_change_the_table() -> None:
    names = [f"slot{number}@node.test" for number in range(1, 7)]
    order = CollectorOrder(names)
    order.places(names)

    without = [name for name in names if "slot2" not in name]
    assert [each[4] for _, each in sorted(zip(order.places(without), without))] == [
        "4", "6", "1", "3", "5",
    ]  # fmt: skip
    again = [*without, names[1]]
    assert [each[4] for _, each in sorted(zip(order.places(again), again))] == [
        "2", "4", "6", "1", "3", "5",
    ]  # fmt: skip


#: Of slot2 and slot1@m1, in one bucket, the one that came last is the first; seen on 23.9.6.
OF_TWO_STARTDS = ["slot1@node.test", "slot2@node.test", "slot1@m1@node.test", "slot3@node.test"]


def test_a_captured_order_stands_however_sorted_it_looks() -> None:
    assert ordered(OF_TWO_STARTDS, in_order=True) == OF_TWO_STARTDS
    assert ordered(OF_TWO_STARTDS) != OF_TWO_STARTDS


def test_slots_that_come_later_stand_in_the_table_that_the_captured_ones_tell() -> None:
    order = CollectorOrder(OF_TWO_STARTDS, in_order=True)
    names = [*OF_TWO_STARTDS, "slot1_1@m1@node.test"]

    found = [name for _, name in sorted(zip(order.places(names), names))]

    assert [name for name in found if name in OF_TWO_STARTDS] == OF_TWO_STARTDS
    assert found.index(names[-1]) < len(OF_TWO_STARTDS)


def test_an_order_that_no_table_has_stands_with_what_comes_later_behind_it() -> None:
    captured = [f"slot{number}@node.test" for number in (1, 5, 3, 6, 2, 4)]
    order = CollectorOrder(captured, in_order=True)

    assert list(order.places([*captured, "slot7@node.test"])) == list(range(7))
