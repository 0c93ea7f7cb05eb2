"""The ledger of elastic quotas: nothing is lent that nobody uses, and nothing used that nobody had."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from htcq.drift.accounts import Account, Hours, accounts, part_seconds
from htcq.drift.ledger import AMOUNTS, Booking, LedgerEntry
from htcq.drift.ledger_entries import entries
from htcq.drift.retention import Retention
from htcq.quota.elastic.declaration import (
    DEFAULT,
    ROOT,
    SELF,
    ElasticGroup,
    ElasticQuotas,
    Options,
    Rounding,
)
from htcq.store.history import open_history
from tests.properties.test_elastic import Site, sites
from tests.store.histories import POOL, START, observation

OPTIONS = st.builds(Options, st.booleans(), st.booleans(), st.sampled_from(Rounding))
Ledger = dict[tuple[str, str], LedgerEntry]


def sound(site: Site) -> Site:
    """Return the site with mins of parents that cover those below them, and with all dimensions of those."""
    groups: dict[str, ElasticGroup] = {group.name: group for group in site.quotas.groups}
    for group in reversed(site.quotas.groups):
        below = [each for each in groups.values() if each.parent == group.name]
        caps = {**{name: None for each in below for name in each.max}, **group.max}
        mins = {
            name: max(group.min.get(name, 0), sum(each.min.get(name, 0) for each in below))
            for name in caps
        }
        caps = {
            name: None if cap is None or cap < mins[name] else cap for name, cap in caps.items()
        }
        groups[group.name] = replace(group, min=mins, max=caps)
    return replace(site, quotas=ElasticQuotas(tuple(groups.values()), site.quotas.options))


def ledger(site: Site) -> Ledger:
    return {
        (each.dimension, each.group): each
        for each in entries(site.quotas, site.demand, site.outcome)
    }


def names(found: Ledger) -> list[str]:
    return sorted({dimension for dimension, _ in found})


def below(found: Ledger, site: Site, dimension: str, name: str) -> list[LedgerEntry]:
    """Return the entries right below a group; without a name, those at the top."""
    members = [group.name for group in site.quotas.groups if group.parent == name]
    members += [f"{name}.{SELF}"] if name else []
    return [found[dimension, each] for each in members if (dimension, each) in found]


def guarantee(entry: LedgerEntry) -> int:
    return entry.used - entry.borrowed + entry.lent + entry.unused


def fits(site: Site) -> bool:
    """Return whether no more is used than there is, as it is in a pool."""
    demand = site.demand
    used = [*demand.used.values(), demand.system_used, demand.default_used]
    named = {name for each in used for name in each}
    return all(
        sum(each.get(name, 0) for each in used) <= demand.total.get(name, 0) for name in named
    )


def within(site: Site) -> Site:
    """Return the site with a total that holds all that is used, and what was there besides."""
    demand = site.demand
    total = {
        name: amount
        + sum(
            each.get(name, 0)
            for each in (*demand.used.values(), demand.system_used, demand.default_used)
        )
        for name, amount in {"cpus": 0, "memory": 0, **demand.total}.items()
    }
    return replace(site, demand=replace(demand, total=total))


@given(sites(OPTIONS))
def test_an_entry_adds_up_and_no_group_both_borrows_and_lends(site: Site) -> None:
    for entry in ledger(site).values():
        assert min(entry.lent, entry.borrowed, entry.unused, entry.used) >= 0
        assert entry.borrowed <= entry.used
        if entry.group != ROOT:
            assert guarantee(entry) <= entry.min
            assert not entry.borrowed or not entry.lent + entry.unused


@given(sites(OPTIONS).map(within))
def test_what_all_have_borrowed_is_what_all_have_lent_and_what_nobody_is_guaranteed(
    site: Site,
) -> None:
    site = sound(site)
    found = ledger(site)
    assert fits(site)
    for name in names(found):
        root, total = found[name, ROOT], site.demand.total.get(name, 0)
        lowest = [
            each
            for each in found.values()
            if each.dimension == name and is_lowest(found, site, each)
        ]
        outside = found.get((name, DEFAULT), LedgerEntry(DEFAULT, name))
        spare = total - sum(guarantee(each) for each in lowest)

        assert root.lent == sum(each.lent for each in lowest)
        assert root.borrowed == sum(each.borrowed for each in lowest) + outside.borrowed
        assert root.unused == sum(each.unused for each in lowest)
        assert root.used == sum(each.used for each in lowest) + outside.used
        assert 0 <= root.borrowed - root.lent <= max(0, spare)
        # What is idle is unused, or nobody's.
        assert spare < 0 or total - root.used == root.unused + spare - (root.borrowed - root.lent)


@given(sites(OPTIONS).map(within))
def test_nothing_leaves_a_group_while_something_is_left_that_nobody_is_guaranteed(
    site: Site,
) -> None:
    site = sound(site)
    found = ledger(site)
    for name in names(found):
        top = below(found, site, name, "")
        spare = site.demand.total.get(name, 0) - sum(guarantee(each) for each in top)
        borrowed = sum(
            each.borrowed for each in (*top, found.get((name, DEFAULT), LedgerEntry(DEFAULT, name)))
        )
        lent = sum(each.lent for each in top)

        assert 0 <= borrowed - lent <= max(0, spare)
        assert not lent or borrowed - lent == max(0, spare)


def is_lowest(found: Ledger, site: Site, entry: LedgerEntry) -> bool:
    return entry.group not in (ROOT, DEFAULT) and not below(
        found, site, entry.dimension, entry.group
    )


@given(sites(OPTIONS).map(within))
def test_a_group_lends_what_those_below_it_lend_to_others(site: Site) -> None:
    site = sound(site)
    found = ledger(site)
    for (name, group), entry in found.items():
        parts = below(found, site, name, group) if group not in (ROOT, DEFAULT) else []
        if not parts:
            continue
        nobodys = guarantee(entry) - sum(guarantee(each) for each in parts)
        lent, borrowed = (
            sum(getattr(each, amount) for each in parts) for amount in ("lent", "borrowed")
        )
        assert sum(each.used for each in parts) == entry.used
        if nobodys >= 0:
            # What rounding leaves of a min that shrank is nobody's, and goes first.
            assert 0 <= borrowed + entry.lent - lent - entry.borrowed <= nobodys


@given(sites(OPTIONS))
def test_without_shortage_a_guarantee_is_the_min(site: Site) -> None:
    site = sound(site)
    found = ledger(site)
    for (name, group), entry in found.items():
        if group not in (ROOT, DEFAULT) and found[name, ROOT].min <= found[name, ROOT].runtime:
            assert guarantee(entry) == entry.min


@given(sites(OPTIONS), st.randoms(use_true_random=False))
def test_the_order_of_groups_and_demands_does_not_matter(site: Site, chance: random.Random) -> None:
    groups, used = list(site.quotas.groups), list(site.demand.used.items())
    chance.shuffle(groups)
    chance.shuffle(used)
    other = Site(replace(site.quotas, groups=tuple(groups)), replace(site.demand, used=dict(used)))

    assert ledger(other) == ledger(site)


@given(sites(OPTIONS))
def test_the_same_look_has_the_same_ledger(site: Site) -> None:
    assert entries(site.quotas, site.demand, site.outcome) == entries(
        site.quotas, site.demand, site.outcome
    )


@given(sites(OPTIONS).map(within))
def test_in_a_pool_with_room_for_all_no_group_at_the_top_lends(site: Site) -> None:
    """What is used besides what is guaranteed fits beside it."""
    site = sound(site)
    mins = {name: each.min for (name, group), each in ledger(site).items() if group == ROOT}
    roomy = {name: amount + mins.get(name, 0) for name, amount in site.demand.total.items()}
    site = Site(site.quotas, replace(site.demand, total=roomy))
    found = ledger(site)

    assert not any(each.lent for name in names(found) for each in below(found, site, name, ""))


# Hours
# ------------------------------------------------------------------------------------------------------------

amounts = st.integers(0, 10**6)
booked = st.builds(
    lambda group, since, span, seconds, numbers: Booking(
        LedgerEntry(group, "gpus", *numbers), since, since + span, seconds
    ),
    st.sampled_from((ROOT, "a", "b")),
    st.integers(0, 5000),
    st.integers(1, 4000),
    st.integers(0, 4000),
    st.tuples(*[amounts] * len(AMOUNTS)),
)


def sums(found: Iterable[Account]) -> dict[str, Hours]:
    return {each.group: each.hours for each in found}


def added(*several: dict[str, Hours]) -> dict[str, Hours]:
    found: dict[str, Hours] = {}
    for each in several:
        for group, hours in each.items():
            before = found.get(group, Hours())
            found[group] = Hours(
                *(getattr(before, name) + getattr(hours, name) for name in AMOUNTS)
            )
    return found


@given(
    st.lists(booked, max_size=20), st.integers(0, 3000), st.integers(1, 3000), st.integers(1, 3000)
)
def test_a_time_divided_in_two_adds_up(
    bookings: list[Booking], since: int, first: int, second: int
) -> None:
    middle, until = since + first, since + first + second
    whole = sums(accounts(bookings, since, until))
    parts = added(sums(accounts(bookings, since, middle)), sums(accounts(bookings, middle, until)))

    assert whole == parts


@given(
    st.lists(booked, max_size=20), st.integers(0, 3000), st.integers(1, 6000), st.integers(1, 30)
)
def test_parts_add_up_to_the_whole(
    bookings: list[Booking], since: int, length: int, most: int
) -> None:
    for account in accounts(bookings, since, since + length, most):
        for name in AMOUNTS:
            assert sum(getattr(part.hours, name) for part in account.parts) == getattr(
                account.hours, name
            )
        assert len(account.parts) <= most
        edges = [edge for part in account.parts for edge in (part.since, part.until)]
        assert edges == sorted(edges)
        assert since <= edges[0] and edges[-1] <= since + length  # noqa: PT018


@given(st.lists(booked, max_size=20), st.randoms(use_true_random=False))
def test_the_order_of_bookings_does_not_matter(
    bookings: list[Booking], chance: random.Random
) -> None:
    shuffled = bookings[:]
    chance.shuffle(shuffled)

    assert accounts(shuffled, 0, 9000) == accounts(bookings, 0, 9000)


# The history
# ------------------------------------------------------------------------------------------------------

entry = st.builds(
    lambda group, dimension, numbers: LedgerEntry(group, dimension, *numbers),
    st.sampled_from((ROOT, "a", "b.<self>")),
    st.sampled_from(("gpus", "weight")),
    st.tuples(*[st.one_of(st.integers(0, 100), st.integers(0, 10**14))] * len(AMOUNTS)),
)
looks = st.lists(
    st.tuples(
        st.one_of(st.integers(1, 1200), st.integers(1, 86400)),
        st.lists(entry, max_size=4, unique_by=lambda each: (each.group, each.dimension)),
    ),
    min_size=1,
    max_size=30,
)
Looks = Sequence[tuple[int, list[LedgerEntry]]]
ages = st.integers(0, 3 * 86400)


def recorded(given_looks: Looks, path: Path) -> list[int]:
    """Record the looks, every one twice, and return their times."""
    times, time = [START], START
    with open_history(path, writable=True) as history:
        history.record(observation(START))
        for gap, booked_then in given_looks:
            time += gap
            times.append(time)
            assert history.record(observation(time, ledger=tuple(booked_then)))
            assert not history.record(observation(time, ledger=tuple(booked_then)))
    return times


def expected(given_looks: Looks) -> dict[tuple[str, str, str], Fraction]:
    """Return hours: each look stands for the time since the one before it, if that is no more than an hour."""
    found: dict[tuple[str, str, str], Fraction] = {}
    for gap, booked_then in given_looks:
        for each in booked_then if gap <= 3600 else ():
            for name in AMOUNTS:
                key = (each.dimension, each.group, name)
                found[key] = found.get(key, Fraction(0)) + Fraction(getattr(each, name) * gap, 3600)
    return found


def hours(path: Path, since: int, until: int) -> dict[tuple[str, str, str], Fraction]:
    with open_history(path) as history:
        found = accounts(
            history.ledger(POOL, since, until, part_seconds(since, until)), since, until
        )
    return {
        (each.dimension, each.group, name): getattr(each.hours, name)
        for each in found
        for name in AMOUNTS
    }


@given(looks, st.lists(st.tuples(st.integers(-86400, 3 * 86400), ages, ages), max_size=3))
def test_hours_are_what_was_seen_whenever_it_is_pruned(
    given_looks: Looks, when: list[tuple[int, int, int]]
) -> None:
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "drift.db"
        times = recorded(given_looks, path)
        last = times[-1]
        # A merged day may begin before the first look and end where it ends.
        wide = (START - 2 * 86400, last + 86400)
        assert hours(path, *wide) == expected(given_looks)
        for later, fine, coarse in when:
            with open_history(path, writable=True) as history:
                history.prune(last + later, Retention(fine, coarse, 3 * last))
            assert hours(path, *wide) == expected(given_looks)


@given(looks, st.integers(0, 86400), st.integers(1, 3 * 86400), st.integers(1, 40))
def test_what_is_read_in_steps_is_what_is_read_row_by_row(
    given_looks: Looks, after: int, length: int, most: int
) -> None:
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "drift.db"
        recorded(given_looks, path)
        since, until = START + after, START + after + length
        with open_history(path) as history:
            fine, coarse = (
                accounts(history.ledger(POOL, since, until, step), since, until, most)
                for step in (1, part_seconds(since, until, most))
            )

    assert coarse == fine
