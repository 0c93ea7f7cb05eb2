"""A large pool's slots in parts: each slot in one of them, by the library that HTCondor's collector has."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from htcq.library import library
from htcq.live.asked_startds import AskedStartds
from htcq.live.slot_queries import SLOTS_OF_A_PART, disjoint
from tests.live.test_asked_startds import looked_at

#: What stands for the name of a machine, in odd cases.
ODD = (
    '"N1.site"', '"n1.SITE"', '"ä.site"', '"Ä.site"', '"a\\"b"', '"a\\\\b"', '""', '"~"', '"{"', '"[x"',
    '"_"', '"a b"', "undefined", "error", "17", '{"n1"}', 'strcat("n", "1.site")', '"\\t"',
)  # fmt: skip


def _ad(machine: str) -> Any:
    ad = library().classad2.ClassAd()
    ad["Machine"] = library().classad2.ExprTree(machine)
    return ad


def _parts(ad: Any, constraints: list[str]) -> list[int]:
    """Return the numbers of the constraints that a slot meets."""
    trees = [library().classad2.ExprTree(each) for each in constraints]
    return [number for number, tree in enumerate(trees) if tree.eval(ad) is True]


@pytest.mark.parametrize("seed", range(20))
def test_each_slot_is_in_one_part_whatever_its_machine_is_called(seed: int) -> None:
    rng = random.Random(seed)
    plain = [f'"{rng.choice("nNxX_-")}{rng.randint(0, 60):02d}.site"' for _ in range(80)]
    ads = [_ad(text) for text in (*ODD, *plain)]
    # As the query of the names counts them: what is no text, or no plain one, has none.
    seen = [ad.get("Machine") for ad in ads]
    machines = Counter(name if isinstance(name, str) else "" for name in seen)
    size = rng.choice((5, 10, 30))
    constraints = disjoint(machines, size)

    found = [_parts(ad, constraints) for ad in ads]
    assert all(len(parts) == 1 for parts in found), constraints
    held = Counter(parts[0] for parts in found)
    assert max(held.values()) <= size + max(machines.values()) + len(ODD)
    assert len(constraints) >= len(ads) // (2 * size)


def test_a_machine_stays_whole_and_a_small_pool_is_one_part() -> None:
    assert disjoint({"a": 3, "b": 1}, SLOTS_OF_A_PART) == ["true"]
    assert disjoint({}, 5) == ["true"]
    assert len(disjoint({"a": 30, "b": 1, "c": 1}, 5)) == 2


def test_startds_of_several_parts_are_those_of_all_slots_at_once() -> None:
    rng = random.Random(7)
    whole, first, second = AskedStartds(), AskedStartds(), AskedStartds()
    for number in range(60):
        values = {
            "SlotWeight": rng.randint(1, 3),
            "RecentClaimRequests": rng.choice((0, 2, 40)),
            "TotalCpus": 8,
            "TotalSlotCpus": rng.choice((8, 8, 8, 4)),
            "Activity": rng.choice(("Idle", "Busy", "Suspended")),
        }
        for asked in (whole, first if number < 30 else second):
            looked_at(asked, f"m{number}", **values)
    first.add(second)

    assert len(whole.locations()) > 8
    assert first.locations() == whole.locations()
