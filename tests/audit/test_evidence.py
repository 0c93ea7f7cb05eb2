"""What follows from a pool, computed once for all rules."""

from __future__ import annotations

from htcq.audit.evidence import Evidence
from tests.audit.sites import job, policy_slot, pool, slot, static_slot


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
