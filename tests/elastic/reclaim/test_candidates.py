"""Who is never taken back, and in which order the others are."""

from __future__ import annotations

from dataclasses import replace

import pytest

from htcq.elastic.observation import observe
from htcq.elastic.reclaim.planner import plan_reclaim
from htcq.elastic.reclaim.reclaim_events import ObservationEvent, Origin
from htcq.quota.elastic.declaration import ElasticGroup, ElasticQuotas
from tests.elastic.reclaim.scenes import AT_ONCE, HOUR_AGO, NOW, Scene, borrowed, victims, why


def test_the_least_lost_work_first() -> None:
    """Who saves its work, then who is youngest; then low priority, then the number."""
    scene = Scene().machine()
    old, young = NOW - 7200, NOW - 700
    scene.runs("1.0", "borrower", started=old, WhenToTransferOutput='"ON_EXIT_OR_EVICT"')
    scene.runs("1.1", "borrower", started=young, JobPrio=5).runs(
        "1.2", "borrower", started=young, JobPrio=-5
    )
    scene.runs("1.3", "borrower", started=young - 1, JobPrio=-9).runs(
        "1.10", "borrower", started=young, JobPrio=5
    )
    for number in (4, 5, 6):
        scene.runs(f"1.{number}", "borrower", started=old)
    plan = scene.waits("2.0", "lender", 4).plan()
    assert victims(plan) == ["1.0", "1.2", "1.1", "1.10"]
    assert plan.evictions[0].lost_weight_hours == 0
    assert plan.evictions[0].why.endswith("it saves its work")


def test_who_is_most_over_gives_first() -> None:
    """Two borrowers of equal jobs: one uses five of two, the other three of two."""
    groups = [
        ElasticGroup(name, min={"cpus": least}, max={"cpus": 8})
        for name, least in (("a", 2), ("b", 2), ("lender", 4))
    ]
    scene = Scene(ElasticQuotas(tuple(groups))).machine()
    for number in range(3):
        scene.runs(f"1.{number}", "a")
    for number in range(5):
        scene.runs(f"2.{number}", "b")
    assert victims(scene.waits("3.0", "lender", 4).plan()) == ["2.0", "2.1", "2.2", "1.0"]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"HtcqProtected": "true"}, "the job has HtcqProtected = true"),
        ({"JobUniverse": 11}, "a job of the parallel universe, which dies with any of its slots"),
        ({"started": NOW - 30}, "it has run 30 s of the 600 s that are guaranteed to every job"),
        ({"started": NOW + 10}, "it has run 0 s of the 600 s that are guaranteed to every job"),
        ({"started": NOW + 300}, "it started 300 s after this observation: clocks differ"),
        ({"slot_ad": {"JobStart": "undefined"}}, "the start time of the job is not known"),
        ({"slot_ad": {"Activity": '"Retiring"'}}, "its job is in retirement"),
        ({"slot_ad": {"Draining": "true"}}, "its machine is draining"),
        ({"slot_ad": {"JobId": "undefined"}}, "the job in the slot is not known"),
    ],
)
def test_who_keeps_the_slot(changes: dict[str, object], said: str) -> None:
    scene = Scene().machine().runs("1.0", "borrower", **{"started": HOUR_AGO, **changes})  # type: ignore[arg-type]
    for number in range(1, 8):
        scene.runs(f"1.{number}", "borrower", started=HOUR_AGO - number)
    plan = scene.waits("2.0", "lender").plan()
    assert victims(plan) == ["1.1"]
    spared = why(plan)
    assert said in (spared.get("1.0"), spared.get("slot1_1@node1"))


@pytest.mark.parametrize(
    "changes",
    [
        {"NumVacates": 7},
        {"JobCurrentStartDate": 99999999999},
        {"JobCurrentStartDate": "undefined"},
        {"JobCurrentStartDate": NOW},
        {"RemoteHost": '"slot1_3@node1"'},
        {"RemoteHost": "undefined"},
        {"JobPrio": 1000},
        {"HtcqVacateCost": "1e300"},
    ],
)
def test_what_its_owner_writes_into_a_job_keeps_no_slot_from_others(
    changes: dict[str, object],
) -> None:
    """Mallory's job has run for the shortest time of all: it goes, and nobody else's."""
    scene = Scene().machine().runs("1.0", "borrower", user="mallory", started=NOW - 700, **changes)  # type: ignore[arg-type]
    for number in range(1, 8):
        scene.runs(f"1.{number}", "borrower", started=HOUR_AGO - number)
    assert victims(scene.waits("2.0", "lender").plan()) == ["1.0"]


def test_a_job_may_say_for_as_long_as_the_grace_that_it_ends_soon() -> None:
    """By condor_qedit it may say so at each look; the journal knows since when it does."""
    scene, key = borrowed(8, 1), ("access1", "1.0")
    first = scene.plan(ends={key: 599.0})
    assert first.ending == (key,)

    def after(seconds: float) -> list[str]:
        look = ObservationEvent(Origin(NOW - seconds, "", ""), ending=first.ending)
        return victims(scene.plan(events=[look], ends={key: 599.0}))

    assert after(600) == ["1.1"]
    assert after(601) == ["1.0"]


def test_jobs_of_an_access_point_that_does_not_answer_are_left_to_it() -> None:
    scene = Scene().machine().runs("1.0", "borrower", access="hung", started=NOW - 700)
    for number in range(1, 8):
        scene.runs(f"1.{number}", "borrower")
    outcome, _, found = scene.waits("2.0", "lender").look()
    hung = replace(found, failed=(("jobs of hung", "no answer within 60 s"),))
    plan = plan_reclaim(outcome, observe(hung, scene.quotas), hung, AT_ONCE)

    assert victims(plan) == ["1.1"]
    assert why(plan)["1.0"] == "its access point does not answer"


@pytest.mark.parametrize("universe", [7, 12])
def test_local_and_scheduler_jobs_hold_nothing_that_could_be_taken(universe: int) -> None:
    """DAGMan is one of these: it runs beside its schedd, on no slot."""
    plan = borrowed(8, 2).waits("9.0", "borrower", 1, JobUniverse=universe, JobStatus=2).plan()
    assert "9.0" not in [*victims(plan), *why(plan)]


def test_a_job_that_ends_soon_by_its_own_word_is_left_to_end() -> None:
    scene = borrowed(8, 1)
    ends = {("access1", "1.0"): 599.0, ("access1", "1.1"): 601.0}
    plan = scene.plan(ends=ends)
    assert victims(plan) == ["1.1"]
    assert why(plan)["1.0"] == "it ends within 599 s"
    assert victims(scene.plan(replace(AT_ONCE, grace=0), ends=ends)) == ["1.0"]


def test_a_machine_that_takes_no_job_is_no_place_to_free() -> None:
    scene = Scene().machine("node1", 4, Offline="true").machine("node2", 4)
    for number in range(4):
        scene.runs(f"1.{number}", "borrower", "node1", started=NOW - 700)
        scene.runs(f"2.{number}", "borrower", "node2", started=NOW - 900)
    plan = scene.waits("3.0", "lender").plan()
    assert victims(plan) == ["2.0"]
    assert why(plan)["1.0"] == "its slot accepts no new job, or is not known"
