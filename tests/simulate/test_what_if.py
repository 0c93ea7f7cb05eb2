"""Pools as they might be: other machines, other demand."""

from __future__ import annotations

import pytest

from htcq.errors import InputError
from htcq.pool.pool import Pool
from htcq.simulate.cycle.cycle import run_cycle
from htcq.simulate.what_if import WhatIf, changed_pool
from tests.audit.sites import dynamic_slot, job, policy_slot, pool, static_slot, submitter

GROUPS = "GROUP_NAMES = a, a.b\nGROUP_QUOTA_a = 3\nGROUP_QUOTA_a.b = 5\n"
WHO = ("a.ann", "a.b.ben", "cyd")


def site() -> Pool:
    """Two machines, one of them with a claim, and three submitters with four jobs each."""
    slots = (
        policy_slot("slot1@node1", Cpus=6, DynamicSlots=1),
        dynamic_slot("slot1_1@node1", "cyd@site", Cpus=2),
        static_slot("slot1@node2", Cpus=2, TotalSlotCpus=2),
    )
    asking = (submitter(f"{who}@site", IdleJobs=4, WeightedIdleJobs=8) for who in WHO)
    jobs = [
        job(f"{cluster}.{proc}", AccountingGroup=f'"{who}"')
        for cluster, who in enumerate(WHO, 1)
        for proc in range(4)
    ]
    return pool(*slots, *asking, jobs=jobs, config=GROUPS)


def names(given: Pool) -> list[str]:
    return [str(slot.name) for slot in given.slots or ()]


def wanted(given: Pool) -> dict[str, tuple[int, object, object]]:
    found = {}
    for record in given.submitters:
        count = sum(job.submitter == record.name for job in given.jobs or ())
        found[record.name.partition("@")[0]] = (
            count,
            record.number("IdleJobs"),
            record.number("WeightedIdleJobs"),
        )
    return found


def test_machines_can_go() -> None:
    assert names(changed_pool(site(), WhatIf(remove=("node1",)))) == ["slot1@node2"]
    assert names(changed_pool(site(), WhatIf(remove=("node*",)))) == []


def test_a_drained_machine_takes_no_job_and_keeps_what_it_runs() -> None:
    drained = changed_pool(site(), WhatIf(drain=("node1",)))
    trace = run_cycle(drained)

    assert names(drained) == names(site())
    assert {match.slot for match in trace.matches} == {"slot1@node2"}
    assert (trace.pool_weight, run_cycle(site()).pool_weight) == (10, 10)


def test_machines_can_be_added_and_are_empty() -> None:
    grown = changed_pool(site(), WhatIf(add=((2, "node1"),)))
    new = [slot for slot in grown.slots or () if "added" in str(slot.name)]

    assert [(str(slot.name), slot.cpus, slot.state) for slot in new] == [
        ("slot1@node1-added1", 8, "Unclaimed"),
        ("slot1@node1-added2", 8, "Unclaimed"),
    ]
    assert run_cycle(grown).pool_weight == 10 + 16


@pytest.mark.parametrize(
    ("name", "factor", "changed"),
    [
        ("cyd@site", 2, {"cyd": (8, 8, 16)}),
        ("a", 0.5, {"a.ann": (2, 2, 4), "a.b.ben": (2, 2, 4)}),
        ("a.b", 2.5, {"a.b.ben": (10, 10, 20)}),
        ("a.b", 0, {"a.b.ben": (0, 0, 0)}),
    ],
)
def test_demand_can_be_another(
    name: str, factor: float, changed: dict[str, tuple[int, int, int]]
) -> None:
    given = changed_pool(site(), WhatIf(demand=((name, factor),)))

    assert wanted(given) == {who: changed.get(who, (4, 4, 8)) for who in WHO}
    assert len({job.id for job in given.jobs or ()}) == len(given.jobs or ())


@pytest.mark.parametrize(
    ("what", "message"),
    [
        (WhatIf(remove=("node9",)), "--remove node9: no machine"),
        (WhatIf(drain=("x*",)), r"--drain x\*: no machine"),
        (WhatIf(add=((1, "node9"),)), "--add node9: no machine"),
        (WhatIf(demand=(("dan", 2.0),)), "--demand dan: no submitter or group of that name"),
    ],
)
def test_what_is_not_there_is_an_error(what: WhatIf, message: str) -> None:
    with pytest.raises(InputError, match=message):
        changed_pool(site(), what)
