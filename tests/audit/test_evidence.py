"""What follows from a pool, computed once for all rules."""

from __future__ import annotations

from itertools import permutations

import pytest

from htcq.audit.evidence import Evidence
from htcq.audit.fix import Role, Setting
from htcq.balance.balance import balance_of
from htcq.pool.pool import Pool
from htcq.simulate.cycle.submitter_queues import SubmitterQueues
from htcq.simulate.older_reading import as_negotiator_reads
from htcq.why.choice import all_idle
from htcq.why.match_failure import OUTRANKED, REQUIREMENTS
from htcq.why.verdict import Verdicts
from tests.audit.sites import job, policy_slot, pool, schedd, slot, static_slot, submitter
from tests.balance.pools import recorded
from tests.why.random_pools import random_pool

#: So many random pools.
_POOLS = 12


def test_the_cheapest_match_is_by_policy_where_whole_slots_cost_more() -> None:
    """By policy a job of 2 cpus costs 2, a whole slot of 8 cpus costs 8, and a static one of 1 cpu is too small."""
    evidence = Evidence(
        pool(
            slot("slot1@a"),
            policy_slot("slot1@b"),
            static_slot("slot1@c"),
            jobs=[job(RequestCpus=2)],
        )
    )
    found = evidence.cheapest(evidence.autoclusters[0])
    assert found is not None
    assert (found[0].first.name, found[1]) == ("slot1@b", 2)


def test_the_cheapest_whole_slot_is_the_lightest_that_fits() -> None:
    ads = (
        slot("slot1@a"),
        static_slot("slot1@b"),
        static_slot("slot1@c", Memory=512, TotalSlotMemory=512, SlotWeight="0.5"),
    )
    found = (evidence := Evidence(pool(*ads, jobs=[job()]))).cheapest(evidence.autoclusters[0])
    assert found is not None
    assert (found[0].first.name, found[1]) == ("slot1@b", 1)


def test_a_job_that_fits_nowhere_costs_nothing_to_nobody() -> None:
    evidence = Evidence(pool(slot(), policy_slot("slot1@b"), jobs=[job(RequestCpus=99)]))
    assert evidence.cheapest(evidence.autoclusters[0]) is None
    assert not any(evidence.fits(kind, evidence.autoclusters[0]) for kind in evidence.slot_classes)


def test_idle_jobs_are_known_by_their_submitters() -> None:
    jobs = [
        job("1.0"),
        job("2.0", RequestCpus=2),
        job("3.0", User='"bob@site"'),
        job("4.0", JobStatus=2),
    ]
    waiting = Evidence(pool(jobs=jobs)).waiting
    assert {who: [each.name for each in classes] for who, classes in waiting.items()} == {
        "ada@site": ["1.0", "2.0"],
        "bob@site": ["1.0"],
    }


#: Settings by which access points show other jobs, or others are alike.
_SETTINGS = {
    "none": (),
    "quota": (Setting(Role.CENTRAL, "GROUP_NAMES", "chem"),),
    "constraint": (Setting(Role.CENTRAL, "NEGOTIATOR_JOB_CONSTRAINT", "RequestCpus < 2"),),
    "left out": (Setting(Role.CENTRAL, "REMOVE_SIGNIFICANT_ATTRIBUTES", "Color"),),
    "start of jobs": (Setting(Role.ACCESS, "START_VANILLA_UNIVERSE", "JOB.RequestCpus < 2"),),
    "added": (Setting(Role.ACCESS, "ADD_SIGNIFICANT_ATTRIBUTES", "Color"),),
    "start of slots": (Setting(Role.EXECUTE, "START", "TARGET.ProcId > 0 && TARGET.Color > 1"),),
}


def _asked(askers: SubmitterQueues) -> object:
    """Return all that access points ask for, jobs by their ids."""
    waiting = sorted(
        (submitter, request.first.id, count) for submitter, request, count in askers.waiting()
    )
    asked = {
        whose: [(run.request.first.id, [each.id for each in run.jobs]) for run in queue.asked_for()]
        for whose, queue in askers.queues.items()
    }
    return waiting, asked, sorted(each.id for each in askers.jobs), askers.words


def _queue_of_jobs() -> Pool:
    jobs = [
        job(f"{cluster}.{proc}", RequestCpus=cpus, Color=color, GlobalJobId=f'"a#{cluster}.{proc}"')
        for cluster, cpus, color in ((1, 1, 1), (2, 3, 1), (3, 1, 2))
        for proc in range(3)
    ]
    ads = (slot(), schedd("a"), submitter("ada@site", ScheddName='"a"'))
    return pool(*ads, jobs=jobs, access={"a": "FILESYSTEM_DOMAIN = site\n"})


@pytest.mark.parametrize(("one", "other"), list(permutations(_SETTINGS, 2)))
def test_what_is_asked_for_after_a_change_does_not_depend_on_what_was_before(
    one: str, other: str
) -> None:
    base = Evidence(_queue_of_jobs()).with_settings(_SETTINGS[one])
    before = _asked(base.askers)
    changed = base.with_settings(_SETTINGS[other])

    assert _asked(changed.askers) == _asked(Evidence(changed.pool).askers)
    assert _asked(base.askers) == before


def test_an_audit_does_not_take_apart_why_each_slot_refuses_a_job() -> None:
    given = pool(slot(), jobs=[job(Requirements='TARGET.Arch == "M68K"')])

    (quick,) = Evidence(given).verdicts.on(all_idle(given.jobs or ()))
    (full,) = Verdicts(as_negotiator_reads(given)).on(all_idle(given.jobs or ()))

    of_slots = {OUTRANKED, REQUIREMENTS}
    assert {each.id for each in quick.walls} & of_slots == {OUTRANKED}
    assert {each.id for each in full.walls} & of_slots == {REQUIREMENTS}


def test_the_capacity_of_an_audit_is_that_of_status() -> None:
    """What slots say of each job decides no cause of capacity: an audit may leave it out."""
    given = [*(each for _, each in recorded()), *map(random_pool, range(_POOLS))]
    for each in given:
        quick = Evidence(each).balance
        full = balance_of(Verdicts(as_negotiator_reads(each)))

        assert (quick.by, quick.todo) == (full.by, full.todo)
        assert [(group.below, group.held_by, group.by) for group in quick.groups] == [
            (group.below, group.held_by, group.by) for group in full.groups
        ]
