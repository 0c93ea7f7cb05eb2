"""Protected jobs are paid by the min of their group; those beyond it lose their slots like others."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest

from htcq.elastic.reclaim.protection import protection_of
from htcq.elastic.reclaim.reclaim_plan import ReclaimPlan
from htcq.errors import InputError
from htcq.quota.elastic.declaration import ElasticGroup, ElasticQuotas
from htcq.report.views.reclaim_text import show_reclaim
from htcq.settings.elastic import quotas_from
from htcq.settings.pool_share import PoolShare
from htcq.settings.reclaim import ReclaimLimits
from tests.elastic.reclaim.scenes import AT_ONCE, HOUR_AGO, NOW, Scene, victims, why

PROTECTED = "the job has HtcqProtected = true"


def protecting(protected: int, others: int = 0, user: str = "bob") -> Scene:
    """The group borrower uses all 8 cpus of which its min is 4; lender waits for its own 4."""
    scene = Scene().machine()
    for number in range(protected):
        scene.runs(
            f"1.{number}", "borrower", user=user, started=HOUR_AGO + number, HtcqProtected="true"
        )
    for number in range(others):
        scene.runs(f"2.{number}", "borrower", user=user, started=HOUR_AGO)
    return scene.waits("3.0", "lender", 4)


def spared(plan: ReclaimPlan) -> set[str]:
    return {job for job, reason in why(plan).items() if reason == PROTECTED}


def test_protected_jobs_within_the_min_stay_and_the_others_go() -> None:
    plan = protecting(3, 5).plan()

    assert spared(plan) == {"1.0", "1.1", "1.2"}
    assert len(victims(plan)) == 4
    assert {job.partition(".")[0] for job in victims(plan)} == {"2"}
    assert plan.unpaid == ()


def test_protected_jobs_above_the_min_are_named_and_taken_back() -> None:
    """All 8 ask for it; the 4 that have run for the longest are paid."""
    plan = protecting(8).plan()

    assert spared(plan) == {"1.0", "1.1", "1.2", "1.3"}
    assert set(victims(plan)) == {"1.4", "1.5", "1.6", "1.7"}
    (use,) = plan.unpaid
    assert (use.group, use.paid, use.unpaid, use.amounts["cpus"]) == ("borrower", 4, 4, 4)
    stream = io.StringIO()
    show_reclaim(plan, stream)
    assert (
        "4 of 8 jobs of borrower with HtcqProtected = true are not protected: they use more than "
        "the min\n"
    ) in stream.getvalue()


def test_jobs_that_ask_for_no_protection_go_before_those_that_are_not_paid() -> None:
    scene = protecting(6, 2)
    assert set(victims(scene.plan())) == {"2.0", "2.1", "1.4", "1.5"}


@pytest.mark.parametrize(
    ("protectors", "kept"),
    [
        (("*",), 4),
        (("borrower",), 4),
        (("BORROWER.bob@site",), 4),
        (("borrower.bob@site", "lender"), 4),
        (("lender", "borrow", "borrower.eve@site", "bob@site"), 0),
        ((), 0),
    ],
)
def test_the_site_says_who_may_protect_jobs(protectors: tuple[str, ...], kept: int) -> None:
    plan = protecting(8).plan(replace(AT_ONCE, protectors=protectors))

    assert len(spared(plan)) == kept
    assert len(victims(plan)) == 4
    if not kept:
        assert plan.unpaid[0].why == ("the site does not let its owner protect jobs",)


@pytest.mark.parametrize(
    ("most", "kept"), [(2, 2), (0, 0), (PoolShare(25), 2), (PoolShare(100), 4)]
)
def test_the_site_says_how_many_jobs_of_a_group_may_be_protected(
    most: float | PoolShare, kept: int
) -> None:
    plan = protecting(8).plan(replace(AT_ONCE, protected_jobs=most))

    assert len(spared(plan)) == kept


def test_a_group_above_pays_with_what_no_group_below_it_is_guaranteed() -> None:
    """Of the department's 6, its child b is guaranteed 3: children without a min have the other 3."""
    groups = (
        ElasticGroup("d", min={"cpus": 6}, max={"cpus": 8}),
        ElasticGroup("d.a", "d", {}, {"cpus": 8}),
        ElasticGroup("d.b", "d", {"cpus": 3}, {"cpus": 8}),
        ElasticGroup("lender", min={"cpus": 2}, max={"cpus": 8}),
    )
    scene = Scene(ElasticQuotas(groups)).machine()
    for number in range(8):
        scene.runs(f"1.{number}", "d.a", started=HOUR_AGO + number, HtcqProtected="true")
    scene.waits("2.0", "lender", 2).waits("3.0", "d.b", 3)
    outcome, observation, _ = scene.look()
    found = protection_of(observation.claims, outcome, ReclaimLimits())

    assert {job for _, job in found.jobs} == {"1.0", "1.1", "1.2"}
    assert len(victims(scene.plan())) == 5


def test_a_job_must_be_within_the_min_in_every_dimension_that_is_guaranteed() -> None:
    groups = (
        ElasticGroup("a", min={"cpus": 8, "memory": 3000}, max={"cpus": 8, "memory": 16384}),
        ElasticGroup("none", min={}, max={"cpus": 8}),
    )
    scene = Scene(ElasticQuotas(groups)).machine()
    for number, memory in enumerate((2000, 2000, 1000)):
        scene.runs(
            f"1.{number}", "a", memory=memory, started=HOUR_AGO + number, HtcqProtected="true"
        )
    scene.runs("2.0", "none", HtcqProtected="true")
    outcome, observation, _ = scene.look()
    found = protection_of(observation.claims, outcome, ReclaimLimits())

    assert {job for _, job in found.jobs} == {"1.0", "1.2"}
    assert [(use.group, use.paid, use.unpaid) for use in found.uses] == [
        ("a", 2, 1),
        ("none", 0, 1),
    ]


@pytest.mark.parametrize(("cost", "counts"), [(1e300, 10.0), (0, 0.1), (3, 3.0), (-1, 1.0)])
def test_what_a_job_says_of_its_cost_counts_within_bounds(cost: float, counts: float) -> None:
    scene = Scene().machine()
    for number in range(8):
        scene.runs(f"1.{number}", "borrower", started=NOW - 3600, HtcqVacateCost=repr(cost))
    plan = scene.waits("2.0", "lender", 1).plan()

    assert plan.lost_weight_hours == pytest.approx(counts)


def test_the_site_sets_the_bounds_of_the_cost() -> None:
    limits = replace(AT_ONCE, min_cost=1, max_cost=1)
    scene = Scene().machine()
    scene.runs("1.0", "borrower", started=NOW - 1800, HtcqVacateCost=50)
    for number in range(1, 8):
        scene.runs(f"1.{number}", "borrower", started=NOW - 3600, HtcqVacateCost=0)
    scene.waits("2.0", "lender", 1)

    assert victims(scene.plan(limits)) == ["1.0"]
    assert victims(scene.plan(AT_ONCE)) != ["1.0"]


def test_these_limits_are_read_from_the_file() -> None:
    given = {
        "protectors": ["hep", "a.b@x"],
        "protected_jobs": "10%",
        "min_cost": 0.5,
        "max_cost": 2,
    }
    limits = quotas_from({"elastic": {"reclaim": given}}, "q.toml").reclaims[""]

    assert limits.protectors == ("hep", "a.b@x")
    assert limits.protected_jobs == PoolShare(10, 1.0)
    assert (limits.min_cost, limits.max_cost) == (0.5, 2.0)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"protectors": "hep"}, "protectors is 'hep'"),
        ({"protectors": [1]}, r"protectors is \[1\]"),
        ({"protected_jobs": 1.5}, "protected_jobs is 1.5"),
        ({"max_cost": 1e300}, "max_cost is 1e"),
        ({"min_cost": -1}, "min_cost is -1"),
        ({"min_cost": 11}, r"min_cost is above elastic\.reclaim\.max_cost \(10\)"),
    ],
)
def test_limits_that_cannot_be_are_refused(given: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=rf"^q\.toml: elastic\.reclaim\.{said}"):
        quotas_from({"elastic": {"reclaim": given}}, "q.toml")
