"""What a plan says and by which id: numbers by hand, and a digest of what decides."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from htcq.elastic.journal import state_of
from htcq.elastic.next_step import NextStep, next_step
from htcq.elastic.quota_plan import drain_seconds, made_at
from htcq.elastic.reclaim.reclaim_plan import ReclaimPlan
from htcq.elastic.records import PARTS, WEIGHT, ElasticObservation, GroupClaim, IdleJobs
from htcq.errors import RefusedError
from htcq.quota.elastic.declaration import ElasticDemand, ElasticGroup, ElasticQuotas
from htcq.report.views.elastic_plan import plan_json
from htcq.report.views.elastic_plan_text import show_plan
from htcq.settings.elastic_write import WriteSettings
from tests.elastic.writing import NOW, sight, written

#: What a reclaim would take of a pool in which nobody waits.
NOTHING = ReclaimPlan(0.0, "")

SETTINGS = WriteSettings()
LENDING = ElasticQuotas(
    (
        ElasticGroup("busy", min={"cpus": 40}, max={"cpus": 90}),
        ElasticGroup("quiet", min={"cpus": 50}, max={"cpus": 100}),
    )
)


def claim(group: str, number: int, ran: float | None, cpus: int = 1) -> GroupClaim:
    amounts = {"cpus": cpus, WEIGHT: cpus * PARTS}
    started = None if ran is None else NOW - ran
    return GroupClaim(
        group, f"{group}.ann@x", "ap", f"1.{number}", f"slot1_{number}@n", "n", amounts, started
    )


def idle(group: str, count: int) -> IdleJobs:
    return IdleJobs(group, f"{group}.ann@x", "ap", "2.0", count, {"cpus": 1, WEIGHT: PARTS})


def observed(
    running: Mapping[str, int], waiting: Mapping[str, int], pool: int = 100, **more: Any
) -> ElasticObservation:
    """A pool of single cpus of weight 1, where jobs have run for ten minutes."""
    demand = ElasticDemand(
        total={"cpus": pool},
        request={
            name: {"cpus": running.get(name, 0) + waiting.get(name, 0)}
            for name in ("busy", "quiet")
        },
        used={name: {"cpus": count} for name, count in running.items()},
    )
    return ElasticObservation(
        NOW,
        "cm.example.org",
        demand,
        float(pool),
        tuple(
            claim(name, number, 600.0) for name, count in running.items() for number in range(count)
        ),
        tuple(idle(name, count) for name, count in waiting.items()),
        weights={name: float(count) for name, count in running.items()},
        unit_weights={"cpus": float(PARTS)},
        **more,
    )


def planned(
    observation: ElasticObservation,
    records: Any = (),
    settings: WriteSettings = SETTINGS,
    **seen: Any,
) -> NextStep:
    return next_step(LENDING, observation, sight(**seen), state_of(records), settings, NOW)


def test_quotas_are_the_mins_and_who_is_above_its_min_borrows() -> None:
    plan = planned(observed({"busy": 60}, {"busy": 100})).plan

    assert {group.group: (group.written.quota, group.written.accept_surplus) for group in plan.groups} == {
        "busy": (40.0, True), "quiet": (50.0, True),
    }  # fmt: skip
    assert plan.changes


def test_who_has_reached_its_max_accepts_no_surplus() -> None:
    plan = planned(observed({"busy": 90}, {"busy": 10})).plan
    busy = plan.groups[0]

    assert (busy.written.quota, busy.written.accept_surplus, busy.target.held) == (
        40.0, False, "max",
    )  # fmt: skip


def test_the_static_quotas_are_the_mins_and_accept_surplus() -> None:
    static = planned(observed({"busy": 60}, {"busy": 100})).static

    assert static.quotas == {"busy": (40.0, True), "quiet": (50.0, True)}


def test_fault_3_who_wakes_up_has_its_runtime_at_once_and_the_other_is_over() -> None:
    records = written(1, {"busy": (90.0, False), "quiet": (0.0, True)}, time=NOW - 60)
    plan = planned(observed({"busy": 90}, {"busy": 10, "quiet": 70}), records).plan
    busy, quiet = plan.groups

    assert (busy.target.quota, quiet.target.quota) == (40.0, 50.0)
    # What they were a minute ago does not matter.
    assert (quiet.written.quota, quiet.rule) == (50.0, "bounds")
    assert (busy.written.quota, busy.rule) == (40.0, "")
    assert (busy.used, busy.over, [each.group for each in plan.over]) == (90.0, 50.0, ["busy"])


def test_the_same_pool_has_the_same_plan_whatever_runs_for_how_long() -> None:
    one, other = observed({"busy": 60}, {"busy": 100}), observed({"busy": 70}, {"busy": 90})

    assert planned(one).plan.id == planned(other).plan.id


@pytest.mark.parametrize(
    "changed",
    [
        observed({"busy": 95}, {"busy": 100}),
        observed({"busy": 60}, {"busy": 100}, pool=99),
        replace(observed({"busy": 60}, {"busy": 100}), negotiator="gpu.example.org"),
    ],
)
def test_other_demand_another_pool_and_another_negotiator_have_other_plans(
    changed: ElasticObservation,
) -> None:
    assert planned(changed).plan.id != planned(observed({"busy": 60}, {"busy": 100})).plan.id


def test_what_is_in_force_and_how_it_is_written_are_in_the_id() -> None:
    look = observed({"busy": 60}, {"busy": 100})
    first = planned(look).plan
    again = planned(look, written(1, first.file.quotas, time=NOW - 9000)).plan

    assert (again.changes, again.file) == (False, first.file)
    assert again.id != first.id
    assert planned(look, settings=replace(SETTINGS, file="70-other.config")).plan.id != first.id


def test_an_id_tells_when_the_plan_was_made() -> None:
    plan = planned(observed({}, {})).plan

    assert made_at(plan.id) == NOW
    for wrong in (
        "",
        "latest",
        plan.id[:-1],
        plan.id.replace("-", ""),
        "20269921T000000Z-0123456789ab",
    ):
        assert made_at(wrong) is None


@pytest.mark.parametrize("weight", [float("nan"), float("inf"), 0.0, -1.0])
def test_a_pool_without_a_weight_has_no_plan(weight: float) -> None:
    with pytest.raises(RefusedError, match="the pool weighs "):
        planned(replace(observed({"busy": 60}, {"busy": 100}), pool_weight=weight))


@pytest.mark.parametrize(
    ("waiting", "worklife", "seconds"),
    [
        # Nobody waits: each claim ends with its job, which has run 600 s as all have on average.
        ({}, 1200.0, 600.0),
        # The user has more jobs: the claim is used again for 600 s more, then its job ends.
        ({"busy": 1}, 1200.0, 1200.0),
        ({"busy": 1}, 0.0, 600.0),
        # It is used again forever.
        ({"busy": 1}, -1.0, None),
    ],
)
def test_when_what_is_over_has_drained(
    waiting: Mapping[str, int], worklife: float, seconds: float | None
) -> None:
    look = observed({"busy": 9}, waiting)

    assert drain_seconds(look.claims, 4.0, look, worklife) == seconds


def test_those_that_end_first_are_enough() -> None:
    look = replace(
        observed({}, {"busy": 1}),
        claims=(claim("busy", 1, 1000.0, cpus=4), claim("busy", 2, 200.0, cpus=4)),
    )

    # Jobs run 600 s on average; the older claim is used for 200 s more, the other one for 1000 s.
    assert drain_seconds(look.claims, 4.0, look, 1200.0) == 800.0
    assert drain_seconds(look.claims, 5.0, look, 1200.0) == 1600.0


def test_who_is_not_over_need_not_drain_and_nobody_knows_of_claims_without_a_start() -> None:
    look = replace(observed({}, {}), claims=(claim("busy", 1, None),))

    assert drain_seconds(look.claims, 0.0, look, 1200.0) == 0.0
    assert drain_seconds(look.claims, 1.0, look, 1200.0) is None


def test_the_text_has_what_changes_and_ends_with_the_id() -> None:
    records = written(1, {"busy": (90.0, False), "quiet": (0.0, True)}, time=NOW - 60)
    step = planned(
        observed({"busy": 90}, {"busy": 10, "quiet": 70}, configured={"busy": 90.0, "quiet": 0.0}),
        records,
        ceilings={"busy.ann@x": 2.0},
    )
    stream = io.StringIO()
    show_plan(step, NOTHING, (), stream)
    lines = stream.getvalue().splitlines()

    assert lines[0].startswith("cm.example.org: 100 of slot weight, ")
    assert lines[4].split()[:9] == ["busy", "90", "40", "-50", "40", "no", "90", "50", "20"]
    assert lines[5].split()[:6] == ["quiet", "0", "50", "+50", "50", "yes"]
    assert "over, and kept until their claims end: busy" in lines
    assert "busy.ann@x has a ceiling of 2, which is left alone" in lines
    assert lines[-1] == f"plan: {step.plan.id}"


def test_the_json_has_every_group_and_why_not_now() -> None:
    told = plan_json(planned(observed({"busy": 60}, {"busy": 100})), NOTHING, (), ())

    assert (told["schema"], told["changes"], told["refused"]) == (1, True, [])
    assert [(each["group"], each["quota"], each["before"]) for each in told["groups"]] == [
        ("busy", 40.0, None), ("quiet", 50.0, None),
    ]  # fmt: skip
    assert told["static"] == {"busy": 40.0, "quiet": 50.0}


def test_the_text_has_by_how_much_a_group_can_exceed_its_max_and_why_one_has_no_surplus() -> None:
    """30 are free: 70 and these are 10 more than 90, and 20 of them are below it."""
    for running, told in (
        (70, "busy accepts surplus until it has its max of 90: it can exceed it by up to 10"),
        (90, "no surplus for busy: what is free could take them beyond their max"),
    ):
        stream = io.StringIO()
        show_plan(planned(observed({"busy": running}, {"busy": 100})), NOTHING, (), stream)
        assert told in stream.getvalue()


def test_it_says_where_static_quotas_serve_as_well() -> None:
    """No max is below the pool of 100, and both groups lend; the group busy has a max of 90 in LENDING."""
    open_ended = ElasticQuotas(
        (
            ElasticGroup("busy", min={"cpus": 40}, max={"cpus": None}),
            ElasticGroup("quiet", min={"cpus": 50}, max={"cpus": 100}),
        )
    )
    keeps = replace(open_ended.groups[0], lend=False)
    without_min = replace(open_ended.groups[0], min={"cpus": 0})
    for declared, serves in (
        (open_ended, True),
        (LENDING, False),
        (ElasticQuotas((keeps, open_ended.groups[1])), False),
        (ElasticQuotas((without_min, open_ended.groups[1])), False),
        (ElasticQuotas((replace(open_ended.groups[0], priority=1), open_ended.groups[1])), False),
    ):
        seen = observed({"busy": 60}, {"busy": 100})
        step = next_step(declared, seen, sight(), state_of(()), SETTINGS, NOW)
        stream = io.StringIO()
        show_plan(step, NOTHING, (), stream)
        assert ("static quotas serve this pool as well" in stream.getvalue()) is serves


@pytest.mark.parametrize(
    ("priority", "least", "said"),
    [
        (1, {"busy": 40, "quiet": 20}, "quiet 20 of 50 (priority 0)"),
        (-1, {"busy": 10, "quiet": 50}, "busy 10 of 40 (priority -1)"),
    ],
)
def test_in_a_shortage_the_plan_says_whose_mins_are_not_whole(
    priority: int, least: dict[str, int], said: str
) -> None:
    """The pool has 60 of 100; both want more than their mins of 40 and 50."""
    first = replace(LENDING.groups[0], priority=priority)
    declared = ElasticQuotas((first, *LENDING.groups[1:]))
    seen = observed({}, {"busy": 100, "quiet": 100}, pool=60)
    step = next_step(declared, seen, sight(), state_of(()), SETTINGS, NOW)
    stream = io.StringIO()
    show_plan(step, NOTHING, (), stream)

    assert {each.group: each.quota for each in step.plan.file.groups} == least
    assert not step.broken
    assert (
        f"the mins exceed what there is, and higher priorities come first: {said}\n"
        in stream.getvalue()
    )
