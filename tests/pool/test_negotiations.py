"""What a match costs, and what stands in its way, in 16 cycles of a real negotiator."""

from __future__ import annotations

from pathlib import Path

import pytest

from htcq.claims.matching import Mismatch, wall
from htcq.pool.slot import Number
from tests.pool.negotiations import CYCLES, Cycle, cycle, expected, pool

recorded = pytest.mark.parametrize("path", CYCLES, ids=lambda path: path.name)


def test_there_are_sixteen_recorded_cycles_with_every_policy() -> None:
    policies = {policy for path in CYCLES for policy in expected(path)["policies"]}

    assert len(CYCLES) == 16
    assert policies == {"plain", "cpu", "mem", "multi", "mincharge", "quant", "tokens"}


@recorded
def test_every_recorded_cycle_states_its_name_origin_and_reason(path: Path) -> None:
    case = expected(path)

    assert [key for key in ("name", "origin", "why") if len(case[key]) < 5] == []
    assert case["matches"]


@recorded
def test_a_recorded_cycle_is_read_whole(path: Path) -> None:
    before = pool(path)

    assert before.damage == ()
    assert {each.name for each in before.slots or ()} >= {
        match["slot"] for match in expected(path)["matches"]
    }
    assert {job.submitter for job in before.jobs or ()} == {
        record.name for record in before.submitters
    }


@recorded
def test_what_was_matched_matches_on_the_full_slot(path: Path) -> None:
    again = cycle(path)
    pairs = {(match["request"], match["slot"]) for match in again.record["matches"]}

    for request, slot in pairs:
        assert wall(again.machines[slot].kind, again.classes[request]) == (Mismatch.NONE, "")


@recorded
def test_what_was_matched_matches_on_what_the_slot_had_left(path: Path) -> None:
    """And the slot had a claim id left: a plain one has one for each cycle."""
    for machine, jobs in cycle(path).again():
        assert wall(machine.kind, jobs, machine.left) == (Mismatch.NONE, "")
        assert machine.claims > 0
        assert not machine.taken


@recorded
def test_match_costs_add_up_to_what_the_accountant_had_charged(path: Path) -> None:
    """Each one from the state that the slot has after the matches before it; nobody used anything before the cycle."""
    again = cycle(path)
    for _ in again.again():
        pass

    charged = {name: usage for name, usage in again.record["usage_after"].items() if "@" in name}
    assert again.usage == pytest.approx(charged)


@recorded
def test_what_found_no_match_meets_a_wall_or_slots_without_room_or_its_share_is_spent(
    path: Path,
) -> None:
    """The negotiator says "no match found" also where the only slots left cost more than the submitter's share."""
    again = cycle(path)
    for _ in again.again():
        pass

    for rejection in again.record["rejections"]:
        if rejection["reason"] == "no match found":
            costs = [_cost(again, slot, rejection["request"]) for slot in again.machines]
            assert all(
                cost is None or _exceeds_share(again, rejection["submitter"], cost)
                for cost in costs
            )


def test_most_of_what_found_no_match_meets_a_wall_on_every_free_slot() -> None:
    """So that the shares above explain the few cycles with spent quotas, and not everything."""
    walled = set()
    for path in CYCLES:
        again = cycle(path)
        for _ in again.again():
            pass
        rejected = [
            each["request"]
            for each in again.record["rejections"]
            if each["reason"] == "no match found"
        ]
        if rejected and all(
            _cost(again, slot, each) is None for slot in again.machines for each in rejected
        ):
            walled.add(path.name)

    assert walled == {f"cycle-{number}" for number in (100, 106, 109, 115, 121, 142, 145)}


def _cost(again: Cycle, slot: str, request: str) -> Number | None:
    """Return what one more match would cost; None where the slot has no room or a wall stands between."""
    machine, jobs = again.machines[slot], again.classes[request]
    if (
        machine.taken
        or machine.claims < 1
        or wall(machine.kind, jobs, machine.left)[0] is not Mismatch.NONE
    ):
        return None
    if not machine.kind.supports_policy:
        return machine.kind.plain_weight(machine.left)
    return machine.kind.cost(machine.kind.consumed(jobs.ad(), machine.left), machine.left)


def _exceeds_share(again: Cycle, submitter: str, cost: Number) -> bool:
    """Return whether ``cost`` is more than the submitter may still take: equal submitters share a group's limit."""
    limits = {each["group"]: each["limit"] for each in again.record["group_limits"]}
    order = again.record["submitter_order"]
    groups = {
        name: name.partition(".")[0] if name.partition(".")[0] in limits else "<none>"
        for name in order
    }
    peers = [name for name in order if groups[name] == groups[submitter]]
    return again.usage.get(submitter, 0) + cost > limits[groups[submitter]] / len(peers)
