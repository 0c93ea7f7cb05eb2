"""What would break a min within one cycle: a plan, a match that charges a whole slot, a usage that is read once."""

from __future__ import annotations

import pytest

from htcq.elastic.guarantee_gates import below_a_match, overshoots, unguaranteed
from htcq.elastic.observation import observe
from htcq.elastic.step_simulation import BrokenMin
from htcq.quota.settings import Settings
from tests.audit.sites import POLICY, pool
from tests.elastic.quotas import claimed, group, node, quotas

GROUPS = quotas(group("a", {"cpus": 4}, {"cpus": 8}))
STATIC = {"PartitionableSlot": None, "SlotType": '"Static"'}


@pytest.mark.parametrize(
    ("slots", "heaviest"),
    [
        # A slot is worth what it was before anything was carved from it.
        ((node("n1", 7), claimed(1, "a.ann@x", node="n1"), node("n2", TotalSlotCpus=4)), "n1"),
        ((node("n1", **POLICY), node("n2", 4, TotalSlotCpus=4)), "n2"),
        ((node("n1", 2, TotalSlotCpus=2, **STATIC), node("n2", **POLICY)), "n1"),
        ((node("n1", **POLICY), node("n2", **POLICY)), ""),
    ],
)
def test_the_heaviest_slot_that_is_charged_as_a_whole(
    slots: tuple[str, ...], heaviest: str
) -> None:
    found = observe(pool(*slots), GROUPS).heaviest

    assert found[0].rpartition("@")[2] == heaviest
    assert found[1] == {"": 0, "n1": 8, "n2": 4}[heaviest] or found == ("slot1@n1", 2.0)


def test_without_slot_weights_a_slot_is_worth_one() -> None:
    config = "NEGOTIATOR_USE_SLOT_WEIGHTS = False\n"

    assert observe(pool(node(), config=config), GROUPS).heaviest == ("slot1@node1", 1.0)


@pytest.mark.parametrize(
    ("mins", "refused"),
    [
        ({"a": 8.0, "b": 9.0, "c": 0.0}, []),
        ({"a": 7.5, "b": 8.0}, ["a"]),
        ({"p": 8.0, "p.x": 4.0, "p.y": 4.0}, ["p.x", "p.y"]),
    ],
)
def test_a_min_below_one_match_is_refused(mins: dict[str, float], refused: list[str]) -> None:
    found = list(below_a_match(mins.items(), ("slot1@n1", 8.0)))

    assert [each.message.split()[3] for each in found] == refused
    assert all("charges the whole of slot1@n1, 8" in each.message for each in found)


def test_a_min_that_the_next_cycle_breaks_is_refused_with_the_numbers() -> None:
    (refusal,) = unguaranteed([BrokenMin("all groups come at once", "B", 10.0, "C", 14.0, "C")])

    assert refusal.gate == "guarantee"
    assert "B would stay 10 below its min, while C is matched 14 beyond its own" in refusal.message


def test_submitters_that_may_pass_their_groups_limit_together_are_refused() -> None:
    """It is HTCondor's default."""
    (refusal,) = overshoots(Settings())

    assert refusal.gate == "preemption"
    assert "set NEGOTIATOR_CONSIDER_PREEMPTION = False" in refusal.hint
    assert not list(overshoots(Settings(consider_preemption=False)))
