"""Dynamic slots that a job preempts together, rule by rule; the rules are those of 25.14."""

from __future__ import annotations

from typing import Union

import pytest

from htcq.simulate.cycle.cycle import run_cycle
from htcq.simulate.cycle.trace import Trace
from tests.audit.sites import (
    VERSION,
    accounting,
    dynamic_slot,
    job,
    policy_slot,
    pool,
    slot,
    submitter,
)

ON = "ALLOW_PSLOT_PREEMPTION = True\nPREEMPTION_REQUIREMENTS = True\n"
FITS = "TARGET.RequestCpus <= MY.Cpus"
Text = Union[str, int, float]


def parent(cpus: int, children: int, node: str = "node1", **changes: Text) -> str:
    own: dict[str, Text] = {
        "Machine": f'"{node}"',
        "Cpus": cpus,
        "SlotWeight": "Cpus",
        "NumDynamicSlots": children,
        "Rank": 0.0,
        "Requirements": FITS,
        "PslotRollupInformation": "true",
    }
    return slot(f"slot1@{node}", **{**own, **changes})


def child(number: int, who: str = "ben@site", node: str = "node1", **changes: Text) -> str:
    own: dict[str, Text] = {
        "Machine": f'"{node}"',
        "Cpus": 1,
        "SlotWeight": "Cpus",
        "CurrentRank": 0.0,
        "Rank": 0.0,
        "Requirements": FITS,
        "PslotRollupInformation": "true",
        "AccountingGroup": f'"{who}"',
        "RemoteUser": f'"{who}"',
    }
    return dynamic_slot(f"slot1_{number}@{node}", **{**own, **changes})


def cycle(*ads: str, cpus: int = 2, idle: int = 1, config: str = ON, **changes: Text) -> Trace:
    own: dict[str, Text] = {
        "Owner": '"ada"',
        "User": '"ada@site"',
        "RequestCpus": cpus,
        "Requirements": "true",
    }
    queue = [job(f"1.{proc}", **{**own, **changes}) for proc in range(idle)]
    asks = submitter("ada@site", IdleJobs=idle, WeightedIdleJobs=idle * cpus)
    return run_cycle(pool(*ads, asks, jobs=queue, config=config))


def taken(trace: Trace) -> list[tuple[str, tuple[str, ...], str, float]]:
    return [
        (each.slot, tuple(map(_short, each.dynamic_slots)), each.by, each.cost)
        for each in trace.matches
    ]


def _short(name: str) -> str:
    return name.partition("@")[0]


def test_as_many_are_preempted_as_the_job_needs() -> None:
    trace = cycle(parent(0, 3), child(1), child(2), child(3))

    # The match costs what the slot weighs with their cpus.
    assert taken(trace) == [("slot1@node1", ("slot1_1", "slot1_2"), "priority", 2.0)]
    assert trace.matches[0].preempts == "ben@site"


def test_what_the_slot_has_left_counts() -> None:
    trace = cycle(parent(1, 2), child(1), child(2))

    assert taken(trace) == [("slot1@node1", ("slot1_1",), "priority", 2.0)]


def test_what_other_matches_have_taken_of_the_slot_before_counts() -> None:
    """Seen on 25.14.1: of three cpus two are gone when a job preempts, and two more are granted."""
    own: dict[str, Text] = {"Machine": '"node1"', "Cpus": 3, "NumDynamicSlots": 1, "NumClaims": 2}
    own |= {"Rank": 0.0, "PslotRollupInformation": "true"}
    asked: dict[str, Text] = {"Owner": '"ada"', "User": '"ada@site"', "RequestCpus": 2}
    queue = [job("1.0", **asked), job("2.0", RequestMemory=512, **asked)]
    asks = submitter("ada@site", IdleJobs=2, WeightedIdleJobs=4)
    node = policy_slot("slot1@node1", **own)
    trace = run_cycle(pool(node, child(1), asks, jobs=queue, config=ON))

    assert [(each.dynamic_slots, each.refusal) for each in trace.matches] == [
        ((), ""),
        (("slot1_1@node1",), ""),
    ]


@pytest.mark.parametrize(("version", "granted"), [("23.9.6", False), ("25.14.1", True)])
def test_gpus_that_are_freed_come_too_late_for_an_old_startd(version: str, granted: bool) -> None:
    """Seen on both: 1.0 is matched with the GPUs of the slot that it preempts."""
    gpus: dict[str, Text] = {
        "MachineResources": '"Cpus Memory Disk Swap GPUs"',
        "CondorVersion": f'"{VERSION.replace("25.14.1", version)}"',
    }
    node = parent(1, 1, GPUs=0, Requirements=f"{FITS} && (TARGET.RequestGPUs ?: 0) <= GPUs", **gpus)
    trace = cycle(node, child(1, GPUs=2, **gpus), cpus=1, RequestGPUs=1)

    assert [(each.dynamic_slots, not each.refusal) for each in trace.matches] == [
        (("slot1_1@node1",), granted)
    ]


def test_a_slot_where_the_job_fits_loses_none() -> None:
    trace = cycle(parent(2, 1), child(1))

    assert taken(trace) == [("slot1@node1", (), "", 2.0)]


@pytest.mark.parametrize(
    "config",
    [
        ON.replace("ALLOW_PSLOT_PREEMPTION = True", ""),
        ON + "NEGOTIATOR_CONSIDER_PREEMPTION = False\n",
    ],
)
def test_none_is_preempted_unless_it_is_configured(config: str) -> None:
    assert taken(cycle(parent(0, 2), child(1), child(2), config=config)) == []


def test_a_job_cannot_refuse() -> None:
    """The schedd writes into every request that it is wanted."""
    trace = cycle(parent(0, 2), child(1), child(2), WantPslotPreemption="false")

    assert len(trace.matches) == 1


def test_preemption_requirements_are_asked_of_each_one() -> None:
    config = ON.replace(
        "PREEMPTION_REQUIREMENTS = True", 'PREEMPTION_REQUIREMENTS = RemoteUser == "cyd@site"'
    )
    trace = cycle(parent(0, 3), child(1), child(2, "cyd@site"), child(3, "cyd@site"), config=config)

    assert taken(trace) == [("slot1@node1", ("slot1_2", "slot1_3"), "priority", 2.0)]


def test_without_requirements_none_is_preempted_by_priority() -> None:
    """An empty knob lets single slots be preempted, and not these."""
    config = "ALLOW_PSLOT_PREEMPTION = True\nPREEMPTION_REQUIREMENTS =\n"

    assert taken(cycle(parent(0, 2), child(1), child(2), config=config)) == []


def test_those_of_the_submitter_stay() -> None:
    trace = cycle(parent(0, 3), child(1, "ada@site"), child(2), child(3))

    assert taken(trace) == [("slot1@node1", ("slot1_2", "slot1_3"), "priority", 2.0)]


def test_those_with_a_lower_rank_go_first_and_whatever_is_configured() -> None:
    config = "ALLOW_PSLOT_PREEMPTION = True\nPREEMPTION_REQUIREMENTS = False\n"
    ads = [
        parent(0, 3, Rank='5.0 * (TARGET.Owner == "ada")'),
        child(1, CurrentRank=4.0),
        child(2, CurrentRank=5.0),
        child(3, CurrentRank=1.0),
    ]

    assert taken(cycle(*ads, config=config)) == [
        ("slot1@node1", ("slot1_3", "slot1_1"), "rank", 2.0)
    ]


def test_a_job_of_a_lower_rank_gets_none() -> None:
    assert taken(cycle(parent(0, 2, Rank=-1.0), child(1), child(2))) == []


def test_retirement_keeps_one() -> None:
    trace = cycle(parent(0, 3), child(1, RetirementTimeRemaining=60), child(2), child(3))

    assert taken(trace) == [("slot1@node1", ("slot1_2", "slot1_3"), "priority", 2.0)]


def test_a_slot_that_tells_of_another_number_is_left_alone() -> None:
    """The negotiator has no claims of all of them then."""
    assert taken(cycle(parent(0, 3), child(1), child(2))) == []


def test_one_alone_is_preempted_for_its_slot() -> None:
    """It is not preempted as a slot of its own, which would cost what it weighs itself."""
    trace = cycle(parent(0, 1), child(1, SlotWeight=7), cpus=1)

    assert taken(trace) == [("slot1@node1", ("slot1_1",), "priority", 1.0)]


def test_claims_are_given_away_once_whether_they_are_used_or_not() -> None:
    """Both slots come into the list of the first request, and leave their claims there."""
    ads = [
        parent(0, 2),
        child(1),
        child(2),
        parent(0, 2, "node2"),
        child(1, node="node2"),
        child(2, node="node2"),
    ]

    assert len(taken(cycle(*ads, idle=2))) == 2
    # Each job is a request of its own.
    alone = cycle(*ads, idle=2, Rank="ProcId", config=ON + "NEGOTIATOR_MATCHLIST_CACHING = False\n")
    assert len(taken(alone)) == 1


def test_the_holders_are_charged_until_their_claims_are_gone() -> None:
    trace = cycle(parent(0, 2), child(1), child(2, "cyd@site"))
    uses = {each.name: each for each in trace.submitters}

    assert trace.matches[0].preempts == "ben@site, cyd@site"
    assert (uses["ben@site"].used_after, uses["ben@site"].standing) == (1.0, 0.0)
    assert (uses["ada@site"].used_after, uses["ada@site"].standing) == (2.0, 2.0)


@pytest.mark.parametrize(("quota", "matches"), [(1, 0), (2, 1)])
def test_a_limit_holds_for_those_taken_by_priority(quota: int, matches: int) -> None:
    config = f"{ON}GROUP_NAMES = a, b\nGROUP_QUOTA_a = {quota}\nGROUP_QUOTA_b = 1\n"
    ads = [parent(0, 4, TotalSlotCpus=4), *map(child, (1, 2, 3)), child(4, "a.ada@site")]
    asks = submitter("a.ada@site", IdleJobs=1, WeightedIdleJobs=2)
    own = {"Owner": '"ada"', "User": '"ada@site"', "AccountingGroup": '"a.ada"'}
    wants = {"RequestCpus": 2, "Requirements": "true"}
    queue = [job("1.0", AcctGroup='"a"', **own, **wants)]

    assert len(run_cycle(pool(*ads, asks, jobs=queue, config=config)).matches) == matches


def test_preemption_requirements_see_who_asks() -> None:
    config = ON.replace(
        "PREEMPTION_REQUIREMENTS = True",
        "PREEMPTION_REQUIREMENTS = RemoteUserPrio > SubmitterUserPrio * 1.2",
    )
    accounts = [
        accounting("ada@site", Priority=500.0, PriorityFactor=1.0),
        accounting("ben@site", Priority=550.0, PriorityFactor=1.0),
        accounting("cyd@site", Priority=650.0, PriorityFactor=1.0),
    ]
    ads = [parent(0, 3), child(1), child(2, "cyd@site"), child(3, "cyd@site"), *accounts]

    assert taken(cycle(*ads, config=config)) == [
        ("slot1@node1", ("slot1_2", "slot1_3"), "priority", 2.0)
    ]
