"""What is taken back from a pool of 8 cpus, half of which is the lender's; expected values are counted by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from htcq.quota.elastic.declaration import ElasticGroup, ElasticQuotas
from htcq.settings.reclaim import ReclaimLimits
from tests.elastic.reclaim.scenes import AT_ONCE, HOUR_AGO, NOW, Scene, borrowed, victims, why

PATIENT = replace(AT_ONCE, over_for=600, need_for=120)


def test_what_two_waiting_jobs_need_is_taken_from_the_youngest() -> None:
    plan = borrowed(8, 2, [HOUR_AGO - 60 * each for each in range(8)]).plan()
    assert victims(plan) == ["1.0", "1.1"]
    assert [victim.lost_weight_hours for victim in plan.evictions] == pytest.approx(
        [1.0, 1 + 1 / 60]
    )
    assert plan.evictions[0].helps == ("cpus",)
    assert plan.evictions[0].why == (
        "borrower is over in cpus, lender waits for slot1@node1, and it loses 1.00 h"
    )  # fmt: skip
    assert [(use.group, use.place) for use in plan.uses] == [("lender", "slot1@node1")] * 2
    assert [(each.submitter, each.ceiling) for each in plan.ceilings] == [("borrower.bob@site", 6)]
    assert set(why(plan).values()) == {"no further jobs wait"}


def test_nobody_is_starved_nothing_is_taken() -> None:
    plan = borrowed(8, 0).plan()
    assert not plan.evictions
    assert plan.waiting == "no group uses more than its runtime"


def test_a_free_slot_serves_who_waits() -> None:
    """Eight waiting jobs: four cpus are free, and the runtime of the lender has room for no more."""
    scene = borrowed(4, 8)
    assert not scene.plan().evictions


def test_free_slots_are_not_counted_twice() -> None:
    """Two cpus are free, the lender wants four: only two more are needed."""
    scene = borrowed(6, 4)
    plan = scene.plan()
    assert len(victims(plan)) == 2
    assert len(plan.uses) == 2


def test_the_borrower_keeps_its_min() -> None:
    plan = borrowed(8, 8).plan()
    assert len(victims(plan)) == 4
    assert len(plan.uses) == 4


def test_a_job_larger_than_what_is_borrowed_keeps_its_slot() -> None:
    """The borrower has one job of 5 cpus and 3 of one: it is over by 4, and below its min without the large one."""
    scene = Scene().machine()
    scene.runs("1.0", "borrower", cpus=5, started=NOW - 700)
    for number in (1, 2, 3):
        scene.runs(f"1.{number}", "borrower", started=HOUR_AGO)
    plan = scene.waits("2.0", "lender", 4).plan()
    assert victims(plan) == ["1.1", "1.2", "1.3"]
    assert why(plan)["1.0"] == "its group would fall below its min in cpus"


def test_the_min_holds_in_every_dimension() -> None:
    """Over in cards only: whoever has cards and nothing else of what the borrower is guaranteed goes."""
    borrower = ElasticGroup("borrower", min={"cpus": 3, "gpus": 0}, max={"cpus": 8, "gpus": 2})
    lender = ElasticGroup("lender", min={"cpus": 4, "gpus": 2}, max={"cpus": 8, "gpus": 2})
    scene = Scene(ElasticQuotas((borrower, lender))).machine(gpus=2)
    scene.runs("1.0", "borrower", cpus=3, gpus=1, started=NOW - 700).runs(
        "1.1", "borrower", cpus=1, gpus=1
    )
    plan = scene.waits("2.0", "lender", 2, gpus=1).plan()
    assert victims(plan) == ["1.1"]
    assert why(plan)["1.0"] == "its group would fall below its min in cpus"


def test_a_victim_that_has_nothing_of_what_is_exceeded_stays() -> None:
    """The borrower is over in cards: a job without one would free cpus that nobody lacks."""
    borrower = ElasticGroup("borrower", min={"cpus": 0, "gpus": 0}, max={"cpus": 8, "gpus": 2})
    lender = ElasticGroup("lender", min={"cpus": 2, "gpus": 2}, max={"cpus": 8, "gpus": 2})
    scene = Scene(ElasticQuotas((borrower, lender))).machine(gpus=2)
    scene.runs("1.0", "borrower", started=NOW - 700)
    scene.runs("1.1", "borrower", gpus=1).runs("1.2", "borrower", gpus=1)
    plan = scene.waits("2.0", "lender", 1, gpus=1).plan()
    assert victims(plan) == ["1.1"]
    assert (
        why(plan)["1.0"]
        == "it has nothing in the dimensions in which its group uses too much: gpus"
    )


def test_a_dimension_that_the_last_victim_lacks_is_not_forgotten() -> None:
    """Over in cpus and in cards: the youngest has no card, and the one with the card goes as well."""
    borrower = ElasticGroup("borrower", min={"cpus": 1, "gpus": 0}, max={"cpus": 8, "gpus": 1})
    lender = ElasticGroup("lender", min={"cpus": 7, "gpus": 1}, max={"cpus": 8, "gpus": 1})
    scene = Scene(ElasticQuotas((borrower, lender))).machine(gpus=1)
    scene.runs("1.0", "borrower", cpus=3, started=NOW - 700)
    scene.runs("1.1", "borrower", cpus=4, gpus=1).runs("1.2", "borrower")
    plan = scene.waits("2.0", "lender", cpus=7, gpus=1).plan()
    assert victims(plan) == ["1.0", "1.1"]


def test_victims_are_counted_machine_by_machine() -> None:
    """A job of two cpus fits in no single one of those that are freed here and there."""
    scene = Scene().machine("node1", 4).machine("node2", 4)
    for number in range(4):
        scene.runs(f"1.{number}", "borrower", "node1", started=NOW - 700 - 2 * number)
        scene.runs(f"2.{number}", "borrower", "node2", started=NOW - 701 - 2 * number)
    plan = scene.waits("3.0", "lender", cpus=2).plan()
    assert victims(plan) == ["1.0", "1.1"]
    assert why(plan)["2.0"] == "no waiting job could use what it holds"


def test_what_turns_out_to_be_superfluous_is_given_back() -> None:
    """The job of one cpu is looked at first; then one of three goes that is room enough for both."""
    scene = Scene().machine()
    scene.runs("1.0", "borrower", cpus=1, started=NOW - 700).runs(
        "1.1", "borrower", cpus=3, started=NOW - 800
    )
    scene.runs("1.2", "borrower", cpus=4)
    plan = scene.waits("2.0", "lender", cpus=3).plan()
    assert victims(plan) == ["1.1"]
    assert why(plan)["1.0"] == "not needed: the waiting jobs fit without it"


def test_a_machine_that_the_waiting_job_does_not_want_is_left_alone() -> None:
    scene = Scene().machine("node1", 4).machine("node2", 4)
    for number in range(4):
        scene.runs(f"1.{number}", "borrower", "node1", started=NOW - 700)
        scene.runs(f"2.{number}", "borrower", "node2", started=NOW - 900)
    plan = scene.waits("3.0", "lender", 1, Requirements='TARGET.Machine == "node2"').plan()
    assert victims(plan) == ["2.0"]


def test_nothing_is_taken_for_who_matches_nowhere() -> None:
    scene = borrowed(8, 0).waits("2.0", "lender", 2, Requirements='TARGET.Machine == "elsewhere"')
    plan = scene.plan()
    assert not plan.evictions
    assert plan.waiting == "no group uses more than its runtime"


def test_cards_of_the_model_that_is_wanted() -> None:
    """Both claims have a card; RequireGPUs holds for the older one's, and the partitionable slot has neither free."""
    devices = {
        "GPUs_GPU_aa000001": '[ Id = "GPU-aa000001"; Capability = 2.0; DeviceName = "old" ]',
        "GPUs_GPU_bb000002": '[ Id = "GPU-bb000002"; Capability = 7.5; DeviceName = "new" ]',
    }
    borrower = ElasticGroup("borrower", min={"cpus": 0, "gpus": 0}, max={"cpus": 8, "gpus": 2})
    lender = ElasticGroup("lender", min={"cpus": 4, "gpus:new": 1}, max={"cpus": 8, "gpus:new": 1})
    scene = Scene(ElasticQuotas((borrower, lender))).machine(gpus=2, AvailableGPUs="{ }", **devices)
    for id_, (name, text), started in zip(("1.0", "1.1"), devices.items(), (NOW - 700, NOW - 800)):
        scene.runs(
            id_,
            "borrower",
            gpus=1,
            started=started,
            slot_ad={"AvailableGPUs": f"{{ {name} }}", name: text},
        )
    asked = (
        "TARGET.Cpus >= RequestCpus && countMatches(MY.RequireGPUs, TARGET.AvailableGPUs) >= "
        "RequestGPUs"
    )
    plan = scene.waits(
        "2.0", "lender", gpus=1, RequireGPUs="Capability > 7", Requirements=asked
    ).plan()
    assert victims(plan) == ["1.1"]


def test_what_the_next_cycle_would_give_to_others_is_not_taken() -> None:
    """The waiting job names a concurrency limit of which there is nothing left, which no match of ads shows."""
    scene = borrowed(7, 0).runs(
        "3.0", "borrower", slot_ad={"ConcurrencyLimits": '"licence"'}, HtcqProtected="true"
    )
    scene.waits("2.0", "lender", 1, ConcurrencyLimits='"licence"')
    scene.config = "LICENCE_LIMIT = 1\n"
    plan = scene.plan()
    assert not plan.evictions
    assert "the next cycle would match no job of the groups in need there" in why(plan).values()
    scene.config = "LICENCE_LIMIT = 2\n"
    assert len(scene.plan().evictions) == 1


def test_the_jobs_of_a_group_above_others_are_taken_back_as_well() -> None:
    """Its own jobs stand beside those of the groups below it."""
    above = ElasticGroup("phys", min={"cpus": 4}, max={"cpus": 8})
    below = ElasticGroup("phys.hep", "phys", min={"cpus": 4}, max={"cpus": 8})
    other = ElasticGroup("chem", min={"cpus": 4}, max={"cpus": 8})
    scene = Scene(ElasticQuotas((above, below, other))).machine()
    for number in range(8):
        scene.runs(f"1.{number}", "phys", started=NOW - 700 - number)
    plan = scene.waits("2.0", "phys.hep", 2).plan()
    assert victims(plan) == ["1.0", "1.1"]
    assert {each.group for each in plan.over} == {"phys"}


def test_the_order_of_claims_and_of_idle_jobs_does_not_matter() -> None:
    scene = borrowed(8, 2, [NOW - 700] * 4)
    scene.waits("3.0", "lender", 1, user="abe")
    assert scene.plan() == scene.plan(shuffled=True)


@pytest.mark.parametrize(
    ("limits", "most", "said"),
    [
        (replace(AT_ONCE, pool_percent=25), 2, "the limit of 25 % of 8 claims is reached"),
        (replace(AT_ONCE, pool_percent=1), 1, "the limit of 1 % of 8 claims is reached"),
        (replace(AT_ONCE, group_jobs=3), 3, "the limit of 3 jobs of one group is reached"),
        (replace(AT_ONCE, user_jobs=1), 1, "the limit of 1 jobs of one user is reached"),
        (replace(AT_ONCE, day_jobs=2), 2, "the limit of 2 jobs per day is reached"),
        (replace(AT_ONCE, day_jobs=0), 0, "the limit of 0 jobs per day is reached"),
    ],
)
def test_limits(limits: ReclaimLimits, most: int, said: str) -> None:
    plan = borrowed(8, 4).plan(limits)
    assert len(plan.evictions) == most
    assert said in why(plan).values()


def test_the_limit_of_a_user_spreads_over_users() -> None:
    scene = Scene().machine()
    for number in range(8):
        scene.runs(
            f"1.{number}",
            "borrower",
            user="bob" if number < 4 else "cat",
            started=NOW - 700 - number,
        )
    plan = scene.waits("2.0", "lender", 4).plan(replace(AT_ONCE, user_jobs=2))
    assert victims(plan) == ["1.0", "1.1", "1.4", "1.5"]
    assert [(each.submitter, each.ceiling) for each in plan.ceilings] == [
        ("borrower.bob@site", 2), ("borrower.cat@site", 2),
    ]  # fmt: skip


def test_every_submitter_of_the_group_is_held() -> None:
    """One who has only idle jobs would take what is freed as well."""
    plan = borrowed(8, 2).waits("3.0", "borrower", 3, user="dan").plan()
    assert {each.submitter: each.ceiling for each in plan.ceilings} == {
        "borrower.bob@site": 6,
        "borrower.dan@site": 0,
    }


def test_ceilings_are_whole_weights_and_never_above_what_is_used() -> None:
    borrower = ElasticGroup("borrower", min={"memory": 8192}, max={"memory": 16384})
    lender = ElasticGroup("lender", min={"memory": 8192}, max={"memory": 16384})
    scene = Scene(ElasticQuotas((borrower, lender))).machine(SlotWeight="Cpus * 0.7")
    for number in range(8):
        scene.runs(f"1.{number}", "borrower", memory=2048, slot_ad={"SlotWeight": "Cpus * 0.7"})
    plan = scene.waits("2.0", "lender", 1, memory=2048).plan()
    assert len(plan.evictions) == 1
    (ceiling,) = plan.ceilings
    assert (ceiling.used, ceiling.reclaimed, ceiling.ceiling) == (5.6, 0.7, 4)


def test_ceilings_of_others() -> None:
    low = borrowed(8, 2).plan(ceilings={"borrower.bob@site": 6})
    assert len(low.evictions) == 2
    assert not low.ceilings
    assert low.kept == ("the ceiling of borrower.bob@site (6) was set by somebody else and stays",)
    one = borrowed(8, 2).plan(ceilings={"borrower.bob@site": 7})
    assert victims(one) == ["1.0"], (
        "with one less 7 are left; the ceiling would let a second one come back"
    )
    assert why(one)["1.1"].startswith("somebody else set the ceiling of borrower.bob@site to 7")
    none = borrowed(8, 2).plan(ceilings={"borrower.bob@site": -1})
    assert len(none.evictions) == 2
