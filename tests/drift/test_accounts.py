"""Hours of the ledger in a stretch of time, in numbers that add up in the head."""

from __future__ import annotations

from fractions import Fraction

from htcq.drift.accounts import Account, Hours, accounts, part_seconds
from htcq.drift.ledger import Booking, LedgerEntry

HOUR = 3600


def booking(
    group: str, since: int, until: int, dimension: str = "gpus", seconds: int = -1, **amounts: int
) -> Booking:
    """Return so much of each amount all the time."""
    span = until - since if seconds < 0 else seconds
    numbers = dict.fromkeys(("min", "runtime", "used", "lent", "borrowed", "unused"), 0)
    numbers.update({name: amount * span for name, amount in amounts.items()})
    return Booking(LedgerEntry(group, dimension, **numbers), since, until, span)


def only(found: tuple[Account, ...]) -> Account:
    (account,) = found
    return account


def test_units_times_hours() -> None:
    account = only(accounts([booking("a", 0, 2 * HOUR, used=3, lent=4)], 0, 4 * HOUR))

    assert account.hours == Hours(used=Fraction(6), lent=Fraction(8))
    assert (account.group, account.dimension, account.observed) == ("a", "gpus", 0.5)


def test_what_lies_outside_does_not_count() -> None:
    """Of three hours the middle one."""
    assert only(accounts([booking("a", 0, 3 * HOUR, lent=5)], HOUR, 2 * HOUR)).hours.lent == 5
    assert accounts([booking("a", 0, HOUR, lent=5)], HOUR, 2 * HOUR) == ()


def test_time_that_nobody_observed_does_not_count() -> None:
    """A merged day of which half an hour was seen."""
    account = only(accounts([booking("a", 0, 24 * HOUR, seconds=HOUR // 2, lent=10)], 0, 24 * HOUR))

    assert account.hours.lent == 5
    assert account.observed == 0.5 / 24


def test_the_time_is_divided_into_parts() -> None:
    account = only(
        accounts(
            [booking("a", 0, HOUR, lent=1), booking("a", 2 * HOUR, 4 * HOUR, lent=2)],
            0,
            4 * HOUR,
            4,
        )
    )

    assert [(part.since, part.until, part.hours.lent) for part in account.parts] == [
        (0, HOUR, 1), (2 * HOUR, 3 * HOUR, 2), (3 * HOUR, 4 * HOUR, 2),
    ]  # fmt: skip


def test_the_last_part_may_be_shorter() -> None:
    account = only(accounts([booking("a", 0, 100, lent=1)], 0, 100, 3))

    assert part_seconds(0, 100, 3) == 34
    assert [(part.since, part.until) for part in account.parts] == [(0, 34), (34, 68), (68, 100)]


def test_the_root_comes_first_then_who_lent_or_borrowed_most() -> None:
    found = accounts(
        [
            booking("a", 0, HOUR, lent=1),
            booking("b", 0, HOUR, borrowed=3),
            booking("c", 0, HOUR, borrowed=1),
            booking("<none>", 0, HOUR, used=1),
            booking("z", 0, HOUR, "cpus", used=1),
        ],
        0,
        HOUR,
    )

    assert [(each.dimension, each.group) for each in found] == [
        ("cpus", "z"), ("gpus", "<none>"), ("gpus", "b"), ("gpus", "a"), ("gpus", "c"),
    ]  # fmt: skip


def test_a_group_that_came_later_was_observed_as_long_as_all() -> None:
    """What is all 0 is not kept."""
    found = accounts(
        [booking("<none>", 0, HOUR, used=1), booking("a", 0, HOUR // 2, lent=1)], 0, HOUR
    )

    assert [each.observed for each in found] == [1, 1]


def test_a_guarantee_is_what_is_own_lent_and_unused() -> None:
    hours = Hours(used=Fraction(9), borrowed=Fraction(2), lent=Fraction(3), unused=Fraction(4))

    assert hours.guarantee == 14
    assert Hours(borrowed=Fraction(7), lent=Fraction(3)).spare == 4
