from __future__ import annotations

import pytest

from htcq.elastic.observation import GroupClaim, observe
from tests.audit.sites import job, pool, slot, static_slot
from tests.elastic.quotas import claimed, group, node, quotas, running

ONE = quotas(group("physics", {"cpus": 1}, {"cpus": 8}))


def has(job_id: str) -> dict[str, str | int]:
    """What a startd says of the job in a slot."""
    return {"JobId": f'"{job_id}"', "RemoteScheddName": '"access1"', "JobStart": 1700000000}


def claim(slot_ad: str, *jobs: str) -> GroupClaim:
    """Return the only claim of a pool."""
    (only,) = observe(pool(node(cpus_left=4), slot_ad, jobs=jobs), ONE).claims
    return only


def test_a_claim_tells_of_its_slot_and_its_job() -> None:
    job_ad = running(
        "7.3", "slot1_1@node1", AccountingGroup='"physics.ada"', ScheddName='"access1"', JobPrio=-5,
        JobCurrentStartDate=99, NumVacates=2,
    )  # fmt: skip
    of_slot = claimed(1, "physics.ada@site", cpus=2, memory=3072, **has("7.3"))
    assert claim(of_slot, job_ad) == GroupClaim(
        group="physics",
        submitter="physics.ada@site",
        schedd="access1",
        job="7.3",
        slot="slot1_1@node1",
        machine="node1",
        amounts={"cpus": 2, "memory": 3072, "disk": 1024, "weight": 2000},
        started=1700000000.0,
        prio=-5,
    )


def test_a_job_that_is_in_no_queue_is_known_from_its_slot() -> None:
    found = claim(claimed(1, "physics.ada@site", **has("7.3")), job("9.9"))

    assert (found.job, found.started, found.queued) == ("7.3", 1700000000.0, False)


def test_a_claim_whose_job_is_not_known_says_so() -> None:
    found = claim(claimed(1, "physics.ada@site", RemoteScheddName='"access2"'), job("9.9"))

    assert (found.job, found.started, found.schedd) == ("", None, "access2")


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ({"WantFTOnCheckpoint": "true"}, True),
        ({"WhenToTransferOutput": '"ON_EXIT_OR_EVICT"'}, True),
        ({"WhenToTransferOutput": '"ON_EXIT"'}, False),
        ({"WantFTOnCheckpoint": "false"}, False),
        ({}, False),
    ],
)
def test_a_job_checkpoints_if_it_says_so(attributes: dict[str, str], expected: bool) -> None:
    assert (
        claim(
            claimed(1, "physics.ada@site", **has("1.0")),
            running("1.0", "slot1_1@node1", ScheddName='"access1"', **attributes),
        ).checkpoints
        is expected
    )


@pytest.mark.parametrize(
    ("of_job", "of_slot", "reason"),
    [
        ({"JobUniverse": 11}, {}, "parallel universe"),
        ({}, {"State": '"Preempting"'}, "evicted"),
        ({}, {"Activity": '"Retiring"'}, "retirement"),
        ({}, {"Draining": "true"}, "draining"),
    ],
)
def test_what_is_never_taken_back_says_why(
    of_job: dict[str, object], of_slot: dict[str, object], reason: str
) -> None:
    found = claim(
        claimed(1, "physics.ada@site", **{**has("1.0"), **of_slot}),
        running("1.0", "slot1_1@node1", ScheddName='"access1"', **of_job),
    )

    assert reason in found.protected


@pytest.mark.parametrize(("value", "asks"), [("true", True), ("false", False), ("1", False)])
def test_a_job_may_ask_for_protection(value: str, asks: bool) -> None:
    found = claim(
        claimed(1, "physics.ada@site", **has("1.0")),
        running("1.0", "slot1_1@node1", ScheddName='"access1"', HtcqProtected=value),
    )

    assert (found.protected, found.asks_protection) == ("", asks)


def test_static_slots_and_whole_partitionable_ones_are_claims_as_well() -> None:
    """ENABLE_CLAIMABLE_PARTITIONABLE_SLOTS lets a schedd hold one: the accountant charges what is left of it."""
    given = pool(
        static_slot("slot1@a", State='"Claimed"', AccountingGroup='"physics.ada@site"'),
        slot(
            "slot1@b", State='"Claimed"', AccountingGroup='"physics.bob@site"', Cpus=6, Memory=12288
        ),
        claimed(1, "physics.bob@site", cpus=2, memory=4096, node="b"),
        jobs=[],
    )
    assert [(each.slot, each.amounts["cpus"]) for each in observe(given, ONE).claims] == [
        ("slot1@a", 1),
        ("slot1@b", 6),
        ("slot1_1@b", 2),
    ]
